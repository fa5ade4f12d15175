/*
 * handle.c: what a node does with each kind of message, and with news of its
 * peers.
 */
#include <inttypes.h>

#include "steal/node.h"

static void
stats_landed(void *arg, enum stn_err err)
{
	struct stn_node *node = arg;

	if (err)
		stn_node_fail(node, "statistics were lost: %s",
			      stn_err_text(err));
	node->reports++;
	stn_node_wake(node);
}

static void
take_stats(struct stn_node *node, const struct stn_message *message)
{
	struct iovec piece = { NULL, sizeof(struct stn_stats) };

	if (!node->all_stats)
		stn_node_fail(node,
			      "node %" PRIu32 " reports to the wrong node",
			      message->from);
	piece.iov_base = &node->all_stats[message->from];
	stn_transport_take(node->transport, message, &piece, 1, stats_landed,
			   node);
}

static void
take_load(struct stn_node *node, uint32_t from, uint32_t load)
{
	if (!node->balancer->told ||
	    stn_cluster_of(&node->topology, from) != node->cluster ||
	    !stn_decide_told(node, from, load))
		stn_node_fail(node,
			      "node %" PRIu32 " tells its load to the wrong "
			      "node",
			      from);
}

static void
handle(struct stn_node *node, const struct stn_message *message)
{
	struct stn_wire wire;

	if (stn_wire_parse(message, &node->table, &wire))
		stn_node_fail(node,
			      "node %" PRIu32 " sent a malformed message of "
			      "kind %u",
			      message->from, message->kind);
	stn_node_count(node, node->stats.received, message->from, wire.kind,
		       message->header_bytes + message->payload_bytes);
	if (node->trace)
		stn_trace(node->trace, stn_node_now(node), "take", wire.kind,
			  message->from, message->header);
	switch (wire.kind) {
	case STN_REQUEST:
		stn_lend(node, message->from, &wire.request);
		break;
	case STN_GRANT:
		stn_borrow_grant(node, message, &wire);
		break;
	case STN_REFUSE:
		stn_borrow_refuse(node, message, wire.refusal.number);
		break;
	case STN_CANCEL:
		stn_hold_cancel(node, message->from, wire.refusal.number);
		break;
	case STN_PUSH:
		stn_borrow_pushed(node, message, &wire);
		break;
	case STN_TAKEN:
		stn_lend_taken(node, message->from);
		break;
	case STN_LOAD:
		take_load(node, message->from, wire.load.records);
		break;
	case STN_RESULT:
		stn_lend_result(node, message, &wire.result);
		break;
	case STN_EXIT:
		node->stopping = true;
		stn_node_wake(node);
		break;
	case STN_STATS:
		take_stats(node, message);
		break;
	}
}

void
stn_node_handle(void *arg, const struct stn_message *message)
{
	struct stn_node *node = arg;
	uint64_t begin;

	if (!node->config.stats.wanted) {
		handle(node, message);
		return;
	}
	begin = stn_node_now(node);
	handle(node, message);
	node->stats.answering_ns += stn_node_now(node) - begin;
}

/* In the end peers may be gone. */
void
stn_node_news(void *arg, uint32_t rank, enum stn_peer_state state,
	      const char *how)
{
	struct stn_node *node = arg;

	if (state == STN_PEER_DEAD && !node->closing && !node->stopping)
		stn_node_miss(node, rank, "node %" PRIu32 " is gone: %s", rank,
			      how);
}
