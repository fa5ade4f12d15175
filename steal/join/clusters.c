#include "steal/join/clusters.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Of a list: some clusters of one size. */
struct part {
	uint64_t clusters, size;
};

/* Moves on behind a number; false if there is none from 1 to @most. */
static bool
take_number(const char **at, uint64_t most, uint64_t *number_p)
{
	uint64_t number = 0;

	for (; isdigit((unsigned char)**at) && number <= most; (*at)++)
		number = 10 * number + (uint64_t)(**at - '0');
	*number_p = number;
	return number >= 1 && number <= most;
}

/* Moves on behind "16" or "2x16", and a comma if there is more. */
static bool
take_part(const char **at, uint64_t most, struct part *part)
{
	part->clusters = 1;
	if (!take_number(at, most, &part->size))
		return false;
	if (**at == 'x') {
		(*at)++;
		part->clusters = part->size;
		if (!take_number(at, most / part->clusters, &part->size))
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
	struct part part;

	do {
		if (!take_part(&text, most - nodes, &part))
			return STN_INVALID;
		clusters += part.clusters;
		nodes += part.clusters * part.size;
	} while (*text);
	*clusters_p = count ? nodes : clusters;
	*nodes_p = count ? 0 : nodes;
	return STN_OK;
}

enum stn_err
stn_clusters_apply(const char *text, struct stn_topology *topology)
{
	uint64_t *first, next = 0;
	struct part part;

	/* All of one size are what an even deal makes of them. */
	if (!strchr(text, ','))
		return STN_OK;
	topology->first = first =
		calloc(topology->clusters + 1, sizeof(first[0]));
	if (!first)
		return STN_NO_MEMORY;
	while (*text && take_part(&text, topology->nodes, &part))
		for (uint64_t i = 0; i < part.clusters; i++) {
			*first++ = next;
			next += part.size;
		}
	*first = next;
	return STN_OK;
}
