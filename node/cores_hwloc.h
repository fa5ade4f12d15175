/*
 * cores_hwloc.h: the processors that this process may use, as hwloc sees them.
 * Only for files that are built with hwloc.
 */
#ifndef STN_NODE_CORES_HWLOC_H
#define STN_NODE_CORES_HWLOC_H

#include <hwloc.h>
#include <stdbool.h>

/*
 * stn_cores_load: sets *@topology_p to the packages, NUMA domains, cores and
 * processing units of this host, without those that a launcher or an
 * administrator has forbidden this process. The caller calls
 * hwloc_topology_destroy. False: hwloc failed; *@topology_p is unchanged.
 */
bool stn_cores_load(hwloc_topology_t *topology_p);

#endif
