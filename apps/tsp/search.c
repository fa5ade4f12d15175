#include "apps/tsp/search.h"

#include <stdlib.h>
#include <string.h>

static int
compare_hops(const void *a_hop, const void *b_hop)
{
	const struct tsp_hop *a = a_hop, *b = b_hop;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	/* qsort() isn't stable, so equal hops need an order, too. */
	return a->city < b->city ? -1 : 1;
}

void
tsp_map(const struct tsplib *tsp, struct tsp_hop *map)
{
	for (int32_t from = 0; from < tsp->cities; from++) {
		struct tsp_hop *row = map + (ptrdiff_t)from * tsp->cities;
		int32_t hops = 0;

		for (int32_t to = 0; to < tsp->cities; to++)
			if (to != from)
				row[hops++] = (struct tsp_hop){
					to, tsp->distance[from][to]
				};
		qsort(row, (size_t)hops, sizeof(*row), compare_hops);
		row[hops] = (struct tsp_hop){ 0, tsp->distance[from][0] };
	}
}

/*
 * The bound, here and in tsp_bound(): a tour leaves each city once. For the
 * cities that the path has left, the hops are known. From each other city,
 * including the path's last city, the tour takes at least the hop to the
 * nearest city.
 */
struct tsp_path
tsp_start(const struct tsp_hop *map, int32_t cities)
{
	struct tsp_path path = { .visited = 1 };

	for (int32_t city = 0; city < cities; city++)
		path.bound += tsp_row(map, cities, city)->distance;
	return path;
}

static bool
is_cut(const struct tsp_hunt *hunt, int64_t bound)
{
	return STN_CUTS_MIN(hunt->best, bound, hunt->key);
}

void
tsp_hunt_on(struct tsp_hunt *hunt, struct tsp_path path)
{
	const struct tsp_hop *row = tsp_row(hunt->map, hunt->cities, path.city);
	int32_t i, home = hunt->cities - 1;

	if (!(++hunt->paths % TSP_LOOK) && hunt->look)
		hunt->look(hunt);
	hunt->order[path.hops] = (uint8_t)path.city;
	if (path.hops == home) {
		if (!is_cut(hunt, tsp_bound(path, row, home)))
			hunt->found(hunt, tsp_bound(path, row, home));
		return;
	}
	for (i = 0; i < home; i++) {
		/* The bounds of all further hops are at least as high. */
		if (is_cut(hunt, tsp_bound(path, row, i)))
			return;
		if (!(path.visited >> row[i].city & 1))
			tsp_hunt_on(hunt, tsp_extend(path, row, i));
	}
}

/* A hunt whose incumbent no other hunt sees. */
struct lone_hunt {
	struct tsp_hunt hunt; /* first: found casts it */
	struct stn_incumbent best;
	struct tsp_tour tour;
};

static void
lone_found(struct tsp_hunt *hunt, int64_t length)
{
	struct lone_hunt *lone = (struct lone_hunt *)hunt;

	lone->best.value = lone->tour.length = length;
	memcpy(lone->tour.order, hunt->order, sizeof(hunt->order));
}

struct tsp_tour
tsp_search(const struct tsp_hop *map, int32_t cities, struct tsp_path path,
	   int64_t limit, uint64_t *nodes_p)
{
	struct lone_hunt lone = { .hunt = { .map = map,
					    .cities = cities,
					    .best = &lone.best,
					    .found = lone_found },
				  .best.value = limit,
				  .tour.length = limit };

	tsp_hunt_on(&lone.hunt, path);
	*nodes_p = lone.hunt.paths;
	return lone.tour;
}
