#include "apps/setcover/shared.h"

#define SET_BITS 10    /* of a set in a key */
#define TOLD_CHOICES 2 /* the tasks after so many are the units of progress */

_Static_assert(SETCOVER_SETS_MOST <= 1 << SET_BITS, "a set fits into its bits");
_Static_assert(SETCOVER_SHARED_DEPTH_MOST * SET_BITS <= 64, "sets fit");

struct shared_hunt {
	struct setcover_hunt hunt; /* first: the functions below cast it */
	struct stn_frame *frame;
	struct stn_bound least;
};

/* The part of a key that says: choice @number is set @set. */
static uint64_t
key_part(int32_t number, int set)
{
	return (uint64_t)set << (64 - SET_BITS * (number + 1));
}

/*
 * The state after the first @choices sets of the key, which are marked in
 * @trying. Each element is in a set, so all sets have all elements.
 */
static struct setcover_state
state_of(const struct setcover_hunt *hunt, int32_t choices,
	 struct setcover_cover *trying)
{
	struct setcover_state state = { .cost = 0 };

	for (int i = 0; i < hunt->sets; i++)
		for (int j = 0; j < SETCOVER_WORDS; j++)
			state.open[j] |= hunt->set[i].elements[j];
	for (int32_t i = 0; i < choices; i++) {
		int set = (int)(hunt->key >> (64 - SET_BITS * (i + 1)) &
				((1 << SET_BITS) - 1));

		state = setcover_choose(state, &hunt->set[set]);
		setcover_mark(trying, set);
	}
	return state;
}

static void
shared_found(struct setcover_hunt *hunt, int64_t cost)
{
	struct shared_hunt *shared = (struct shared_hunt *)hunt;
	STN_FRAME = shared->frame;

	STN_IMPROVE(shared->least, cost, hunt->key, hunt->trying.chosen,
		    sizeof(hunt->trying.chosen));
}

static void
shared_look(struct setcover_hunt *hunt)
{
	STN_FRAME = ((struct shared_hunt *)hunt)->frame;

	STN_POLL(1);
}

/* The number of tasks @choices choices below a state. */
static uint64_t
units(const struct setcover_set *set, int32_t sets, struct setcover_state state,
      int32_t choices)
{
	int32_t element = setcover_open(&state);
	uint64_t count = 0;

	if (choices < 0)
		return 0;
	if (choices == 0 || element < 0)
		return 1;
	for (int32_t i = 0; i < sets; i++)
		if (setcover_has(&set[i], element))
			count += units(set, sets,
				       setcover_choose(state, &set[i]),
				       choices - 1);
	return count;
}

/*
 * Spawns the first set last, so that a worker that nobody steals from searches
 * in search order.
 */
STN_TASK_VOID(shared_cover, struct stn_in, all, int32_t, sets, int32_t, chosen,
	      int32_t, depth, struct stn_bound, least, uint64_t, key)
{
	struct shared_hunt shared = { .hunt = { .set = all.at,
						.sets = sets,
						.key = key,
						.best = STN_BOUND_AT(least),
						.found = shared_found,
						.look = shared_look },
				      .frame = stn_frame,
				      .least = least };
	const struct setcover_set *set = all.at;
	struct setcover_state state =
		state_of(&shared.hunt, chosen, &shared.hunt.trying);
	int32_t element = setcover_open(&state), spawned = 0;

	if (chosen == depth || element < 0) {
		setcover_hunt_on(&shared.hunt, state);
		STN_PROGRESS(units(set, sets, state, TOLD_CHOICES - chosen), 0);
		return;
	}
	STN_POLL(1);
	if (STN_CUTS_MIN(shared.hunt.best,
			 state.cost + setcover_bound(set, sets, &state), key)) {
		STN_PROGRESS(units(set, sets, state, TOLD_CHOICES - chosen), 0);
		return;
	}
	for (int32_t i = sets - 1; i >= 0; i--) {
		if (!setcover_has(&set[i], element))
			continue;
		STN_SPAWN(shared_cover, all, sets, chosen + 1, depth, least,
			  key | key_part(chosen, i));
		spawned++;
	}
	while (spawned--)
		STN_SYNC(shared_cover);
	STN_PROGRESS(chosen == TOLD_CHOICES, 0);
}

struct setcover_cover
setcover_shared(STN_FRAME, const struct setcover *problem, int64_t limit,
		int32_t depth, struct show *show)
{
	struct stn_bound least = STN_BOUND_MIN(limit);
	struct setcover_cover best = { 0 };

	if (depth > SETCOVER_SHARED_DEPTH_MOST)
		depth = SETCOVER_SHARED_DEPTH_MOST;
	show->bytes = sizeof(best.chosen);
	show_begin(STN_PASS_FRAME, show, least);
	STN_PROGRESS(0, units(problem->set, problem->sets,
			      setcover_start(problem), TOLD_CHOICES));
	STN_CALL(shared_cover, STN_IN(problem->set, problem->sets),
		 problem->sets, 0, depth, least, 0);
	show_end(show);
	STN_PROGRESS_END();
	best.cost = STN_BEST(least, best.chosen, sizeof(best.chosen));
	return best;
}
