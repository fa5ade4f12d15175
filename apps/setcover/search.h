/*
 * search.h: the cheapest cover, by branch and bound. Plain C: the tasks of
 * setcover.c share out the first choices, and this does the rest.
 *
 * Of the elements that are not covered yet, the one in the fewest sets is
 * covered next, by each of its sets in turn, the one with the lowest cost per
 * element first. That is the search order. Of equally cheap covers the first
 * in it counts, so that the answer doesn't depend on how the search was shared
 * out.
 */
#ifndef SETCOVER_SEARCH_H
#define SETCOVER_SEARCH_H

#include "apps/setcover/problem.h"

#define SETCOVER_CHOSEN_WORDS (SETCOVER_SETS_MOST / 64)

/* Some sets were chosen: what is still open, and what they cost. */
struct setcover_state {
	uint64_t open[SETCOVER_WORDS]; /* a bit for each element */
	int64_t cost;
};

/* A cover's cost, and its sets, from some state on. */
struct setcover_cover {
	int64_t cost;
	uint64_t chosen[SETCOVER_CHOSEN_WORDS];
};

/*
 * setcover_sort: brings a problem's elements and sets into the search order:
 * elements in the fewest sets and the cheapest sets come first.
 */
void setcover_sort(struct setcover *problem);

/* setcover_start: nothing chosen. */
struct setcover_state setcover_start(const struct setcover *problem);

/* setcover_open: the element to cover next, or -1 if all are covered. */
static inline int
setcover_open(const struct setcover_state *state)
{
	int i;

	for (i = 0; i < SETCOVER_WORDS; i++)
		if (state->open[i])
			return 64 * i + __builtin_ctzll(state->open[i]);
	return -1;
}

/* setcover_choose: the state after one more set was chosen. */
static inline struct setcover_state
setcover_choose(struct setcover_state state, const struct setcover_set *set)
{
	int i;

	for (i = 0; i < SETCOVER_WORDS; i++)
		state.open[i] &= ~set->elements[i];
	state.cost += set->cost;
	return state;
}

/* setcover_gain: how many open elements a set would cover. */
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

/* setcover_bound: no cover of what is open in @state costs less. */
int64_t setcover_bound(const struct setcover_set *set, int sets,
		       const struct setcover_state *state);

/*
 * setcover_search: the cheapest cover with what is chosen in @state, if it is
 * cheaper than @limit; chosen says how it goes on from there. If there is
 * none, the cost is @limit.
 * @nodes_p  how many states it looked at
 */
struct setcover_cover setcover_search(const struct setcover_set *set, int sets,
				      struct setcover_state state,
				      int64_t limit, uint64_t *nodes_p);

/*
 * setcover_guess: some good cover: from each set on, always the set is chosen
 * that costs least for an open element, and the cheapest of these covers is
 * taken. Its cost is a limit to search with that all parts of a shared-out
 * search know from the start.
 */
struct setcover_cover setcover_guess(const struct setcover *problem);

#endif
