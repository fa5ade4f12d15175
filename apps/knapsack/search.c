#include "apps/knapsack/search.h"

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

void
knapsack_hunt_on(struct knapsack_hunt *hunt, struct knapsack_state state,
		 uint64_t key)
{
	const struct knapsack *problem = hunt->problem;

	if (!(++hunt->states % KNAPSACK_LOOK) && hunt->look)
		hunt->look(hunt);
	if (state.next == problem->items) {
		if (!STN_CUTS_MAX(hunt->best, state.value, key))
			hunt->found(hunt, state.value, key);
		return;
	}
	if (knapsack_fits(problem, &state))
		knapsack_hunt_on(hunt, knapsack_take(problem, state), key);
	key |= knapsack_left(state.next);
	state = knapsack_leave(state);
	if (!STN_CUTS_MAX(hunt->best, knapsack_bound(problem, &state), key))
		knapsack_hunt_on(hunt, state, key);
}

uint64_t
knapsack_taken(const struct knapsack *problem, int first, uint64_t key)
{
	uint64_t taken = 0;

	for (int i = first; i < problem->items; i++)
		if (!(key & knapsack_left(i)))
			taken |= 1ull << i;
	return taken;
}

/* A hunt whose incumbent no other hunt sees. */
struct lone_hunt {
	struct knapsack_hunt hunt; /* first: found casts it */
	struct stn_incumbent best;
	bool any;
};

static void
lone_found(struct knapsack_hunt *hunt, int64_t value, uint64_t key)
{
	struct lone_hunt *lone = (struct lone_hunt *)hunt;

	lone->best = (struct stn_incumbent){ value, key };
	lone->any = true;
}

struct knapsack_choice
knapsack_search(const struct knapsack *problem, struct knapsack_state state,
		int64_t limit, uint64_t *nodes_p)
{
	struct lone_hunt lone = { .hunt = { .problem = problem,
					    .best = &lone.best,
					    .found = lone_found },
				  .best.value = limit };
	struct knapsack_choice best = { .value = limit };

	knapsack_hunt_on(&lone.hunt, state, 0);
	*nodes_p = lone.hunt.states;
	if (lone.any)
		best = (struct knapsack_choice){
			lone.best.value,
			knapsack_taken(problem, state.next, lone.best.key)
		};
	return best;
}
