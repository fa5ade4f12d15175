#include "apps/knapsack/search.h"

struct search {
	const struct knapsack *problem;
	uint64_t taken; /* items of the choice that is being tried */
	struct knapsack_choice best;
	uint64_t nodes;
};

struct knapsack_state
knapsack_start(const struct knapsack *problem, int depth)
{
	struct knapsack_state state = { .depth = depth };

	for (int i = 0; i < problem->measures; i++)
		state.room[i] = problem->room[i];
	return state;
}

int64_t
knapsack_bound(const struct knapsack *problem,
	       const struct knapsack_state *state)
{
	const struct knapsack_item *item = &problem->item[state->next];
	const struct knapsack_item *end = &problem->item[problem->items];
	int64_t room = 0, value = state->value;

	for (int i = 0; i < problem->measures; i++)
		room += problem->factor[i] * state->room[i];
	for (; item < end && item->load <= room; item++) {
		room -= item->load;
		value += item->value;
	}
	if (item == end)
		return value;
	/* Adds 1 because the result is rounded down. */
	return value + 1 +
	       (int64_t)((double)item->value * (double)room /
			 (double)item->load);
}

static void
go_on(struct search *search, struct knapsack_state state)
{
	const struct knapsack *problem = search->problem;
	uint64_t bit = 1ull << state.next;

	search->nodes++;
	if (state.next == problem->items) {
		if (state.value > search->best.value)
			search->best =
				(struct knapsack_choice){ state.value,
							  search->taken };
		return;
	}
	if (knapsack_fits(problem, &state)) {
		search->taken |= bit;
		go_on(search, knapsack_take(problem, state));
		search->taken &= ~bit;
	}
	state = knapsack_leave(state);
	if (knapsack_bound(problem, &state) > search->best.value)
		go_on(search, state);
}

struct knapsack_choice
knapsack_search(const struct knapsack *problem, struct knapsack_state state,
		int64_t limit, uint64_t *nodes_p)
{
	struct search search = { .problem = problem, .best.value = limit };

	go_on(&search, state);
	*nodes_p = search.nodes;
	return search.best;
}
