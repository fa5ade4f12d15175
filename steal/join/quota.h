/*
 * quota.h: how much of a host's processors the kernel lets this process have,
 * by the control groups it is in. A container or a batch system may have set
 * that, where the affinity doesn't show it.
 */
#ifndef STN_STEAL_JOIN_QUOTA_H
#define STN_STEAL_JOIN_QUOTA_H

#include <stdint.h>

/*
 * stn_quota_processors: by cpu.max, or cpu.cfs_quota_us, of the process's own
 * group and all around it: whole processors, one at least; 0: no limit, or it
 * can't be told.
 * @root  what stands before /proc and the groups' paths: "" but in tests
 */
uint32_t stn_quota_processors(const char *root);

#endif
