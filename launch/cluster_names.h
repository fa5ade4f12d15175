/*
 * cluster_names.h: the names of a run's clusters, if it has any: a gateway
 * knows them from the meeting point, a launcher from its file of hosts. Nodes
 * and launchers that these start find them in an environment variable:
 *
 *	STN_CLUSTER_NAMES=amsterdam berlin
 *
 * by the clusters' numbers, with a space between two. Names have no spaces. An
 * empty name is not known.
 */
#ifndef STN_LAUNCH_CLUSTER_NAMES_H
#define STN_LAUNCH_CLUSTER_NAMES_H

#include "transport/error.h"
#include "transport/topology.h"

/* stn_cluster_names_set: sets the variable; without names, removes it. */
STN_CHECKED enum stn_err stn_cluster_names_set(const char *const *names,
					       uint32_t count);

/* stn_cluster_names_get: gives the topology the names that are set. */
STN_CHECKED enum stn_err stn_cluster_names_get(struct stn_topology *topology);

/* stn_cluster_names_hide: programs that this process starts get none. */
void stn_cluster_names_hide(void);

#endif
