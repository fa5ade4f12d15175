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

/* The path from one cluster to another. All zeros: as fast as the network. */
struct stn_link {
	uint64_t latency_ns;  /* one way */
	uint64_t bytes_per_s; /* 0: unlimited */
};

/*
 * When each link will have sent what it was given: one word for each ordered
 * pair of clusters, in nanoseconds of the nodes' common clock. All nodes of a
 * run share it; emul/link.h says how it is used.
 */
typedef _Atomic(uint64_t) stn_link_busy;

/*
 * Ranks are dealt to clusters in order and, unless their sizes are told, as
 * evenly as possible: the first nodes % clusters clusters have one node more.
 */
struct stn_topology {
	uint32_t nodes, clusters; /* 1 <= clusters <= nodes */
	uint64_t *first;	  /* rank of each, and nodes; NULL: evenly */
	struct stn_link wan;	  /* between any two clusters; but if there */
	struct stn_link *links;	  /*   are these, clusters * clusters, those */
	stn_link_busy *busy;	  /* as many; NULL if no link is slow */
};

/* stn_topology_fini: frees what it has, but for @busy. */
void stn_topology_fini(struct stn_topology *topology);

/* stn_cluster_of: the cluster of node @rank; O(log clusters). */
uint32_t stn_cluster_of(const struct stn_topology *topology, uint32_t rank);

/* stn_cluster_first, _size: the ranks of @cluster: from first, size of them. */
uint32_t stn_cluster_first(const struct stn_topology *topology,
			   uint32_t cluster);
uint32_t stn_cluster_size(const struct stn_topology *topology,
			  uint32_t cluster);

/* stn_topology_link: what joins the nodes of two clusters, in this direction.
 */
const struct stn_link *stn_topology_link(const struct stn_topology *topology,
					 uint32_t from, uint32_t to);

/* stn_topology_slow: do messages between clusters have to be delayed? */
bool stn_topology_slow(const struct stn_topology *topology);

/* stn_topology_busy_bytes: the size of the array that @busy points to. */
size_t stn_topology_busy_bytes(const struct stn_topology *topology);

#endif
