/*
 * late_choice.h: the choice of the cluster that nodes join.
 */
#ifndef STN_LAUNCH_RUN_LATE_CHOICE_H
#define STN_LAUNCH_RUN_LATE_CHOICE_H

#include <stdint.h>

struct stn_late_cluster {
	uint32_t room;	/* ranks that nodes can get */
	uint32_t nodes; /* that it has already */
	/*
	 * From the nodes' host to the cluster and back; STN_PROBE_FAR if the
	 * host does not reach it. 0 in all clusters if that was not measured.
	 */
	uint64_t round_trip_ns;
};

/*
 * stn_late_choice: the cluster for @wanted nodes of one host: of the clusters
 * with room for them all, the nearest one. Clusters that are farther than that
 * by an eighth, or by 100 us, are as near; of these, the one with the fewest
 * nodes, and then the first. If no cluster has room for all, of those with the
 * most room. STN_NOBODY if no cluster has any.
 */
uint32_t stn_late_choice(const struct stn_late_cluster *clusters,
			 uint32_t count, uint32_t wanted);

#endif
