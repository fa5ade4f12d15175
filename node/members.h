/*
 * members.h: the nodes of a run that live, as one node or the sequencer knows
 * them. A reserved rank (topology.h) lives from when its node has joined. Ranks
 * are never reused: a node that has died or left stays out.
 *
 * The caller serialises all calls on one set of members.
 */
#ifndef STN_NODE_MEMBERS_H
#define STN_NODE_MEMBERS_H

#include <stdbool.h>

#include "transport/error.h"
#include "transport/topology.h"

struct stn_members {
	const struct stn_topology *topology;
	uint32_t living;
	uint32_t begun; /* number of nodes that live or have lived */
	/*
	 * The lowest rank that lives, or STN_NOBODY. No lower rank joins: the
	 * root runs main.
	 */
	uint32_t root;
	uint32_t clusters;    /* number of clusters with living nodes */
	/* The arrays are NULL while all ranks live; see stn_members_begin. */
	uint32_t *in_cluster; /* number of living nodes, by cluster */
	uint64_t *gone;	      /* a bit for each rank that has died or left */
	uint64_t *absent;     /* a bit for each rank that does not live */
	uint64_t *leaving;    /* a bit for each; told to leave, lives still */
	uint32_t leavers;     /* number of these */
	uint32_t left;	      /* number of nodes that left when told to */
};

/*
 * stn_members_init: all nodes of @topology live, except those of reserved
 * ranks. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_members_init(struct stn_members *members,
					  const struct stn_topology *topology);
void stn_members_fini(struct stn_members *members);

/*
 * stn_members_begin: as stn_members_init, but without arrays if no rank is
 * reserved: n nodes of a simulation would have n arrays for n ranks. Such
 * members must not change.
 * stn_members_let_change: then makes the arrays, unless they are there.
 * STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_members_begin(struct stn_members *members,
					   const struct stn_topology *topology);
STN_CHECKED enum stn_err stn_members_let_change(struct stn_members *members);

/* stn_members_remove: @rank does not live any more. */
void stn_members_remove(struct stn_members *members, uint32_t rank);

/*
 * stn_members_add: @rank, which is reserved, lives from now on. Returns false,
 * and does nothing, if the rank is not reserved, has joined before, or is lower
 * than the root.
 */
bool stn_members_add(struct stn_members *members, uint32_t rank);

/* stn_members_leave: @rank has been told to leave; it lives still. */
void stn_members_leave(struct stn_members *members, uint32_t rank);

/* stn_members_has: whether @rank lives. */
static inline bool
stn_members_has(const struct stn_members *members, uint32_t rank)
{
	return !members->absent ||
	       !(members->absent[rank / 64] >> rank % 64 & 1);
}

/*
 * stn_members_lost: whether @rank has died or left. A node that joins may send
 * messages to a node before that one knows that it lives; so records and
 * results of a rank are given up when it is lost, not when it does not live.
 */
static inline bool
stn_members_lost(const struct stn_members *members, uint32_t rank)
{
	return members->gone && members->gone[rank / 64] >> rank % 64 & 1;
}

/* stn_members_stays: whether @rank lives and has not been told to leave. */
static inline bool
stn_members_stays(const struct stn_members *members, uint32_t rank)
{
	return !members->absent ||
	       !((members->absent[rank / 64] | members->leaving[rank / 64]) >>
			 rank % 64 &
		 1);
}

/* stn_members_in: the number of living nodes of @cluster. */
static inline uint32_t
stn_members_in(const struct stn_members *members, uint32_t cluster)
{
	return members->in_cluster
		       ? members->in_cluster[cluster]
		       : stn_cluster_size(members->topology, cluster);
}

/*
 * stn_members_number: the number of living nodes of @rank's cluster whose ranks
 * are lower than @rank.
 * stn_members_at: the living node of @cluster with that number, or STN_NOBODY.
 */
uint32_t stn_members_number(const struct stn_members *members, uint32_t rank);
uint32_t stn_members_at(const struct stn_members *members, uint32_t cluster,
			uint32_t number);

/*
 * stn_members_staying: the number of nodes of @cluster that stay.
 * stn_members_staying_number, stn_members_staying_at: as stn_members_number and
 * stn_members_at, but only the nodes that stay count.
 * stn_members_head: the lowest node of @cluster that stays; if all are to
 * leave, the lowest that lives; or STN_NOBODY.
 */
uint32_t stn_members_staying(const struct stn_members *members,
			     uint32_t cluster);
uint32_t stn_members_staying_number(const struct stn_members *members,
				    uint32_t rank);
uint32_t stn_members_staying_at(const struct stn_members *members,
				uint32_t cluster, uint32_t number);
uint32_t stn_members_head(const struct stn_members *members, uint32_t cluster);

#endif
