#include "apps/tsp/shared.h"

#include <string.h>

#define PLACE_BITS 6 /* of a hop in its row */

struct shared_hunt {
	struct tsp_hunt hunt; /* first: the functions below cast it */
	struct stn_frame *frame;
	struct stn_bound least;
};

/* The part of a key that says: hop @number of the tour is the row's hop @i. */
static uint64_t
key_part(int32_t number, int i)
{
	return (uint64_t)i << (64 - PLACE_BITS * (number + 1));
}

/* The cities of the first @hops hops. */
static void
begin_order(struct tsp_hunt *hunt, int32_t hops)
{
	int32_t city = 0;

	hunt->order[0] = 0;
	for (int32_t i = 0; i < hops; i++) {
		uint64_t place = hunt->key >> (64 - PLACE_BITS * (i + 1)) &
				 ((1 << PLACE_BITS) - 1);

		city = tsp_row(hunt->map, hunt->cities, city)[place].city;
		hunt->order[i + 1] = (uint8_t)city;
	}
}

static void
shared_found(struct tsp_hunt *hunt, int64_t length)
{
	struct shared_hunt *shared = (struct shared_hunt *)hunt;
	STN_FRAME = shared->frame;

	STN_IMPROVE(shared->least, length, hunt->key, hunt->order,
		    sizeof(hunt->order));
}

static void
shared_look(struct tsp_hunt *hunt)
{
	STN_FRAME = ((struct shared_hunt *)hunt)->frame;

	STN_POLL(TSP_LOOK);
}

static void
search_leaf(STN_FRAME, struct tsp_hunt hunt, struct stn_bound least,
	    struct tsp_path path)
{
	struct shared_hunt shared = { hunt, stn_frame, least };

	shared.hunt.found = shared_found;
	shared.hunt.look = shared_look;
	begin_order(&shared.hunt, path.hops);
	tsp_hunt_on(&shared.hunt, path);
	STN_WORK(shared.hunt.paths % TSP_LOOK);
}

/* The units of a path: the number of ways to extend it to two hops. */
static uint64_t
units(int32_t cities, int32_t hops)
{
	uint64_t seconds = (uint64_t)cities - 2;

	if (hops == 0)
		return (seconds + 1) * seconds;
	return hops == 1 ? seconds : hops == 2;
}

/*
 * Spawns the nearest city last, so that a worker that nobody steals from
 * searches in search order. A call that another one makes superfluous meanwhile
 * is cut when it begins.
 */
STN_TASK_VOID(hunt, struct stn_in, map, int32_t, cities, int32_t, depth,
	      struct stn_bound, least, struct tsp_path, path, uint64_t, key)
{
	struct tsp_hunt hunt = { .map = map.at,
				 .cities = cities,
				 .key = key,
				 .best = STN_BOUND_AT(least) };
	const struct tsp_hop *row = tsp_row(map.at, cities, path.city);
	uint64_t cut = 0; /* cities */
	int spawned = 0;

	if (STN_CUTS_MIN(hunt.best, path.bound, key)) {
		STN_PROGRESS(units(cities, path.hops), 0);
		return;
	}
	if (path.hops == depth || path.hops == cities - 1) {
		search_leaf(STN_PASS_FRAME, hunt, least, path);
		STN_PROGRESS(units(cities, path.hops), 0);
		return;
	}
	STN_WORK(1);
	for (int i = cities - 2; i >= 0; i--) {
		if (path.visited >> row[i].city & 1)
			continue;
		if (STN_CUTS_MIN(hunt.best, tsp_bound(path, row, i), key)) {
			cut++;
			continue;
		}
		STN_SPAWN(hunt, map, cities, depth, least,
			  tsp_extend(path, row, i),
			  key | key_part(path.hops, i));
		spawned++;
	}
	while (spawned--)
		STN_SYNC(hunt);
	STN_PROGRESS((path.hops == 2) + cut * units(cities, path.hops + 1), 0);
}

struct tsp_tour
tsp_shared(STN_FRAME, const struct tsp_hop *map, int32_t cities, int64_t limit,
	   int32_t depth, struct show *show)
{
	struct stn_bound least = STN_BOUND_MIN(limit);
	struct tsp_tour best = { 0 };

	if (depth > TSP_SHARED_DEPTH_MOST)
		depth = TSP_SHARED_DEPTH_MOST;
	show->bytes = sizeof(best.order);
	show_begin(STN_PASS_FRAME, show, least);
	STN_PROGRESS(0, units(cities, 0));
	STN_CALL(hunt, STN_IN(map, cities * cities), cities, depth, least,
		 tsp_start(map, cities), 0);
	show_end(show);
	STN_PROGRESS_END();
	best.length = STN_BEST(least, best.order, sizeof(best.order));
	return best;
}
