/*
 * service.c: the table of the service of constants, and the calls of other
 * services.
 */
#include "constants/service.h"

#include <stdlib.h>
#include <string.h>

#include "constants/fetch.h"
#include "constants/send.h"
#include "node/progress.h"
#include "node/stats/tally.h"

struct stn_constants *
stn_constants_of(const struct stn_node *node)
{
	return stn_node_state(node, &stn_constants_service);
}

static enum stn_err
constants_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	struct stn_constants *constants = calloc(1, sizeof(*constants));

	if (!constants)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	constants->node = node;
	LIST_INIT(&constants->fetches);
	*state_p = constants;
	return STN_OK;
}

static void
constants_close(void *state)
{
	struct stn_constants *constants = state;

	stn_fetches_fini(constants);
	stn_known_fini(&constants->known);
	free(constants);
}

static void
serve_want(struct stn_constants *constants, uint32_t from,
	   const struct stn_const_want *want)
{
	const struct stn_constant *constant =
		stn_constant_find(&constants->known, want->hash);

	if (constant)
		stn_constant_send(constants, constant, from);
	else
		stn_fetch_want(constants, from, want);
}

static enum stn_err
constants_handle(void *state, const struct stn_message *message)
{
	struct stn_constants *constants = state;
	union stn_constants_wire wire;
	enum stn_err err = stn_constants_parse(
		message, constants->node->topology->nodes, &wire);

	if (err)
		return err;
	switch ((enum stn_constants_kind)message->kind) {
	case STN_CONST_WANT:
		serve_want(constants, message->from, &wire.want);
		break;
	case STN_CONST_DATA:
		stn_fetch_arrives(constants, message, wire.name.hash);
		break;
	case STN_CONST_LACK:
		stn_fetch_lacks(constants, message->from, wire.name.hash);
		break;
	}
	return STN_OK;
}

static void
constants_died(void *state, uint32_t rank)
{
	stn_fetch_died(state, rank);
}

/* The memory of constants that are leaving or arriving is still needed. */
static bool
constants_settled(void *state)
{
	struct stn_constants *constants = state;
	bool settled;

	stn_node_enter(constants->node);
	settled = !constants->sending && LIST_EMPTY(&constants->fetches);
	stn_node_leave(constants->node);
	return settled;
}

#define COUNT(name, text)                                                      \
	{                                                                      \
		"constants_" #name, text,                                      \
			offsetof(struct stn_constants_counts, name), NULL,     \
			NULL, NULL                                             \
	}

static const struct stn_count rows[] = {
	COUNT(made, "constants made"),
	COUNT(arrived, "constants that came from other nodes"),
	COUNT(unused, "  and were here already"),
	COUNT(bytes, "  bytes of all"),
};

static const struct stn_count_table constants_counts = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.bytes = sizeof(struct stn_constants_counts),
};

static void
constants_count(void *state, struct stn_tally *tally)
{
	const struct stn_constants *constants = state;
	struct stn_constants_counts *counts = stn_tally_of(
		constants->node->services, &constants_counts, tally);

	*counts = constants->counts;
}

const struct stn_service stn_constants_service = {
	.name = "constants",
	.kinds = stn_constants_kinds,
	.kind_count = STN_CONSTANTS_KINDS,
	.counts = &constants_counts,
	.open = constants_open,
	.close = constants_close,
	.handle = constants_handle,
	.died = constants_died,
	.settled = constants_settled,
	.count = constants_count,
};

/* Is @constant, or NULL, the constant with these bytes, which have its hash? */
static bool
is_constant(const struct stn_constants *constants,
	    const struct stn_constant *constant, const void *data, size_t bytes)
{
	if (!constant)
		return false;
	if (constant->bytes != bytes ||
	    (bytes && memcmp(constant->at, data, bytes)))
		stn_node_fail(constants->node,
			      "two constants have the same hash; add a byte to "
			      "one");
	return true;
}

uint64_t
stn_constants_make(struct stn_constants *constants, const void *data,
		   size_t bytes)
{
	uint64_t hash = stn_constant_hash(data, bytes);
	struct stn_constant *constant;

	if (is_constant(constants, stn_constant_find(&constants->known, hash),
			data, bytes))
		return hash;
	constant = stn_constant_create(hash, bytes);
	if (!constant)
		stn_node_fail(constants->node,
			      "out of memory for a constant of %zu bytes",
			      bytes);
	if (bytes)
		memcpy(constant->at, data, bytes);
	constant->kept_back = true;
	stn_node_enter(constants->node);
	constants->counts.made++;
	if (stn_constant_find(&constants->known, hash))
		free(constant);
	else if (!stn_constant_add(&constants->known, constant))
		stn_node_fail(constants->node, "out of memory");
	stn_node_leave(constants->node);
	return hash;
}

void
stn_constants_leaves(struct stn_constants *constants, uint64_t hash)
{
	if (stn_constant_let_go(&constants->known, hash))
		stn_constant_spread(constants,
				    stn_constant_find(&constants->known, hash));
}
