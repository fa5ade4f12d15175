#include "apps/tsp/search.h"

#include <stdlib.h>

struct search {
	const struct tsp_hop *map;
	int32_t cities;
	uint8_t order[TSPLIB_CITIES_MOST]; /* of the path that is tried */
	struct tsp_tour best;
	uint64_t nodes;
};

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

static void
go_home(struct search *search, int64_t length)
{
	if (length >= search->best.length)
		return;
	search->best.length = length;
	for (int32_t i = 0; i < search->cities; i++)
		search->best.order[i] = search->order[i];
}

static void
go_on(struct search *search, struct tsp_path path)
{
	const struct tsp_hop *row =
		tsp_row(search->map, search->cities, path.city);
	int32_t i, home = search->cities - 1;

	search->nodes++;
	search->order[path.hops] = (uint8_t)path.city;
	if (path.hops == home) {
		go_home(search, tsp_bound(path, row, home));
		return;
	}
	for (i = 0; i < home; i++) {
		/* The bounds of all further hops are at least as high. */
		if (tsp_bound(path, row, i) >= search->best.length)
			return;
		if (!(path.visited >> row[i].city & 1))
			go_on(search, tsp_extend(path, row, i));
	}
}

struct tsp_tour
tsp_search(const struct tsp_hop *map, int32_t cities, struct tsp_path path,
	   int64_t limit, uint64_t *nodes_p)
{
	struct search search = { .map = map,
				 .cities = cities,
				 .best.length = limit };

	go_on(&search, path);
	*nodes_p = search.nodes;
	return search.best;
}
