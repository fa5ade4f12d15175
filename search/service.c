/*
 * service.c: the table of the service of bounds, and the calls of other
 * services.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/live/live.h"
#include "node/progress.h"
#include "node/trace/event.h"
#include "search/spread.h"
#include "search/wire.h"

/* An incumbent that arrives in several pieces; one for each sender at most. */
struct stn_arrival {
	struct stn_arrival *next;
	uint32_t from;
	struct stn_search_improve improve; /* of the next piece */
	unsigned char witness[STN_WITNESS_BYTES];
};

struct stn_search *
stn_search_of(const struct stn_node *node)
{
	return stn_node_state(node, &stn_search_service);
}

static enum stn_err
search_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	struct stn_search *search = calloc(1, sizeof(*search));

	if (!search)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	search->node = node;
	search->bounds.nodes = node->topology->nodes;
	*state_p = search;
	return STN_OK;
}

/* The place of the pointer to the arrival from that node; it may be NULL. */
static struct stn_arrival **
find_arrival(struct stn_search *search, uint32_t from)
{
	struct stn_arrival **place = &search->arrivals;

	while (*place && (*place)->from != from)
		place = &(*place)->next;
	return place;
}

static void
end_arrival(struct stn_arrival **place)
{
	struct stn_arrival *arrival = *place;

	if (!arrival)
		return;
	*place = arrival->next;
	free(arrival);
}

static void
search_close(void *state)
{
	struct stn_search *search = state;

	while (search->arrivals)
		end_arrival(&search->arrivals);
	stn_bounds_fini(&search->bounds);
	free(search->shown);
	free(search);
}

static struct stn_bound_state *
get_bound(struct stn_search *search, uint64_t number)
{
	struct stn_bound_state *bound = stn_bounds_get(&search->bounds, number);

	if (!bound)
		stn_node_fail(search->node, "out of memory for a bound");
	return bound;
}

/*
 * Only programs with bounds need memory for each node. In a simulation all
 * nodes share this process.
 */
static void
prepare_to_show(struct stn_search *search)
{
	if (search->shown)
		return;
	search->shown = calloc(search->bounds.nodes, sizeof(search->shown[0]));
	if (!search->shown)
		stn_node_fail(search->node, "out of memory for bounds");
}

static void
adopt_candidate(struct stn_search *search, struct stn_bound_state *bound,
		const struct stn_candidate *candidate)
{
	if (stn_bound_take(bound, candidate))
		stn_node_fail(search->node, "out of memory for a witness");
	bound->known_ns = stn_node_now(search->node);
	prepare_to_show(search);
	search->changes++;
}

/* An incumbent of node @from has arrived whole. */
static void
take_improve(struct stn_search *search, uint32_t from,
	     const struct stn_search_improve *improve, const void *witness)
{
	struct stn_bound_state *bound = get_bound(search, improve->bound);
	const struct stn_candidate candidate = {
		.value = improve->value,
		.key = improve->key,
		.found = improve->flags & STN_SEARCH_FOUND,
		.witness = witness,
		.bytes = improve->bytes,
		.finder = improve->finder,
	};
	const struct stn_search_have have = { .bound = improve->bound,
					      .version = improve->version };

	if (improve->flags & STN_SEARCH_ANSWER && !search->closed)
		stn_node_say(search->node, from, STN_HAVE, &have, sizeof(have));
	search->counts.arrived++;
	if (stn_bound_beats(bound, &candidate)) {
		adopt_candidate(search, bound, &candidate);
	} else {
		search->counts.late++;
		if (candidate.value != bound->best.value ||
		    candidate.key != bound->best.key ||
		    candidate.found != bound->found)
			return; /* the sender does not know ours */
	}
	stn_spread_heard(search, bound, from);
	stn_spread(search, bound);
}

static struct stn_arrival *
begin_arrival(struct stn_search *search, uint32_t from)
{
	struct stn_arrival *arrival = malloc(sizeof(*arrival));

	if (!arrival)
		stn_node_fail(search->node, "out of memory for a witness");
	arrival->from = from;
	arrival->next = search->arrivals;
	search->arrivals = arrival;
	return arrival;
}

/* Does @piece continue the incumbent that is arriving? */
static bool
piece_continues(const struct stn_arrival *arrival,
		const struct stn_search_improve *improve)
{
	return arrival && !memcmp(&arrival->improve, improve, sizeof(*improve));
}

static enum stn_err
take_piece(struct stn_search *search, uint32_t from,
	   const struct stn_search_piece *piece)
{
	struct stn_arrival **place = find_arrival(search, from);
	const struct stn_search_improve *improve = &piece->improve;
	size_t bytes = stn_search_piece_bytes(improve);
	struct stn_arrival *arrival = *place;

	if (improve->finder >= search->bounds.nodes ||
	    (improve->at ? !piece_continues(arrival, improve)
			 : arrival != NULL))
		return STN_MALFORMED;
	if (bytes == improve->bytes) {
		take_improve(search, from, improve, piece->bytes);
		return STN_OK;
	}
	if (!arrival)
		arrival = begin_arrival(search, from);
	memcpy(arrival->witness + improve->at, piece->bytes, bytes);
	arrival->improve = *improve;
	arrival->improve.at = (uint16_t)(improve->at + bytes);
	if (arrival->improve.at < improve->bytes)
		return STN_OK;
	take_improve(search, from, improve, arrival->witness);
	end_arrival(find_arrival(search, from));
	return STN_OK;
}

static enum stn_err
search_handle(void *state, const struct stn_message *message)
{
	struct stn_search *search = state;
	struct stn_bound_state *bound;
	union stn_search_wire wire;
	enum stn_err err = stn_search_parse(message, &wire);

	if (err)
		return err;
	if (message->kind == STN_IMPROVED)
		return take_piece(search, message->from, &wire.piece);
	bound = stn_bounds_find(&search->bounds, wire.have.bound);
	if (!bound || !bound->peers[message->from].waiting)
		return STN_MALFORMED;
	stn_spread_answered(search, bound, message->from);
	return STN_OK;
}

static void
search_died(void *state, uint32_t rank)
{
	struct stn_search *search = state;

	end_arrival(find_arrival(search, rank));
	stn_spread_anew(search, rank);
}

static void
search_joined(void *state, uint32_t rank)
{
	(void)rank;
	stn_spread_anew(state, STN_NOBODY);
}

static enum stn_err
search_finish(void *state)
{
	struct stn_search *search = state;

	stn_node_enter(search->node);
	search->closed = true;
	stn_node_leave(search->node);
	return STN_OK;
}

enum { STN_TRACE_IMPROVED = 32 }; /* this node has found a solution */

static const struct stn_trace_kind traced[] = {
	{ STN_TRACE_IMPROVED, STN_TRACE_MOMENT, "better solution", "value" },
};

/* Shows the bound that has changed last; a limit is older than a solution. */
static void
search_show(void *state, struct stn_live *live)
{
	const struct stn_search *search = state;
	const struct stn_bound_state *bound = NULL, *newest = NULL;
	uint64_t count = 0;

	while ((bound = stn_bounds_next(&search->bounds, bound))) {
		count++;
		if (!newest || bound->known_ns > newest->known_ns)
			newest = bound;
	}
	stn_live_set(live, STN_LIVE_BOUNDS, count);
	if (!newest)
		return;
	stn_live_set(live, STN_LIVE_BOUND_FOUND, newest->found);
	stn_live_set(live, STN_LIVE_BOUND_VALUE, (uint64_t)newest->best.value);
}

const struct stn_service stn_search_service = {
	.name = "search",
	.kinds = stn_search_kinds,
	.kind_count = STN_SEARCH_KINDS,
	.counts = &stn_search_counts_table,
	.traced = traced,
	.traced_count = sizeof(traced) / sizeof(traced[0]),
	.open = search_open,
	.close = search_close,
	.handle = search_handle,
	.died = search_died,
	.joined = search_joined,
	.finish = search_finish,
	.show = search_show,
	.count = stn_search_count,
};

uint64_t
stn_search_make(struct stn_search *search, bool max, int64_t limit)
{
	const struct stn_candidate first = { .value = limit };
	struct stn_bound_state *bound;
	uint64_t number;

	stn_node_enter(search->node);
	number = (uint64_t)search->node->rank << 40 | ++search->counts.made << 1 | max;
	bound = get_bound(search, number);
	if (stn_bound_beats(bound, &first)) {
		search->counts.limited++;
		adopt_candidate(search, bound, &first);
	}
	stn_node_leave(search->node);
	return number;
}

const struct stn_incumbent *
stn_search_at(struct stn_search *search, uint64_t number)
{
	struct stn_bound_state *bound =
		stn_bounds_find(&search->bounds, number);

	if (bound)
		return &bound->best;
	stn_node_enter(search->node);
	bound = get_bound(search, number);
	stn_node_leave(search->node);
	return &bound->best;
}

void
stn_search_improve(struct stn_search *search, uint64_t number,
		   const struct stn_candidate *candidate)
{
	struct stn_bound_state *bound;

	if (candidate->bytes > STN_WITNESS_BYTES)
		stn_node_fail(search->node,
			      "a witness of %zu bytes is too long; it may have "
			      "%d",
			      candidate->bytes, STN_WITNESS_BYTES);
	stn_node_enter(search->node);
	bound = get_bound(search, number);
	if (stn_bound_beats(bound, candidate)) {
		search->counts.improved++;
		stn_trace_moment(search->node, STN_TRACE_IMPROVED,
				 candidate->value, STN_NOBODY);
		adopt_candidate(search, bound, candidate);
		stn_spread(search, bound);
	}
	stn_node_leave(search->node);
}

int64_t
stn_search_best(struct stn_search *search, uint64_t number, void *witness,
		size_t bytes)
{
	struct stn_bound_state *bound;
	int64_t value;

	stn_node_enter(search->node);
	bound = get_bound(search, number);
	if (bound->found && bound->bytes != bytes)
		stn_node_fail(search->node,
			      "STN_BEST wants a witness of %zu bytes, but it "
			      "has %zu",
			      bytes, bound->bytes);
	if (bound->found && bytes)
		memcpy(witness, bound->witness, bytes);
	value = bound->best.value;
	stn_node_leave(search->node);
	return value;
}

bool
stn_search_look(struct stn_search *search, uint64_t number,
		struct stn_search_sight *sight, void *witness, size_t bytes)
{
	struct stn_bound_state *bound;
	bool found;

	stn_node_enter(search->node);
	bound = get_bound(search, number);
	found = bound->found && bound->bytes == bytes;
	if (found) {
		*sight = (struct stn_search_sight){ bound->best.value,
						    bound->finder,
						    bound->known_ns };
		memcpy(witness, bound->witness, bytes);
	}
	stn_node_leave(search->node);
	return found;
}

void
stn_search_show(struct stn_search *search, uint32_t to)
{
	stn_spread_show(search, to);
}
