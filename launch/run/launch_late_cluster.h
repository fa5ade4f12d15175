/*
 * launch_late_cluster.h: the clusters that nodes join, and their ranks there.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_LATE_CLUSTER_H
#define STN_LAUNCH_RUN_LAUNCH_LATE_CLUSTER_H

#include "launch/run/launch.h"

/*
 * late_room: the number of ranks that nodes can get in the cluster, or in all
 * if it is STN_NOBODY.
 * late_take: gives @wanted nodes of one host ranks, from *first_p on, in
 * @cluster or, if that is STN_NOBODY, in the best one. Returns for how many
 * there was room.
 * @round_trips_ns  from the host to each cluster; NULL: not measured
 */
uint32_t late_room(const struct launch *launch, uint32_t cluster);
uint32_t late_take(struct launch *launch, uint32_t cluster, uint32_t wanted,
		   const uint64_t *round_trips_ns, uint32_t *first_p);

/*
 * late_cluster: the cluster with this name or number. STN_INVALID if there is
 * none.
 * late_describe: writes where the nodes of the request have joined to @text:
 * nothing in a run of one cluster.
 */
STN_CHECKED enum stn_err late_cluster(const struct launch *launch,
				      const char *name, uint32_t *cluster_p,
				      struct stn_why *why);
void late_describe(const struct launch *launch, char *text, size_t room);

#endif
