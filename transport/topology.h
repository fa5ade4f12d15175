/*
 * topology.h: which node is in which cluster, and what joins the clusters.
 */
#ifndef STN_TRANSPORT_TOPOLOGY_H
#define STN_TRANSPORT_TOPOLOGY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_SECOND_NS 1000000000ull
#define STN_NOBODY UINT32_MAX /* no node's rank */

/* The path from one cluster to another. All zeros: as fast as the network. */
struct stn_link {
	uint64_t latency_ns;  /* one way */
	uint64_t bytes_per_s; /* 0: unlimited */
	uint64_t jitter_ns;   /* a message takes up to so much longer */
};

/* What it is in a run's course: links[i * stride] from starts_ns[i] on. */
struct stn_profile {
	const struct stn_link *links;
	size_t stride;
	const uint64_t *starts_ns; /* since the run's begin; the first is 0 */
	uint32_t count;		   /* 1: it is always the same */
	uint64_t begin_ns;	   /* of the run, by the nodes' common clock */
	uint64_t seed, number;	   /* of its jitter */
	uint32_t share, shares;	   /* of its rate, that is ours; 0: all */
};

/*
 * How a link stands, by the nodes' common clock; zeros at first. There is one
 * for each ordered pair of clusters, which all nodes of a run share;
 * emul/link.c says how they do.
 */
struct stn_link_queue {
	_Atomic(uint64_t) busy_ns;    /* all it was given has left then */
	_Atomic(uint64_t) arrived_ns; /* and has arrived then */
	_Atomic(uint64_t) turns;      /* messages, if it has jitter */
};

/*
 * Ranks are dealt to clusters in order and, unless their sizes are told, as
 * evenly as possible: the first nodes % clusters clusters have one node more.
 */
struct stn_topology {
	uint32_t nodes, clusters; /* 1 <= clusters <= nodes */
	uint64_t *first;	  /* rank of each, and nodes; NULL: evenly */
	struct stn_link wan;	  /* between any two clusters; but if there */
	struct stn_link *links;	  /*   are these, clusters * clusters of them */
	uint64_t *starts_ns;	  /*   for each of so many sections, those: */
	uint32_t sections;	  /*   see links.h; the first starts at 0 */
	uint64_t begin_ns, seed;  /* of the run */
	struct stn_link_queue *queues; /* of each; NULL if no link is slow */
	uint32_t share, shares; /* of their rates, that is ours; 0: all */
};

/* stn_topology_fini: frees what it has, but for @queues. */
void stn_topology_fini(struct stn_topology *topology);

/* stn_topology_begin: the run begins now, by the machine's clock. */
void stn_topology_begin(struct stn_topology *topology);

/* stn_cluster_of: the cluster of node @rank; O(log clusters). */
uint32_t stn_cluster_of(const struct stn_topology *topology, uint32_t rank);

/* stn_cluster_first, _size: the ranks of @cluster: from first, size of them. */
uint32_t stn_cluster_first(const struct stn_topology *topology,
			   uint32_t cluster);
uint32_t stn_cluster_size(const struct stn_topology *topology,
			  uint32_t cluster);

/*
 * stn_topology_link: the number of what joins two clusters, in this direction;
 * stn_topology_profile: and what it is. Valid as long as the topology.
 */
size_t stn_topology_link(const struct stn_topology *topology, uint32_t from,
			 uint32_t to);
struct stn_profile stn_topology_profile(const struct stn_topology *topology,
					size_t link);

/* stn_profile_at: what it is at a time of the nodes' common clock. */
const struct stn_link *stn_profile_at(const struct stn_profile *profile,
				      uint64_t now_ns);

/* stn_link_none: is it as fast as the network? */
bool stn_link_none(const struct stn_link *link);

/* stn_topology_slow: do messages between clusters have to be delayed? */
bool stn_topology_slow(const struct stn_topology *topology);

/* stn_topology_queue_bytes: the size of the array that @queues points to. */
size_t stn_topology_queue_bytes(const struct stn_topology *topology);

#endif
