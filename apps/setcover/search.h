/*
 * search.h: the cheapest cover, by branch and bound. Plain C: the tasks of
 * setcover.c and shared.c divide the first choices, and this search does the
 * rest.
 *
 * The search order: of the elements that are not covered yet, the element in
 * the fewest sets comes next. The search covers it by each of its sets in turn,
 * the set with the lowest cost per element first. Of equally cheap covers the
 * first in search order counts, so that the answer doesn't depend on how the
 * search was divided.
 */
#ifndef SETCOVER_SEARCH_H
#define SETCOVER_SEARCH_H

#include <sateen.h>

#include "apps/setcover/problem.h"

#define SETCOVER_CHOSEN_WORDS (SETCOVER_SETS_MOST / 64)

/* A state of the search: the open elements, and the cost of the chosen sets. */
struct setcover_state {
	uint64_t open[SETCOVER_WORDS]; /* a bit for each element */
	int64_t cost;
};

/* A cover from some state on: its cost, and its sets. */
struct setcover_cover {
	int64_t cost;
	uint64_t chosen[SETCOVER_CHOSEN_WORDS];
};

/*
 * setcover_sort: brings a problem's elements and sets into the search order.
 * The elements that are in the fewest sets come first, and the cheapest sets.
 */
void setcover_sort(struct setcover *problem);

/* setcover_start: the state in which no set is chosen. */
struct setcover_state setcover_start(const struct setcover *problem);

/* setcover_open: the element to cover next, or -1 if all are covered. */
static inline int
setcover_open(const struct setcover_state *state)
{
	for (int i = 0; i < SETCOVER_WORDS; i++)
		if (state->open[i])
			return 64 * i + __builtin_ctzll(state->open[i]);
	return -1;
}

/* setcover_choose: the state after @set was chosen, too. */
static inline struct setcover_state
setcover_choose(struct setcover_state state, const struct setcover_set *set)
{
	for (int i = 0; i < SETCOVER_WORDS; i++)
		state.open[i] &= ~set->elements[i];
	state.cost += set->cost;
	return state;
}

/* setcover_gain: the number of open elements in a set. */
static inline int
setcover_gain(const struct setcover_set *set,
	      const struct setcover_state *state)
{
	int count = 0, i;

	for (i = 0; i < SETCOVER_WORDS; i++)
		count +=
			__builtin_popcountll(set->elements[i] & state->open[i]);
	return count;
}

static inline void
setcover_mark(struct setcover_cover *cover, int set)
{
	cover->chosen[set / 64] |= 1ull << set % 64;
}

static inline bool
setcover_marked(const struct setcover_cover *cover, int set)
{
	return cover->chosen[set / 64] >> set % 64 & 1;
}

/* setcover_bound: no cover of the open elements of @state costs less. */
int64_t setcover_bound(const struct setcover_set *set, int sets,
		       const struct setcover_state *state);

/*
 * The arguments of a search that begins with a state: the sets, the state's
 * key, the incumbent, and functions that the search calls.
 */
struct setcover_hunt {
	const struct setcover_set *set;
	int sets;
	uint64_t key; /* of the state that it begins with */
	const struct stn_incumbent *best;
	struct setcover_cover trying; /* the sets chosen; the caller sets those
				       * of the state it begins with */

	/* The sets of @trying are a cover of that cost, better than *best. */
	void (*found)(struct setcover_hunt *hunt, int64_t cost);

	/* Called for each state; may be NULL. */
	void (*look)(struct setcover_hunt *hunt);
	uint64_t states; /* number of states that it has looked at */
};

/* setcover_hunt_on: searches from @state. */
void setcover_hunt_on(struct setcover_hunt *hunt, struct setcover_state state);

/*
 * setcover_search: the cheapest cover with the chosen sets of @state, if it is
 * cheaper than @limit. The result's sets are those that are chosen after
 * @state. If there is no such cover, the result's cost is @limit. @nodes_p
 * receives the number of states that it looked at.
 */
struct setcover_cover setcover_search(const struct setcover_set *set, int sets,
				      struct setcover_state state,
				      int64_t limit, uint64_t *nodes_p);

/*
 * setcover_guess: a good cover, though not always the cheapest. Makes a cover
 * that begins with each of the sets; each further set is the one that costs
 * least for each open element. Returns the cheapest of these covers. All parts
 * of a divided search know its cost from the start, as their limit.
 */
struct setcover_cover setcover_guess(const struct setcover *problem);

#endif
