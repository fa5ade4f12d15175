/*
 * topology.h: the cluster of each node, and the links between the clusters. All
 * functions but stn_topology_begin, _late, _reserve, _set_names and _fini may be
 * called by any thread.
 */
#ifndef STN_TRANSPORT_TOPOLOGY_H
#define STN_TRANSPORT_TOPOLOGY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/clock.h"
#include "transport/error.h"

#define STN_NOBODY UINT32_MAX /* no node's rank */

/* The path from one cluster to another. All zeros: as fast as the network. */
struct stn_link {
	uint64_t latency_ns;  /* one way */
	uint64_t bytes_per_s; /* 0: unlimited */
	uint64_t jitter_ns;   /* a message takes up to this much longer */
	uint64_t loss_ppm;    /* of a million packets, those that are lost */
};

/* A link over time: it is links[i * stride] from starts_ns[i] on. */
struct stn_profile {
	const struct stn_link *links;
	size_t stride;
	const uint64_t *starts_ns; /* since the run began; the first is 0 */
	uint32_t count;		   /* of sections; 1: the link never changes */
	uint64_t begin_ns;	   /* of the run, by the nodes' common clock */
	uint64_t seed, number;	   /* for its random numbers */
	/* This host has @share / @shares of the bandwidth; share 0: all. */
	uint32_t share, shares;
};

/*
 * The link queue of an ordered pair of clusters. Times are those of the nodes'
 * common clock; all members are zero at first. All nodes of a run share each
 * queue and change it without locks. emul/link.c, which alone reads and writes
 * the queue, says how these atomics pair.
 */
struct stn_link_queue {
	_Atomic(uint64_t) busy_ns;    /* when the last message will have left */
	_Atomic(uint64_t) arrived_ns; /* when the last one will have arrived */
	_Atomic(uint64_t) turns;      /* messages so far on a random link */
};

/*
 * Ranks are assigned to clusters in order. Without @first the clusters are as
 * equal as possible: the first nodes % clusters clusters have one node more.
 */
struct stn_topology {
	uint32_t nodes, clusters; /* 1 <= clusters <= nodes */
	/*
	 * The first rank of each cluster, then @nodes. NULL: equal clusters.
	 * If clusters have late ranks: the first rank of each cluster, then the
	 * first late rank of each cluster, then @nodes.
	 */
	uint64_t *first;
	/*
	 * Each cluster has late ranks, perhaps none, behind the other ranks of
	 * all clusters. They are reserved.
	 */
	bool late;
	/*
	 * A bit for each rank that is reserved: its node joins the run while it
	 * runs, or never. NULL: none.
	 */
	uint64_t *reserved;
	struct stn_link wan; /* between any two clusters, if @links is NULL */
	/*
	 * For each section of the run, clusters * clusters links (see
	 * emul/links.h). Section i begins at starts_ns[i]; the first is 0.
	 */
	struct stn_link *links;
	uint64_t *starts_ns;
	uint32_t sections;
	uint64_t begin_ns, seed;       /* of the run */
	struct stn_link_queue *queues; /* one a link; NULL if none is slow */
	/* This host has @share / @shares of each bandwidth; share 0: all. */
	uint32_t share, shares;
	/*
	 * Names of the clusters 0 to name_count - 1, shown to users; "": not
	 * known. See stn_topology_name.
	 */
	const char **names;
	uint32_t name_count;
};

/* stn_topology_fini: frees all arrays of @topology except @queues. */
void stn_topology_fini(struct stn_topology *topology);

/*
 * stn_topology_reserve: reserves @count ranks from @first on. STN_NO_MEMORY.
 * stn_topology_reserved: is @rank reserved?
 */
STN_CHECKED enum stn_err stn_topology_reserve(struct stn_topology *topology,
					      uint32_t first, uint32_t count);
bool stn_topology_reserved(const struct stn_topology *topology, uint32_t rank);

/*
 * stn_topology_set_names: the clusters' names are those in @text, by number,
 * with a space between two. STN_NO_MEMORY.
 * stn_topology_name: the cluster's name; NULL if it is not known.
 */
STN_CHECKED enum stn_err stn_topology_set_names(struct stn_topology *topology,
						const char *text);
const char *stn_topology_name(const struct stn_topology *topology,
			      uint32_t cluster);

/* stn_topology_begin: sets @begin_ns to now, by the machine's clock. */
void stn_topology_begin(struct stn_topology *topology);

/* stn_cluster_of: the cluster of node @rank; O(log clusters). */
uint32_t stn_cluster_of(const struct stn_topology *topology, uint32_t rank);

/*
 * stn_topology_late: gives the clusters @count late ranks, as evenly as
 * possible. Called before any rank is reserved. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_topology_late(struct stn_topology *topology,
					   uint32_t count);

/*
 * stn_cluster_first, _size: its lowest rank, and its number of ranks.
 * stn_cluster_late: sets *first_p to its first late rank, or to 0 if there is
 * none; returns their number.
 */
uint32_t stn_cluster_first(const struct stn_topology *topology,
			   uint32_t cluster);
uint32_t stn_cluster_size(const struct stn_topology *topology,
			  uint32_t cluster);
uint32_t stn_cluster_late(const struct stn_topology *topology, uint32_t cluster,
			  uint32_t *first_p);

/*
 * A cluster numbers its ranks from 0 up.
 * stn_cluster_rank: the rank of the cluster with this number, which exists.
 * stn_cluster_number: the number of @rank in its cluster.
 * stn_cluster_outside: the same as _rank for the ranks of all other clusters.
 */
uint32_t stn_cluster_rank(const struct stn_topology *topology, uint32_t cluster,
			  uint32_t number);
uint32_t stn_cluster_number(const struct stn_topology *topology, uint32_t rank);
uint32_t stn_cluster_outside(const struct stn_topology *topology,
			     uint32_t cluster, uint32_t number);

/*
 * stn_topology_link: the number of the link from cluster @from to cluster @to.
 * stn_topology_profile: the profile of a link; it points into the topology.
 */
size_t stn_topology_link(const struct stn_topology *topology, uint32_t from,
			 uint32_t to);
struct stn_profile stn_topology_profile(const struct stn_topology *topology,
					size_t link);

/* stn_profile_at: the link at time @now_ns of the nodes' common clock. */
const struct stn_link *stn_profile_at(const struct stn_profile *profile,
				      uint64_t now_ns);

/* stn_link_none: is @link all zeros, so that nothing has to be emulated? */
bool stn_link_none(const struct stn_link *link);

/* stn_topology_slow: must messages between clusters be delayed? */
bool stn_topology_slow(const struct stn_topology *topology);

/* stn_topology_queue_bytes: the size of the array that @queues points to. */
size_t stn_topology_queue_bytes(const struct stn_topology *topology);

#endif
