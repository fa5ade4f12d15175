#include "node/leaving.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "node/node.h"
#include "node/stats/message_log.h"

/* The part of the grace that is left to complete sends, at most. */
#define RESERVE_NS STN_SECOND_NS

#define LOOKS 64 /* during the grace */
#define LOOK_LEAST_NS 1000000ull

static const struct stn_kind kinds[] = {
	{ .number = STN_FAREWELL, .name = "farewell" },
	{ .number = STN_BYE, .name = "bye" },
};

struct leaving {
	struct stn_node *node;
	bool begun;
	uint64_t stop_ns;  /* from then on, work is not waited for */
	uint64_t flush_ns; /* nor messages under way */
	uint64_t end_ns;   /* nor anything else */
	uint64_t look_ns;  /* time between looks */
	bool farewell;	   /* was said */
	bool left;	   /* the host has been told */
	uint64_t *owed;	   /* a bit for each rank that has not said BYE */
	uint32_t owes;	   /* number of these */
};

/* In a run that does not survive deaths no node leaves: there is no state. */
static enum stn_err
leaving_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	struct leaving *leaving;

	if (!node->start.host.suspect)
		return STN_OK;
	leaving = calloc(1, sizeof(*leaving));
	if (!leaving)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	leaving->node = node;
	*state_p = leaving;
	return STN_OK;
}

static void
leaving_close(void *state)
{
	struct leaving *leaving = state;

	free(leaving->owed);
	free(leaving);
}

static void
leaving_begin(struct leaving *leaving, uint64_t now)
{
	uint64_t grace = leaving->node->start.grace_ns, reserve = grace / 4;

	if (leaving->begun)
		return;
	if (reserve > RESERVE_NS)
		reserve = RESERVE_NS;
	leaving->begun = true;
	leaving->end_ns = now + grace;
	leaving->stop_ns = leaving->end_ns - reserve;
	leaving->flush_ns = leaving->end_ns - reserve / 4;
	leaving->look_ns = grace / LOOKS;
	if (leaving->look_ns < LOOK_LEAST_NS)
		leaving->look_ns = LOOK_LEAST_NS;
}

static void
farewell(struct leaving *leaving)
{
	const struct stn_members *members = &leaving->node->members;
	struct stn_node *node = leaving->node;
	uint32_t nodes = node->topology->nodes;

	leaving->farewell = true;
	if (stn_transport_limits(node->transport)->arrives)
		return; /* what has been sent has arrived */
	leaving->owed = calloc(nodes / 64 + 1, sizeof(uint64_t));
	if (!leaving->owed)
		stn_node_fail(node, "out of memory");
	for (uint32_t i = 0; i < nodes; i++) {
		if (i == node->rank || !stn_members_has(members, i))
			continue;
		leaving->owed[i / 64] |= UINT64_C(1) << i % 64;
		leaving->owes++;
		stn_node_say(node, i, STN_FAREWELL, NULL, 0);
	}
}

/* Do the services still have what the other nodes need? */
static bool
services_have_more(const struct leaving *leaving, uint64_t now)
{
	const struct stn_node *node = leaving->node;
	bool stop = now >= leaving->stop_ns, more = false;

	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->leave &&
		    !node->services[i]->leave(node->states[i], stop))
			more = true;
	return more && now < leaving->flush_ns;
}

static uint64_t
earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The next time that matters. */
static uint64_t
look_again(const struct leaving *leaving, uint64_t now)
{
	uint64_t next = now + leaving->look_ns;

	if (now < leaving->stop_ns)
		next = earlier(next, leaving->stop_ns);
	else if (now < leaving->flush_ns)
		next = earlier(next, leaving->flush_ns);
	return now < leaving->end_ns ? earlier(next, leaving->end_ns) : next;
}

static uint64_t
leaving_look_after(void *state, uint64_t now)
{
	struct leaving *leaving = state;
	struct stn_node *node;

	if (!leaving)
		return STN_AT_REST;
	node = leaving->node;
	/* If main has returned, this node ends with the others. */
	if (!node->leaving || leaving->left || node->stopping)
		return STN_AT_REST;
	leaving_begin(leaving, now);
	if (!leaving->farewell && services_have_more(leaving, now))
		return look_again(leaving, now);
	if (!leaving->farewell)
		farewell(leaving);
	if (leaving->owes && now < leaving->end_ns)
		return look_again(leaving, now);
	leaving->left = true;
	/* The host may end the process. If the log is cut short, it says so. */
	(void)stn_message_log_flush(node->message_log);
	node->start.host.left(node->start.host.arg, node->rank);
	return STN_FOREVER;
}

/* Node @rank owes this one no answer any more. */
static void
leaving_died(void *state, uint32_t rank)
{
	struct leaving *leaving = state;
	uint64_t bit = UINT64_C(1) << rank % 64;

	if (!leaving || !leaving->owed ||
	    !(leaving->owed[rank / 64] & bit))
		return;
	leaving->owed[rank / 64] &= ~bit;
	leaving->owes--;
}

static enum stn_err
leaving_handle(void *state, const struct stn_message *message)
{
	struct leaving *leaving = state;

	if (!leaving || message->header_bytes || message->payload_bytes)
		return STN_MALFORMED;
	if (message->kind == STN_FAREWELL)
		stn_node_say(leaving->node, message->from, STN_BYE, NULL, 0);
	else
		leaving_died(leaving, message->from);
	return STN_OK;
}

const struct stn_service stn_leaving_service = {
	.name = "leaving",
	.kinds = kinds,
	.kind_count = sizeof(kinds) / sizeof(kinds[0]),
	.open = leaving_open,
	.close = leaving_close,
	.handle = leaving_handle,
	.look_after = leaving_look_after,
	.died = leaving_died,
};
