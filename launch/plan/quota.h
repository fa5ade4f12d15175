/*
 * quota.h: the processor time that control groups grant this process. A
 * container or a batch system may set a quota that the affinity doesn't show.
 */
#ifndef STN_LAUNCH_PLAN_QUOTA_H
#define STN_LAUNCH_PLAN_QUOTA_H

#include <stdint.h>

/*
 * stn_quota_processors: the lowest quota of this process's control group and of
 * the groups around it, in whole processors, rounded down, at least 1. 0: there
 * is no quota, or it can't be read. Reads cpu.max, or cpu.cfs_quota_us in
 * version 1.
 * @root  put in front of /proc and of the groups' paths: "" but in tests
 */
uint32_t stn_quota_processors(const char *root);

#endif
