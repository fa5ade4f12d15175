#include "apps/tsp/trees.h"

#include <string.h>

#define KEY_BITS 2    /* for each branching */
#define TOLD_LEVELS 6 /* places up to this level have units of progress */

_Static_assert(BRANCH_PLACES_MOST <= 1 << KEY_BITS, "a place has a number");
_Static_assert(TREES_DEPTH_MOST * KEY_BITS < 64, "all numbers fit into a key");

/* A place of the search: a buffer, of which tasks get place_bytes(). */
struct place {
	int64_t bound;
	int32_t decisions;
	struct branch_decision
		decision[BRANCH_DECISIONS_MOST * TREES_DEPTH_MOST];
	int64_t multiplier[ONETREE_CITIES]; /* those of all cities */
};

static uint32_t
place_bytes(const struct onetree_graph *graph)
{
	return (uint32_t)(offsetof(struct place, multiplier) +
			  (size_t)graph->cities * sizeof(int64_t));
}

struct shared_branch {
	struct branch_hunt hunt; /* first: the functions below cast it */
	struct stn_frame *frame;
	struct stn_bound least;
};

static void
shared_found(struct branch_hunt *hunt, int64_t length)
{
	struct shared_branch *shared = (struct shared_branch *)hunt;
	uint8_t order[ONETREE_CITIES] = { 0 };
	STN_FRAME = shared->frame;

	onetree_order(&hunt->tree, order);
	STN_IMPROVE(shared->least, length, hunt->key, order, sizeof(order));
}

static void
shared_look(struct branch_hunt *hunt, int trees)
{
	STN_FRAME = ((struct shared_branch *)hunt)->frame;

	STN_POLL((uint64_t)trees);
}

static void
begin_hunt(STN_FRAME, struct shared_branch *shared,
	   const struct onetree_graph *graph, const struct place *place,
	   struct stn_bound least, uint64_t key)
{
	struct branch_hunt *hunt = &shared->hunt;

	hunt->decisions = place->decisions;
	memcpy(hunt->decision, place->decision,
	       (size_t)place->decisions * sizeof(place->decision[0]));
	hunt->graph = graph;
	hunt->key = key;
	hunt->best = STN_BOUND_AT(least);
	hunt->found = shared_found;
	hunt->look = shared_look;
	shared->frame = stn_frame;
	shared->least = least;
}

/* Not inlined: the task's frame would hold the hunt while other tasks run. */
static __attribute__((noinline)) void
search_leaf(STN_FRAME, const struct onetree_graph *graph,
	    const struct place *place, struct stn_bound least, uint64_t key)
{
	struct shared_branch shared;

	begin_hunt(STN_PASS_FRAME, &shared, graph, place, least, key);
	branch_hunt_on(&shared.hunt, place->bound, place->multiplier);
}

static __attribute__((noinline)) bool
look(STN_FRAME, const struct onetree_graph *graph, const struct place *place,
     struct stn_bound least, uint64_t key, struct branch_places *places_p)
{
	struct shared_branch shared;

	begin_hunt(STN_PASS_FRAME, &shared, graph, place, least, key);
	return branch_look(&shared.hunt, place->multiplier, places_p);
}

/* The place number @i of those that follow @place. */
static void
follow(const struct place *place, const struct branch_places *places, int i,
       struct place *next)
{
	memset(next, 0, sizeof(*next)); /* its padding is sent, too */
	next->bound = places->place[i].bound;
	next->decisions = place->decisions;
	memcpy(next->decision, place->decision,
	       (size_t)place->decisions * sizeof(place->decision[0]));
	for (int j = 0; j < places->place[i].decisions; j++)
		next->decision[next->decisions++] =
			places->place[i].decision[j];
	memcpy(next->multiplier, places->multiplier, sizeof(next->multiplier));
}

/*
 * The units of the place with this key at @level <= TOLD_LEVELS. The first of
 * the next places has half of its units, each of the two others a quarter.
 */
static uint64_t
units(uint64_t key, int32_t level)
{
	int shift = 2 * TOLD_LEVELS;

	for (int32_t i = 1; i <= level; i++)
		shift -= key >> (64 - KEY_BITS * i) & ((1 << KEY_BITS) - 1) ? 2
									    : 1;
	return UINT64_C(1) << shift;
}

/* The units that are done when the @count places that follow are done. */
static uint64_t
units_left(uint64_t key, int32_t level, int count)
{
	uint64_t all = units(key, level);

	if (level == TOLD_LEVELS || !count)
		return all;
	return (all >> 2) * (uint64_t)(BRANCH_PLACES_MOST - count);
}

/*
 * Spawns the first place last, so that a worker that nobody steals from
 * searches in search order.
 */
STN_TASK_VOID(branch, struct stn_in, all, struct stn_in, here, int32_t, level,
	      int32_t, depth, struct stn_bound, least, uint64_t, key)
{
	const struct onetree_graph *graph = all.at;
	const struct place *place = here.at;
	struct place next[BRANCH_PLACES_MOST];
	struct branch_places places;
	bool cut = branch_cuts(STN_BOUND_AT(least), place->bound, key);

	places.count = 0;
	if (!cut && level == depth)
		search_leaf(STN_PASS_FRAME, graph, place, least, key);
	else if (!cut &&
		 !look(STN_PASS_FRAME, graph, place, least, key, &places))
		places.count = 0;
	for (int i = places.count - 1; i >= 0; i--) {
		follow(place, &places, i, &next[i]);
		STN_SPAWN(branch, all,
			  STN_IN((const unsigned char *)&next[i],
				 place_bytes(graph)),
			  level + 1, depth, least,
			  key | (uint64_t)i << (64 - KEY_BITS * (level + 1)));
	}
	for (int i = 0; i < places.count; i++)
		STN_SYNC(branch);
	if (level <= TOLD_LEVELS)
		STN_PROGRESS(units_left(key, level, places.count), 0);
}

struct branch_tour
trees_shared(STN_FRAME, const struct onetree_graph *graph, int64_t bound,
	     const int64_t *multiplier, int depth, struct show *show)
{
	struct stn_bound least = STN_BOUND_MIN(graph->limit);
	struct branch_tour best = { 0 };
	struct place start;

	memset(&start, 0, sizeof(start)); /* its padding, too */
	start.bound = bound;
	memcpy(start.multiplier, multiplier, sizeof(start.multiplier));
	if (depth > TREES_DEPTH_MOST)
		depth = TREES_DEPTH_MOST;
	show->bytes = sizeof(best.order);
	show_begin(STN_PASS_FRAME, show, least);
	STN_PROGRESS(0, units(0, 0));
	STN_CALL(branch,
		 STN_IN((const unsigned char *)graph, onetree_bytes(graph)),
		 STN_IN((const unsigned char *)&start, place_bytes(graph)), 0,
		 depth, least, 0);
	show_end(show);
	STN_PROGRESS_END();
	best.length = STN_BEST(least, best.order, sizeof(best.order));
	return best;
}
