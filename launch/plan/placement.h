/*
 * placement.h: how many nodes a host gets, and which processors each of them is
 * bound to. A placement is written as "host" (one node), "numa" (one for each
 * NUMA domain), "core" (one for each core that this process may use), or a
 * number of nodes.
 */
#ifndef STN_LAUNCH_PLAN_PLACEMENT_H
#define STN_LAUNCH_PLAN_PLACEMENT_H

#include <stdint.h>

#include "transport/error.h"

/* The most nodes on one host. Each node has a ring for every other. */
#define STN_PLACEMENT_NODES 1024

/* stn_placement_check: STN_INVALID if @per is no placement; @why says so. */
STN_CHECKED enum stn_err stn_placement_check(const char *per,
					     struct stn_why *why);

/*
 * stn_placement_nodes: how many nodes this host gets; 1 for text that is no
 * placement. May take some 10 ms, as hwloc looks at the host.
 */
uint32_t stn_placement_nodes(const char *per);

/*
 * stn_placement_bind: binds this process, the @index'th node of its host. With
 * "numa" it is bound to the cores and the memory of its domain, with "core" to
 * its core, otherwise not at all. A program started by exec stays bound. Errors
 * are ignored: an unbound node works, too.
 */
void stn_placement_bind(const char *per, uint32_t index);

#endif
