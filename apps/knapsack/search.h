/*
 * search.h: the best choice of items, by branch and bound. Plain C: the tasks
 * of knapsack.c divide the choices of the first items, and this search does the
 * rest.
 *
 * The search order: items come by value per load, the highest first. For each
 * item, the search first takes it, if it fits, and then leaves it out. Of
 * equally good choices the first in search order counts, so that the answer
 * doesn't depend on how the search was divided.
 */
#ifndef KNAPSACK_SEARCH_H
#define KNAPSACK_SEARCH_H

#include <sateen.h>

#include "apps/knapsack/problem.h"

/* A state of the search: the items before @next are decided. */
struct knapsack_state {
	int64_t value;
	int32_t room[KNAPSACK_MEASURES_MOST]; /* that is left */
	int32_t next;
	int32_t depth; /* the choices of the items before it are tasks */
};

/* A choice from some state on: its value, and a bit for each item taken. */
struct knapsack_choice {
	int64_t value;
	uint64_t taken;
};

/*
 * knapsack_sort: brings a problem's items into the search order, and sets loads
 * and factors. An item's load is the sum of its weights, each times the factor
 * of its measure. The factors depend on the room, and are chosen so that the
 * bound is low. With one measure the load is the weight.
 */
void knapsack_sort(struct knapsack *problem);

/* knapsack_start: no item is decided; the first @depth choices are tasks. */
struct knapsack_state knapsack_start(const struct knapsack *problem, int depth);

/*
 * knapsack_bound: no choice that goes on from @state is worth more. A choice
 * that fits by all measures also fits by the load. By the load alone, the best
 * that can be done is to take items in search order while there is room, and
 * then the part of the next item that fits.
 */
int64_t knapsack_bound(const struct knapsack *problem,
		       const struct knapsack_state *state);

/* knapsack_fits: true if the next item fits. */
static inline bool
knapsack_fits(const struct knapsack *problem,
	      const struct knapsack_state *state)
{
	const int32_t *weight = problem->item[state->next].weight;

	for (int i = 0; i < problem->measures; i++)
		if (weight[i] > state->room[i])
			return false;
	return true;
}

static inline struct knapsack_state
knapsack_take(const struct knapsack *problem, struct knapsack_state state)
{
	const struct knapsack_item *item = &problem->item[state.next++];

	for (int i = 0; i < problem->measures; i++)
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
 * The arguments of a search that begins at a state: the problem, the incumbent,
 * and functions that the search calls. The key of a state has a bit for each
 * item that it leaves out, the first item's highest: so keys are in search
 * order, and a state's key is the lowest of all choices that go on from it.
 */
struct knapsack_hunt {
	const struct knapsack *problem;
	const struct stn_incumbent *best;

	/* A choice was found that is worth more than *best. */
	void (*found)(struct knapsack_hunt *hunt, int64_t value, uint64_t key);

	/* Called each KNAPSACK_LOOK states; may be NULL. */
	void (*look)(struct knapsack_hunt *hunt);
	uint64_t states; /* number of states that it has looked at */
};

#define KNAPSACK_LOOK 16

/* knapsack_hunt_on: searches from @state, whose key is @key. */
void knapsack_hunt_on(struct knapsack_hunt *hunt, struct knapsack_state state,
		      uint64_t key);

/* knapsack_left: the bit of item @next in a key. */
static inline uint64_t
knapsack_left(int next)
{
	return 1ull << (KNAPSACK_ITEMS_MOST - 1 - next);
}

/* knapsack_taken: a bit for each item from @first on that @key takes. */
uint64_t knapsack_taken(const struct knapsack *problem, int first,
			uint64_t key);

/*
 * knapsack_search: the best choice that goes on from @state, if it is worth
 * more than @limit. If there is none, the result's value is @limit. @nodes_p
 * receives the number of states that it looked at
 */
struct knapsack_choice knapsack_search(const struct knapsack *problem,
				       struct knapsack_state state,
				       int64_t limit, uint64_t *nodes_p);

/*
 * knapsack_guess: a good choice, though not always the best: takes each item
 * that fits, in order. All parts of a divided search know its value from the
 * start, as their limit.
 */
struct knapsack_choice knapsack_guess(const struct knapsack *problem);

#endif
