/*
 * search.h: the shortest tour, by branch and bound with distances. Plain C: the
 * tasks of tsp.c and shared.c divide the first hops, and this search does the
 * rest.
 *
 * The search order: a tour begins at city 0, and from each city the search
 * tries the nearest city first. Of equally short tours the first in search
 * order counts, so that the answer doesn't depend on how the search was
 * divided.
 */
#ifndef TSP_SEARCH_H
#define TSP_SEARCH_H

#include <stdint.h>

#include <sateen.h>

#include "apps/tsp/tsplib.h"

#define TSP_CITIES_MOST 64 /* that a path has a bit for */

/* A hop from one city to another. The map's row tells where it begins. */
struct tsp_hop {
	int32_t city, distance;
};

/*
 * A map is an array of cities * cities hops. It has no pointers, so that it can
 * be a buffer. Each city has a row: the hops to all other cities, the nearest
 * first, and behind them the hop home, to city 0.
 */
static inline const struct tsp_hop *
tsp_row(const struct tsp_hop *map, int32_t cities, int32_t city)
{
	return map + (ptrdiff_t)city * cities;
}

/* The beginning of a tour, from city 0 to @city. */
struct tsp_path {
	uint64_t visited; /* a bit for each city of the path, also @city */
	int64_t bound;	  /* no tour that begins with it is shorter */
	int32_t city;
	int32_t hops; /* number of hops of the path */
};

/* A tour's length, and its cities from some position on; the rest is 0. */
struct tsp_tour {
	int64_t length;
	uint8_t order[TSP_CITIES_MOST];
};

/*
 * tsp_map: makes the map of @tsp, which has at most TSP_CITIES_MOST cities, at
 * @map, which has room for all hops.
 */
void tsp_map(const struct tsplib *tsp, struct tsp_hop *map);

/* tsp_start: the path without hops, at city 0. */
struct tsp_path tsp_start(const struct tsp_hop *map, int32_t cities);

/*
 * tsp_bound: the bound of the path after hop @i of @row, the row of its last
 * city. It grows from hop to hop in the row, up to the hop home.
 */
static inline int64_t
tsp_bound(struct tsp_path path, const struct tsp_hop *row, int i)
{
	return path.bound - row[0].distance + row[i].distance;
}

/* tsp_extend: the path after hop @i of @row, the row of its last city. */
static inline struct tsp_path
tsp_extend(struct tsp_path path, const struct tsp_hop *row, int i)
{
	path.bound = tsp_bound(path, row, i);
	path.city = row[i].city;
	path.visited |= 1ull << path.city;
	path.hops++;
	return path;
}

/*
 * The arguments of a search that begins with a path: the map, the path's key,
 * the incumbent, and functions that the search calls.
 */
struct tsp_hunt {
	const struct tsp_hop *map;
	int32_t cities;
	uint64_t key; /* of the path that it begins with */
	const struct stn_incumbent *best;
	uint8_t order[TSP_CITIES_MOST];	/* of the path that is tried; the
					    * caller fills its beginning */

	/* The tour with that order was found, which is shorter than *best. */
	void (*found)(struct tsp_hunt *hunt, int64_t length);

	/* Called each TSP_LOOK paths; may be NULL. */
	void (*look)(struct tsp_hunt *hunt);
	uint64_t paths; /* number of paths that it has looked at */
};

#define TSP_LOOK 16

/* tsp_hunt_on: searches from @path. */
void tsp_hunt_on(struct tsp_hunt *hunt, struct tsp_path path);

/*
 * tsp_search: the shortest tour that begins with @path and is shorter than
 * @limit. The result has the cities from position path.hops on. If there is no
 * such tour, the result's length is @limit.
 * @nodes_p  receives the number of paths that it looked at
 */
struct tsp_tour tsp_search(const struct tsp_hop *map, int32_t cities,
			   struct tsp_path path, int64_t limit,
			   uint64_t *nodes_p);

/*
 * tsp_guess: the length of a good tour, in a time that doesn't matter. All
 * parts of a divided search know it from the start: their limit is one more.
 */
int64_t tsp_guess(const struct tsplib *tsp);

#endif
