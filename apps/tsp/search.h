/*
 * search.h: the shortest tour, by branch and bound. Plain C: the tasks of
 * tsp.c share out the first hops, and this does the rest.
 *
 * A tour begins at city 0 and tries, from each city, the nearest one first.
 * That is the search order. Of equally short tours the first in it counts, so
 * that the answer doesn't depend on how the search was shared out.
 */
#ifndef TSP_SEARCH_H
#define TSP_SEARCH_H

#include <stdint.h>

#include "apps/tsp/tsplib.h"

/* A hop to a city, from the one in whose row of the map it stands. */
struct tsp_hop {
	int32_t city, distance;
};

/*
 * A map is an array of cities * cities hops without pointers, so that it can
 * travel. Each city has a row of it: the hops to all other cities, nearest
 * first, and last the hop home, to city 0.
 */
static inline const struct tsp_hop *
tsp_row(const struct tsp_hop *map, int32_t cities, int32_t city)
{
	return map + (ptrdiff_t)city * cities;
}

/* The beginning of a tour, from city 0 to @city. */
struct tsp_path {
	uint64_t visited; /* a bit for each city on it, @city's too */
	int64_t bound;	  /* no tour that begins so is shorter */
	int32_t city;
	int32_t hops; /* so far */
};

/* A tour's length, and its order from some position on; the rest is 0. */
struct tsp_tour {
	int64_t length;
	uint8_t order[TSPLIB_CITIES_MOST];
};

/* tsp_map: fills a map for all distances of @tsp. */
void tsp_map(const struct tsplib *tsp, struct tsp_hop *map);

/* tsp_start: the path of no hops. */
struct tsp_path tsp_start(const struct tsp_hop *map, int32_t cities);

/*
 * tsp_bound: the bound of a path after one more hop from the row of its last
 * city. Grows along the row, up to the hop home.
 */
static inline int64_t
tsp_bound(struct tsp_path path, const struct tsp_hop *row, int i)
{
	return path.bound - row[0].distance + row[i].distance;
}

/* tsp_extend: the path, one hop longer: by hop @i of its last city's row. */
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
 * tsp_search: the shortest tour that begins with @path and is shorter than
 * @limit; its order is given from position path.hops on. If there is none, the
 * length is @limit.
 * @nodes_p  how many paths it looked at
 */
struct tsp_tour tsp_search(const struct tsp_hop *map, int32_t cities,
			   struct tsp_path path, int64_t limit,
			   uint64_t *nodes_p);

/*
 * tsp_guess: the length of some good tour, found in no time. One more is a
 * limit to search with that all parts of a shared-out search know from the
 * start.
 */
int64_t tsp_guess(const struct tsplib *tsp);

#endif
