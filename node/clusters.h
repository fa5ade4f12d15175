/*
 * clusters.h: reads the setting of clusters:
 *
 *	4		four clusters, among which the nodes are dealt evenly
 *	4x16		four clusters of 16 nodes each
 *	8,2,4,2x16	the size of each cluster, in order
 */
#ifndef STN_NODE_CLUSTERS_H
#define STN_NODE_CLUSTERS_H

#include "transport/error.h"
#include "transport/topology.h"

/*
 * stn_clusters_parse: STN_INVALID if the text is malformed or means more than
 * @most clusters or nodes.
 * @nodes_p  set to the number of nodes; 0 if the text doesn't say
 */
STN_CHECKED enum stn_err stn_clusters_parse(const char *text, uint64_t most,
					    uint64_t *clusters_p,
					    uint64_t *nodes_p);

/*
 * stn_clusters_apply: gives the clusters of @topology the sizes in @text, which
 * stn_clusters_parse has accepted. @topology has the numbers of clusters and
 * nodes that the text means; stn_topology_fini frees what this allocates.
 * STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_clusters_apply(const char *text,
					    struct stn_topology *topology);

#endif
