#include "apps/knapsack/shared.h"

#define TOLD_MOST 10 /* items whose choices are units of progress */

/* A state in an argument: its value follows from the key. */
struct place {
	uint64_t key;
	int32_t room[KNAPSACK_MEASURES_MOST];
	int32_t next, depth;
};

static struct knapsack_state
state_of(const struct knapsack *problem, const struct place *place)
{
	struct knapsack_state state = { .next = place->next,
					.depth = place->depth };

	for (int i = 0; i < problem->measures; i++)
		state.room[i] = place->room[i];
	for (int i = 0; i < place->next; i++)
		if (!(place->key & knapsack_left(i)))
			state.value += problem->item[i].value;
	return state;
}

static struct place
place_of(const struct knapsack_state *state, uint64_t key)
{
	struct place place = { .key = key,
			       .next = state->next,
			       .depth = state->depth };

	for (int i = 0; i < KNAPSACK_MEASURES_MOST; i++)
		place.room[i] = state->room[i];
	return place;
}

struct shared_hunt {
	struct knapsack_hunt hunt; /* first: the functions below cast it */
	struct stn_frame *frame;
	struct stn_bound most;
};

static void
shared_found(struct knapsack_hunt *hunt, int64_t value, uint64_t key)
{
	struct shared_hunt *shared = (struct shared_hunt *)hunt;
	STN_FRAME = shared->frame;

	STN_IMPROVE(shared->most, value, key, &key, sizeof(key));
}

static void
shared_look(struct knapsack_hunt *hunt)
{
	STN_FRAME = ((struct shared_hunt *)hunt)->frame;

	STN_POLL(KNAPSACK_LOOK);
}

/*
 * The units of progress of a place whose first @next items are decided: half of
 * those of the place before. The places of @told items have one each.
 */
static uint64_t
units(int32_t next, int32_t told)
{
	return next > told ? 0 : UINT64_C(1) << (told - next);
}

/* The number of items whose places have units: all of them have tasks. */
static int32_t
told_items(const struct knapsack *problem, int32_t depth)
{
	int32_t told = depth < problem->items ? depth : problem->items;

	return told < TOLD_MOST ? told : TOLD_MOST;
}

static void
search_leaf(STN_FRAME, const struct knapsack *problem, struct stn_bound most,
	    struct knapsack_state state, uint64_t key)
{
	struct shared_hunt shared = { .hunt = { .problem = problem,
						.best = STN_BOUND_AT(most),
						.found = shared_found,
						.look = shared_look },
				      .frame = stn_frame,
				      .most = most };

	knapsack_hunt_on(&shared.hunt, state, key);
	STN_WORK(shared.hunt.states % KNAPSACK_LOOK);
}

/*
 * The call takes the next item, and the spawned call leaves it: so a worker
 * that nobody steals from searches in search order.
 */
STN_TASK_VOID(hunt, struct stn_in, problem, struct stn_bound, most,
	      struct place, place)
{
	const struct knapsack *all = problem.at;
	struct knapsack_state state = state_of(all, &place), left;
	int32_t told = told_items(all, state.depth);

	if (STN_CUTS_MAX(STN_BOUND_AT(most), knapsack_bound(all, &state),
			 place.key)) {
		STN_PROGRESS(units(state.next, told), 0);
		return;
	}
	if (state.next == state.depth || state.next == all->items) {
		search_leaf(STN_PASS_FRAME, all, most, state, place.key);
		STN_PROGRESS(units(state.next, told), 0);
		return;
	}
	STN_WORK(1);
	left = knapsack_leave(state);
	STN_SPAWN(hunt, problem, most,
		  place_of(&left, place.key | knapsack_left(state.next)));
	if (knapsack_fits(all, &state)) {
		state = knapsack_take(all, state);
		STN_CALL(hunt, problem, most, place_of(&state, place.key));
	} else {
		STN_PROGRESS(units(place.next + 1, told), 0);
	}
	STN_SYNC(hunt);
	STN_PROGRESS(place.next == told, 0);
}

struct knapsack_choice
knapsack_shared(STN_FRAME, const struct knapsack *problem, int depth,
		int64_t limit, struct show *show)
{
	struct knapsack_state start = knapsack_start(problem, depth);
	struct stn_bound most = STN_BOUND_MAX(limit);
	struct knapsack_choice best = { 0 };
	uint64_t key = 0;

	show->bytes = sizeof(key);
	show_begin(STN_PASS_FRAME, show, most);
	STN_PROGRESS(0, units(0, told_items(problem, start.depth)));
	STN_CALL(
		hunt,
		STN_IN((const unsigned char *)problem, knapsack_bytes(problem)),
		most, place_of(&start, 0));
	show_end(show);
	STN_PROGRESS_END();
	best.value = STN_BEST(most, &key, sizeof(key));
	best.taken = knapsack_taken(problem, 0, key);
	return best;
}
