/*
 * bounds.c: the calls of sateen_bound.h. The service of bounds (search) does
 * the work; here are the workers that call it, and their virtual time.
 */
#include <stdlib.h>
#include <unistd.h>

#include "node/live/live.h"
#include "search/service.h"
#include "steal/sateen.h"
#include "steal/steal.h"
#include "steal/virtual_cost.h"

/* Between two polls: virtual time, if work is counted; else units of work. */
#define POLL_NS 10000ull
#define POLL_UNITS 64

static struct stn_search *
search_of(const struct stn_owner *owner)
{
	return owner->steal->search;
}

struct stn_bound
stn_bound_make(struct stn_deque *deque, bool max, int64_t limit)
{
	struct stn_owner *owner = stn_owner_of(deque);
	struct stn_bound bound = { stn_search_make(search_of(owner), max,
						   limit) };

	return bound;
}

const struct stn_incumbent *
stn_bound_at(struct stn_deque *deque, struct stn_bound bound)
{
	return stn_search_at(search_of(stn_owner_of(deque)), bound.number);
}

/* The improvement happens at the virtual time that the task has reached. */
void
stn_bound_improve(struct stn_deque *deque, struct stn_bound bound,
		  int64_t value, uint64_t key, const void *witness,
		  size_t bytes)
{
	struct stn_owner *owner = stn_owner_of(deque);
	const struct stn_candidate candidate = {
		.value = value,
		.key = key,
		.found = true,
		.witness = witness,
		.bytes = bytes,
		.finder = owner->node->rank,
	};

	stn_computed(owner, 0);
	stn_search_improve(search_of(owner), bound.number, &candidate);
	stn_computes(owner);
}

void
stn_scope_close(struct stn_deque *deque, struct stn_bound scope, uint64_t key,
		const void *witness, size_t bytes)
{
	if (key == UINT64_MAX)
		stn_node_fail(stn_owner_of(deque)->node,
			      "STN_CLOSE has the key UINT64_MAX, but keys are "
			      "less");
	stn_bound_improve(deque, scope, stn_close_value(key), 0, witness,
			  bytes);
}

int64_t
stn_bound_best(struct stn_deque *deque, struct stn_bound bound, void *witness,
	       size_t bytes)
{
	return stn_search_best(search_of(stn_owner_of(deque)), bound.number,
			       witness, bytes);
}

/* All nodes of a simulation share its thread, so no other one may look. */
struct stn_watch
stn_bound_watch(struct stn_deque *deque, struct stn_bound bound)
{
	struct stn_owner *owner = stn_owner_of(deque);
	const char *terminal = getenv(STN_TERMINAL);
	struct stn_live *live = owner->node->live;
	struct stn_watch watch = {
		.search = owner->node->sim ? NULL : search_of(owner),
		.number = bound.number,
		.terminal = isatty(STDOUT_FILENO) || (terminal && *terminal),
	};

	if (live)
		stn_live_set(live, STN_LIVE_BOUND_SHOWN, watch.terminal);
	return watch;
}

bool
stn_watch_look(const struct stn_watch *watch, struct stn_sighting *sighting,
	       void *witness, size_t bytes)
{
	struct stn_search_sight sight;
	const struct stn_live *live;

	if (!watch->search)
		return false;
	live = watch->search->node->live;
	sighting->done = live ? stn_live_get(live, STN_LIVE_ALL_DONE) : 0;
	sighting->total = live ? stn_live_get(live, STN_LIVE_ALL_KNOWN) : 0;
	if (!stn_search_look(watch->search, watch->number, &sight, witness,
			     bytes))
		return false;
	sighting->value = sight.value;
	sighting->node = sight.finder;
	sighting->seconds = (double)sight.known_ns * 1e-9;
	return true;
}

/* In the machine's time the limit is never reached. */
void
stn_poll_slow(struct stn_deque *deque)
{
	struct stn_owner *owner = stn_owner_of(deque);
	const struct stn_config *config = owner->node->config;
	uint64_t units = POLL_UNITS;

	if (config->cost[0] != 'm')
		units = config->unit_cost_ns
				? POLL_NS / config->unit_cost_ns + 1
				: UINT64_MAX / 2;
	stn_computed(owner, 0);
	deque->poll = deque->work + units;
	stn_computes(owner);
}
