#include "node/stats/report_gather.h"

#include <inttypes.h>
#include <stdlib.h>

#include "node/sleep.h"

bool
stn_report_gather_room(struct stn_report_gather *gather)
{
	uint32_t nodes = gather->node->topology->nodes;

	if (gather->tallies)
		return true;
	gather->tallies = calloc(nodes, sizeof(gather->tallies[0]));
	gather->has = calloc(nodes, sizeof(gather->has[0]));
	return gather->tallies && gather->has;
}

void
stn_report_gather_fini(struct stn_report_gather *gather)
{
	free(gather->tallies);
	free(gather->has);
}

/* A tally that is arriving. */
struct landing_tally {
	struct stn_report_gather *gather;
	uint32_t from;
	size_t count;
	struct stn_tally_word words[];
};

static void
stats_landed(void *arg, enum stn_err err)
{
	struct landing_tally *landing = arg;
	struct stn_report_gather *gather = landing->gather;
	struct stn_node *node = gather->node;

	if (err && !node->start.host.suspect)
		stn_node_fail(node, "statistics were lost: %s",
			      stn_err_text(err));
	if (!err && stn_tally_unpack(landing->words, landing->count,
				     &gather->tallies[landing->from]))
		stn_node_fail(node,
			      "node %" PRIu32 " sent malformed statistics",
			      landing->from);
	if (!err)
		gather->has[landing->from] = true;
	free(landing);
	stn_node_wake(node);
}

enum stn_err
stn_report_gather_take(struct stn_report_gather *gather,
		       const struct stn_message *message)
{
	struct stn_node *node = gather->node;
	size_t bytes = message->payload_bytes;
	struct landing_tally *landing;

	if (message->header_bytes || bytes % sizeof(landing->words[0]) ||
	    bytes > STN_TALLY_WORDS * sizeof(landing->words[0]))
		return STN_MALFORMED;
	landing = malloc(sizeof(*landing) + bytes);
	if (!node->start.host.suspect && node->members.root != node->rank)
		stn_node_fail(node,
			      "node %" PRIu32 " reports to the wrong node",
			      message->from);
	if (!landing || !stn_report_gather_room(gather))
		stn_node_fail(node, "out of memory");
	landing->gather = gather;
	landing->from = message->from;
	landing->count = bytes / sizeof(landing->words[0]);
	stn_transport_take(node->transport, message,
			   &(struct iovec){ landing->words, bytes }, 1,
			   stats_landed, landing);
	return STN_OK;
}

void
stn_report_gather_own(struct stn_report_gather *gather,
		      const struct stn_tally *own)
{
	const struct stn_node *node = gather->node;

	if (!stn_report_gather_room(gather))
		stn_node_fail(gather->node, "out of memory");
	gather->tallies[node->rank] = *own;
	gather->has[node->rank] = true;
}

bool
stn_report_gather_complete(const struct stn_report_gather *gather)
{
	const struct stn_node *node = gather->node;

	for (uint32_t i = 0; i < node->topology->nodes; i++)
		if (!gather->has[i] && stn_members_has(&node->members, i))
			return false;
	return true;
}
