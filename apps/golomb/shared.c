#include "apps/golomb/shared.h"

#include <string.h>

#include "apps/golomb/floors.h"

#define GAP_BITS 8

/* A search that shares the best ruler. The key says where it begins. */
struct shared_hunt {
	struct golomb_hunt hunt; /* first: the functions below cast it */
	struct golomb_goal goal;
	struct stn_frame *frame;
	struct stn_bound best;
	const struct stn_incumbent *at;
	uint64_t key;
};

/* The part of a key that says: the gap before mark @index is @gap. */
static uint64_t
key_part(int index, int gap)
{
	return (uint64_t)gap << (64 - GAP_BITS * index);
}

/* The gap before mark @index. */
static int
gap_in(uint64_t key, int index)
{
	return (int)(key >> (64 - GAP_BITS * index) & ((1 << GAP_BITS) - 1));
}

/* The part of a key that says where the marks before mark @index are. */
static uint64_t
key_before(uint64_t key, int index)
{
	return index == 1 ? 0 : key & ~(key_part(index - 1, 1) - 1);
}

/* Sets the limit to the length of the longest ruler that would count. */
static void
learn(struct shared_hunt *shared)
{
	int64_t best = STN_BOUND_READ(shared->at);

	if (!shared->goal.any)
		shared->hunt.limit =
			(int)best - STN_CUTS_MIN(shared->at, best, shared->key);
	else if (STN_CLOSED(shared->at, shared->key))
		shared->hunt.limit = -1;
}

/*
 * Nodes that learn late of a better ruler also find the mirror image of one
 * that counts, for example with 12 marks on 64 nodes. It must not become the
 * answer, even if its key is the lower one of the two.
 */
static void
shared_found(struct golomb_hunt *hunt)
{
	struct shared_hunt *shared = (struct shared_hunt *)hunt;
	STN_FRAME = shared->frame;

	if (!golomb_is_left(hunt))
		return;
	if (shared->goal.any)
		STN_CLOSE(shared->best, shared->key, hunt->mark,
			  sizeof(hunt->mark));
	else
		STN_IMPROVE(shared->best, hunt->mark[hunt->marks - 1],
			    shared->key, hunt->mark, sizeof(hunt->mark));
	learn(shared);
}

static void
shared_look(struct golomb_hunt *hunt)
{
	struct shared_hunt *shared = (struct shared_hunt *)hunt;
	STN_FRAME = shared->frame;

	STN_POLL(GOLOMB_LOOK);
	learn(shared);
}

static struct shared_hunt
begin(STN_FRAME, struct golomb_goal goal, struct stn_bound best, uint64_t key,
      int count)
{
	struct shared_hunt shared = {
		.hunt = { .floors = golomb_floors(),
			  .marks = goal.marks,
			  .limit = goal.limit,
			  .found = shared_found,
			  .look = shared_look },
		.goal = goal,
		.frame = stn_frame,
		.best = best,
		.at = STN_BOUND_AT(best),
		.key = key,
	};
	uint8_t *mark = shared.hunt.mark;

	for (int i = 1; i < count; i++)
		mark[i] = (uint8_t)(mark[i - 1] + gap_in(key, i));
	learn(&shared);
	return shared;
}

/*
 * The units of progress: the places of the first mark in rulers that are no
 * longer than the published optimum, or @goal's limit.
 */
static int
units(struct golomb_goal goal)
{
	struct golomb_hunt hunt = {
		.floors = golomb_floors(),
		.marks = goal.marks,
		.limit = goal.any ? goal.limit : golomb_optimum(goal.marks)
	};
	int place = 0, next;

	while ((next = golomb_next(&hunt, 1, place)))
		place = next;
	return place;
}

/* The units from place @first on, up to @end. */
static uint64_t
units_between(struct golomb_goal goal, int first, int end)
{
	int all = units(goal);

	if (end > all + 1)
		end = all + 1;
	return first < end ? (uint64_t)(end - first) : 0;
}

/*
 * Searches the rulers that begin with @count marks, where the gap behind them
 * is at least @gap. A call has the first of these gaps, and a spawned call has
 * all others. So a worker that nobody steals from searches in search order, and
 * a thief gets the larger part of the work.
 */
STN_TASK(uint64_t, rulers, struct golomb_goal, goal, struct stn_bound, best,
	 uint64_t, key, int32_t, count, int32_t, gap, int32_t, depth)
{
	struct shared_hunt shared =
		begin(STN_PASS_FRAME, goal, best, key, count);
	struct golomb_hunt *hunt = &shared.hunt;
	int last = hunt->mark[count - 1], next;
	uint64_t places = gap == 1, prefix = key_before(key, count);

	if (count > depth) {
		golomb_hunt_on(hunt, count);
		STN_WORK(hunt->places % GOLOMB_LOOK);
		return hunt->places;
	}
	if (gap == 1 && !golomb_goes_on(hunt, count))
		return 0;
	STN_WORK(places);
	next = golomb_next(hunt, count, last + gap - 1);
	if (!next) {
		if (count == 1)
			STN_PROGRESS(units_between(goal, gap, INT32_MAX), 0);
		return places;
	}
	gap = next - last;
	STN_SPAWN(rulers, goal, best, prefix | key_part(count, gap + 1), count,
		  gap + 1, depth);
	places += STN_CALL(rulers, goal, best, prefix | key_part(count, gap),
			   count + 1, 1, depth);
	if (count == 1)
		STN_PROGRESS(units_between(goal, gap, gap + 1), 0);
	return places + STN_SYNC(rulers);
}

static int32_t
smaller(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

struct golomb_ruler
golomb_shared(STN_FRAME, struct golomb_goal goal, int32_t depth,
	      struct show *show)
{
	struct stn_bound best =
		goal.any ? STN_SCOPE() : STN_BOUND_MIN(goal.limit + 1);
	struct golomb_ruler ruler = { 0 };

	depth = smaller(smaller(depth, GOLOMB_DEPTH_MOST), goal.marks - 1);
	show->bytes = sizeof(ruler.mark);
	show_begin(STN_PASS_FRAME, show, best);
	STN_PROGRESS(0, depth ? (uint64_t)units(goal) : 0);
	ruler.places = STN_CALL(rulers, goal, best, 0, 1, 1, depth);
	show_end(show);
	STN_PROGRESS_END();
	STN_BEST(best, ruler.mark, sizeof(ruler.mark));
	ruler.found = ruler.mark[1] > 0;
	return ruler;
}

/* A search from which no other search learns. */
struct lone_hunt {
	struct golomb_hunt hunt; /* first: found casts it */
	struct golomb_ruler ruler;
	bool any;
};

static void
lone_found(struct golomb_hunt *hunt)
{
	struct lone_hunt *lone = (struct lone_hunt *)hunt;

	if (!golomb_is_left(hunt))
		return;
	lone->ruler.found = true;
	memcpy(lone->ruler.mark, hunt->mark, sizeof(hunt->mark));
	hunt->limit = lone->any ? -1 : hunt->mark[hunt->marks - 1] - 1;
}

static void
lone_look(struct golomb_hunt *hunt)
{
	(void)hunt;
}

struct golomb_ruler
golomb_alone(STN_FRAME, struct golomb_goal goal)
{
	struct lone_hunt lone = { .hunt = { .floors = golomb_floors(),
					    .marks = goal.marks,
					    .limit = goal.limit,
					    .found = lone_found,
					    .look = lone_look },
				  .any = goal.any };

	golomb_hunt_on(&lone.hunt, 1);
	STN_WORK(lone.hunt.places);
	lone.ruler.places = lone.hunt.places;
	return lone.ruler;
}
