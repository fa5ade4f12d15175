/*
 * tsp: the shortest tour of a TSPLIB file's cities. The first hops of a tour
 * are tasks, one for each city that may come next; search.c does the rest.
 *
 * As in Satin's program the shortest length known is an argument: a task
 * improves on it only for itself. Work is lost by that, but little, as all
 * begin with a good guess; and how much doesn't depend on who runs what.
 */
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/options.h"
#include "apps/tsp/search.h"
#include "apps/tsp/tsplib.h"

#define DEPTH_MOST TSPLIB_CITIES_MOST

struct options {
	long depth;
	const char *path;
	bool sequential;
};

static const char help[] =
	"usage: tsp [--seq] [-d DEPTH] FILE\n"
	"Finds the shortest tour of the cities of a TSPLIB file: TYPE TSP,\n"
	"at most 64 cities (about 20 can be solved), explicit, EUC_2D,\n"
	"CEIL_2D, GEO or ATT distances.\n"
	"\n"
	"  -d, --depth DEPTH  spawn for the first DEPTH hops (default 3)\n"
	"  -s, --seq          search in plain C, without the runtime\n"
	"  -h, --help         show this\n";

/*
 * The shorter of two tours, the first if they are equal, as it comes first in
 * search order; but a tour must be shorter than @limit.
 */
static struct tsp_tour
shorter(struct tsp_tour first, struct tsp_tour second, int64_t limit)
{
	return first.length < limit && first.length <= second.length ? first
								     : second;
}

/* As tsp_search, but its first @depth hops are tasks. */
STN_TASK(struct tsp_tour, tour, struct stn_in, map, int32_t, cities,
	 struct tsp_path, path, int64_t, limit, int32_t, depth)
{
	struct tsp_tour best = { .length = limit };
	const struct tsp_hop *row = tsp_row(map.at, cities, path.city);
	int i, spawned = 0;

	if (depth == 0 || path.hops == cities - 1)
		return tsp_search(map.at, cities, path, limit);
	for (i = 0; i < cities - 1 && tsp_bound(path, row, i) < limit; i++) {
		if (path.visited >> row[i].city & 1)
			continue;
		STN_SPAWN(tour, map, cities, tsp_extend(path, row, i), limit,
			  depth - 1);
		spawned++;
	}
	while (spawned--)
		best = shorter(STN_SYNC(tour), best, limit);
	best.order[path.hops] = (uint8_t)path.city;
	return best;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'd', "depth", "DEPTH", .number = &to->depth,
		  .most = DEPTH_MOST },
		{ 's', "seq", .flag = &to->sequential },
		{ .value = "FILE", .text = &to->path, .needed = true },
		{ 0 },
	};

	return app_options(argc, argv, help, table);
}

static void
print_tour(const struct tsplib *tsp, const struct tsp_tour *found)
{
	int i;

	printf("%s: %ld\n", tsp->name, (long)found->length);
	printf("tour:");
	for (i = 0; i < tsp->cities; i++)
		printf(" %d", found->order[i] + 1);
	printf("\n");
}

STN_MAIN(argc, argv)
{
	struct tsp_hop map[TSPLIB_CITIES_MOST * TSPLIB_CITIES_MOST];
	struct options options = { .depth = 3 };
	int status = read_options(argc, argv, &options), cities;
	struct tsp_tour found;
	struct tsp_path start;
	struct tsplib tsp;
	struct app_why why;
	int64_t limit;
	double begin, seconds;

	if (status != APP_GO_ON)
		return status;
	if (!tsplib_read(options.path, &tsp, &why))
		return app_complain(APP_BAD_INPUT, "%s", why.text);
	begin = app_seconds();
	cities = tsp.cities;
	tsp_map(&tsp, map);
	start = tsp_start(map, cities);
	limit = tsp_guess(&tsp) + 1;
	found = options.sequential
			? tsp_search(map, cities, start, limit)
			: STN_CALL(tour, STN_IN(map, cities * cities), cities,
				   start, limit, (int32_t)options.depth);
	seconds = app_seconds() - begin;
	print_tour(&tsp, &found);
	printf("time: %.3f s\n", seconds);
	return 0;
}
