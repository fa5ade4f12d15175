/*
 * search.h: what is worth most and fits in, by branch and bound. Plain C: the
 * tasks of knapsack.c share out the first items, and this does the rest.
 *
 * Items are looked at by their value per load, the highest first; each is
 * taken, if it fits, and then left out. That is the search order. Of equally
 * good choices the first in it counts, so that the answer doesn't depend on
 * how the search was shared out.
 */
#ifndef KNAPSACK_SEARCH_H
#define KNAPSACK_SEARCH_H

#include "apps/knapsack/problem.h"

/* The items before @next were taken or left out. */
struct knapsack_state {
	int64_t value;
	int32_t room[KNAPSACK_MEASURES_MOST]; /* what is left of it */
	int32_t next;
	int32_t depth; /* the choices of items before this one are tasks */
};

/* A value, and a bit for each item taken, from some state on. */
struct knapsack_choice {
	int64_t value;
	uint64_t taken;
};

/*
 * knapsack_sort: brings a problem's items into the search order. An item's
 * load is the sum of its weights, each times a factor. These are chosen, after
 * the room there is, so that the bound is low; with one measure the load is
 * just the weight.
 */
void knapsack_sort(struct knapsack *problem);

/* knapsack_start: nothing taken yet; the first @depth choices will be tasks. */
struct knapsack_state knapsack_start(const struct knapsack *problem, int depth);

/*
 * knapsack_bound: nothing is worth more that goes on from @state: whatever
 * fits by all measures fits by the load, so it can't be worth more than if
 * items were taken in order as far as there is room for their load, and of the
 * next one as large a part as fits.
 */
int64_t knapsack_bound(const struct knapsack *problem,
		       const struct knapsack_state *state);

/* knapsack_fits: may the next item be taken? */
static inline bool
knapsack_fits(const struct knapsack *problem,
	      const struct knapsack_state *state)
{
	const int32_t *weight = problem->item[state->next].weight;
	int i;

	for (i = 0; i < problem->measures; i++)
		if (weight[i] > state->room[i])
			return false;
	return true;
}

static inline struct knapsack_state
knapsack_take(const struct knapsack *problem, struct knapsack_state state)
{
	const struct knapsack_item *item = &problem->item[state.next++];
	int i;

	for (i = 0; i < problem->measures; i++)
		state.room[i] -= item->weight[i];
	state.value += item->value;
	return state;
}

static inline struct knapsack_state
knapsack_leave(struct knapsack_state state)
{
	state.next++;
	return state;
}

/*
 * knapsack_search: what is worth most that goes on from @state, if it is worth
 * more than @limit. If nothing is, the value is @limit.
 * @nodes_p  how many states it looked at
 */
struct knapsack_choice knapsack_search(const struct knapsack *problem,
				       struct knapsack_state state,
				       int64_t limit, uint64_t *nodes_p);

/*
 * knapsack_guess: some good choice: each item that fits is taken, in order.
 * Its value is a limit to search with that all parts of a shared-out search
 * know from the start.
 */
struct knapsack_choice knapsack_guess(const struct knapsack *problem);

#endif
