#include "node/clusters.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* An item of the list: several clusters of one size. */
struct cluster_group {
	uint64_t clusters, size;
};

/* Reads a number from 1 to @most and moves *at behind it. */
static bool
parse_cluster_number(const char **at, uint64_t most, uint64_t *number_p)
{
	uint64_t number = 0;

	for (; isdigit((unsigned char)**at) && number <= most; (*at)++)
		number = 10 * number + (uint64_t)(**at - '0');
	*number_p = number;
	return number >= 1 && number <= most;
}

/* Reads "16" or "2x16", and a comma if another item follows. */
static bool
parse_cluster_group(const char **at, uint64_t most, struct cluster_group *group)
{
	group->clusters = 1;
	if (!parse_cluster_number(at, most, &group->size))
		return false;
	if (**at == 'x') {
		(*at)++;
		group->clusters = group->size;
		if (!parse_cluster_number(at, most / group->clusters,
					  &group->size))
			return false;
	}
	if (!**at)
		return true;
	return *(*at)++ == ',' && **at;
}

static bool
is_count(const char *text)
{
	return !text[strcspn(text, "x,")];
}

enum stn_err
stn_clusters_parse(const char *text, uint64_t most, uint64_t *clusters_p,
		   uint64_t *nodes_p)
{
	uint64_t clusters = 0, nodes = 0;
	bool count = is_count(text);
	struct cluster_group group;

	do {
		if (!parse_cluster_group(&text, most - nodes, &group))
			return STN_INVALID;
		clusters += group.clusters;
		nodes += group.clusters * group.size;
	} while (*text);
	*clusters_p = count ? nodes : clusters;
	*nodes_p = count ? 0 : nodes;
	return STN_OK;
}

enum stn_err
stn_clusters_apply(const char *text, struct stn_topology *topology)
{
	uint64_t *first, next = 0;
	struct cluster_group group;

	/* Clusters of one size are what the topology has by default. */
	if (!strchr(text, ','))
		return STN_OK;
	topology->first = first =
		calloc(topology->clusters + 1, sizeof(first[0]));
	if (!first)
		return STN_NO_MEMORY;
	while (*text && parse_cluster_group(&text, topology->nodes, &group))
		for (uint64_t i = 0; i < group.clusters; i++) {
			*first++ = next;
			next += group.size;
		}
	*first = next;
	return STN_OK;
}
