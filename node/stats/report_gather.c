#include "node/stats/report_gather.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/sleep.h"

bool
stn_report_gather_room(struct stn_report_gather *gather)
{
	uint32_t nodes = gather->node->topology->nodes;

	if (gather->tallies)
		return true;
	gather->tallies = calloc(nodes, sizeof(gather->tallies[0]));
	return gather->tallies;
}

void
stn_report_gather_fini(struct stn_report_gather *gather)
{
	uint32_t nodes = gather->node->topology->nodes;

	for (uint32_t i = 0; gather->tallies && i < nodes; i++)
		free(gather->tallies[i]);
	free(gather->tallies);
}

/* Keeps the tally of node @rank, instead of the one that it sent before. */
static void
gather_keep(struct stn_report_gather *gather, uint32_t rank,
	    struct stn_tally_packed *tally)
{
	free(gather->tallies[rank]);
	gather->tallies[rank] = tally;
}

/* A tally that is arriving. */
struct landing_tally {
	struct stn_report_gather *gather;
	uint32_t from;
	struct stn_tally_packed *tally;
};

static void
stats_landed(void *arg, enum stn_err err)
{
	struct landing_tally *landing = arg;
	struct stn_report_gather *gather = landing->gather;
	struct stn_node *node = gather->node;

	stn_node_must_arrive(node, "a table of statistics", err);
	if (err && !node->start.host.suspect)
		stn_node_fail(node, "statistics were lost: %s",
			      stn_err_text(err));
	if (!err && !stn_tally_valid(landing->tally))
		stn_node_fail(node,
			      "node %" PRIu32 " sent malformed statistics",
			      landing->from);
	if (err)
		free(landing->tally);
	else
		gather_keep(gather, landing->from, landing->tally);
	free(landing);
	stn_node_wake(node);
}

enum stn_err
stn_report_gather_take(struct stn_report_gather *gather,
		       const struct stn_message *message)
{
	struct stn_node *node = gather->node;
	size_t bytes = message->payload_bytes;
	struct stn_tally_packed *tally;
	struct landing_tally *landing;

	if (message->header_bytes || bytes % sizeof(tally->words[0]) ||
	    bytes > STN_TALLY_WORDS * sizeof(tally->words[0]))
		return STN_MALFORMED;
	landing = malloc(sizeof(*landing));
	tally = malloc(sizeof(*tally) + bytes);
	if (!node->start.host.suspect && node->members.root != node->rank)
		stn_node_fail(node,
			      "node %" PRIu32 " reports to the wrong node",
			      message->from);
	if (!landing || !tally || !stn_report_gather_room(gather))
		stn_node_fail(node, "out of memory");
	tally->count = bytes / sizeof(tally->words[0]);
	*landing = (struct landing_tally){ gather, message->from, tally };
	stn_transport_take(node->transport, message,
			   &(struct iovec){ tally->words, bytes }, 1,
			   stats_landed, landing);
	return STN_OK;
}

void
stn_report_gather_own(struct stn_report_gather *gather, uint32_t rank,
		      const struct stn_tally_packed *own)
{
	size_t bytes = sizeof(*own) + own->count * sizeof(own->words[0]);
	struct stn_tally_packed *copy = malloc(bytes);

	if (!copy || !stn_report_gather_room(gather))
		stn_node_fail(gather->node, "out of memory");
	memcpy(copy, own, bytes);
	gather_keep(gather, rank, copy);
}

/*
 * The first living node from @rank on whose tally is missing, or the number of
 * nodes.
 */
static uint32_t
next_missing(const struct stn_report_gather *gather, uint32_t rank)
{
	const struct stn_node *node = gather->node;

	while (rank < node->topology->nodes &&
	       (gather->tallies[rank] ||
		!stn_members_has(&node->members, rank)))
		rank++;
	return rank;
}

/*
 * Asked again after each tally that arrives, so that the search begins where
 * the last one ended.
 */
bool
stn_report_gather_complete(struct stn_report_gather *gather)
{
	uint32_t nodes = gather->node->topology->nodes;

	gather->missing = next_missing(gather, gather->missing);
	if (gather->missing == nodes) /* a lower rank may have joined */
		gather->missing = next_missing(gather, 0);
	return gather->missing == nodes;
}
