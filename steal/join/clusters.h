/*
 * clusters.h: clusters as people write them:
 *
 *	4		so many, to which the nodes are dealt evenly
 *	4x16		so many, with so many nodes in each
 *	8,2,4,2x16	their sizes, in order
 */
#ifndef STN_STEAL_JOIN_CLUSTERS_H
#define STN_STEAL_JOIN_CLUSTERS_H

#include "transport/error.h"
#include "transport/topology.h"

/*
 * stn_clusters_parse: STN_OK or STN_INVALID, also of more than @most clusters
 * or nodes.
 * @nodes_p  in all of them; 0 if the text doesn't say
 */
STN_CHECKED enum stn_err stn_clusters_parse(const char *text, uint64_t most,
					    uint64_t *clusters_p,
					    uint64_t *nodes_p);

/*
 * stn_clusters_apply: gives @topology, which has as many clusters and nodes,
 * the sizes that the text says; it must be one that was parsed.
 */
STN_CHECKED enum stn_err stn_clusters_apply(const char *text,
					    struct stn_topology *topology);

#endif
