/*
 * tsp: finds the shortest tour of a TSPLIB file's cities.
 *
 * The bound is that of 1-trees (branch.c), and the first branchings are tasks
 * (trees.c). With --bound distances the bound comes from distances: the first
 * hops of a tour are tasks, one for each city that can come next; search.c
 * makes the other hops.
 *
 * All tasks share the shortest length so far (trees.c, shared.c). With --fixed,
 * as in Satin's program, the shortest known length is an argument. A shorter
 * length that a task finds is known only to that task. So other tasks do work
 * that they could spare, but little, because all begin with a good guess; and
 * the amount of work doesn't depend on where and when tasks run.
 */
#include <stdio.h>
#include <string.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/random.h"
#include "apps/tsp/kicks.h"
#include "apps/tsp/search.h"
#include "apps/tsp/shared.h"
#include "apps/tsp/trees.h"
#include "apps/tsp/tsplib.h"

#define DEPTH_MOST TSPLIB_CITIES_MOST
#define LENGTH_MOST ((long)TSPLIB_CITIES_MOST * TSPLIB_DISTANCE_MOST)

/* Depths if there is no --depth. */
#define DEPTH_OF_HOPS 3
#define DEPTH_OF_BRANCHINGS 16

struct options {
	long depth, generate, seed, limit, expect; /* -1: not given */
	const char *path, *bound;
	bool sequential, fixed, distances;
};

static const char help[] =
	"usage: tsp [--seq] [--bound BOUND | --fixed] [-d DEPTH] FILE | "
	"--generate CITIES\n"
	"Finds the shortest tour of the cities of a TSPLIB file: TYPE TSP,\n"
	"at most 128 cities (about 100 can be solved), explicit, EUC_2D,\n"
	"CEIL_2D, GEO or ATT distances.\n"
	"\n"
	"  -g, --generate CITIES  make CITIES random cities instead, 2 to 128,\n"
	"                         in a square\n"
	"      --seed SEED        the seed of the cities (default 1)\n"
	"      --bound BOUND      1-tree (default), or distances: for each city\n"
	"                         the distance to the nearest city, as in "
	"Satin's\n"
	"                         program; for about 20 cities, at most 64. A\n"
	"                         number is the same as --limit\n"
	"      --limit LENGTH     search for tours no longer than LENGTH\n"
	"      --expect LENGTH    fail if the shortest tour isn't of LENGTH\n"
	"  -d, --depth DEPTH      spawn for the first DEPTH branchings (default "
	"16,\n"
	"                         at most 31), or hops (default 3)\n"
	"  -s, --seq              the same search, without spawns\n"
	"      --fixed            the bound is distances, and a shorter tour is\n"
	"                         known only to the task that finds it; so the\n"
	"                         work is always the same\n"
	"  -h, --help             show this\n";

/*
 * The shorter of two tours, if it is shorter than @limit. If both are equal,
 * @first, which comes first in search order.
 */
static struct tsp_tour
shorter(struct tsp_tour first, struct tsp_tour second, int64_t limit)
{
	return first.length < limit && first.length <= second.length ? first
								     : second;
}

/* Like tsp_search, with tasks for the first @depth hops. */
STN_TASK(struct tsp_tour, tour, struct stn_in, map, int32_t, cities,
	 struct tsp_path, path, int64_t, limit, int32_t, depth)
{
	struct tsp_tour best = { .length = limit };
	const struct tsp_hop *row = tsp_row(map.at, cities, path.city);
	int i, spawned = 0;
	uint64_t nodes;

	if (depth == 0 || path.hops == cities - 1) {
		best = tsp_search(map.at, cities, path, limit, &nodes);
		STN_WORK(nodes);
		return best;
	}
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

static struct tsp_tour
tour_sequential(const struct tsp_hop *map, int32_t cities, struct tsp_path path,
		int64_t limit, int32_t depth)
{
	struct tsp_tour best = { .length = limit };
	const struct tsp_hop *row = tsp_row(map, cities, path.city);
	uint64_t nodes;

	if (depth == 0 || path.hops == cities - 1)
		return tsp_search(map, cities, path, limit, &nodes);
	for (int i = 0; i < cities - 1 && tsp_bound(path, row, i) < limit; i++)
		if (!(path.visited >> row[i].city & 1))
			best = shorter(best,
				       tour_sequential(map, cities,
						       tsp_extend(path, row, i),
						       limit, depth - 1),
				       limit);
	best.order[path.hops] = (uint8_t)path.city;
	return best;
}

/* Sets what --bound says. */
static int
take_bound(struct options *options)
{
	const char *bound = options->bound;

	options->distances = options->fixed;
	if (!bound || app_number(bound, 0, LENGTH_MOST, &options->limit))
		return APP_GO_ON;
	if (!strcmp(bound, "distances"))
		options->distances = true;
	else if (strcmp(bound, "1-tree"))
		return app_misuse("--bound must be 1-tree, distances, or a "
				  "length, not '%s'",
				  bound);
	else if (options->fixed)
		return app_misuse("with --fixed the bound is distances");
	return APP_GO_ON;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'g', "generate", "CITIES", .number = &to->generate,
		  .least = 2, .most = TSPLIB_CITIES_MOST },
		{ 0, "seed", "SEED", .number = &to->seed,
		  .most = APP_SEED_MOST },
		{ 0, "bound", "BOUND", .text = &to->bound },
		{ 0, "limit", "LENGTH", .number = &to->limit,
		  .most = LENGTH_MOST },
		{ 0, "expect", "LENGTH", .number = &to->expect,
		  .most = LENGTH_MOST },
		{ 'd', "depth", "DEPTH", .number = &to->depth,
		  .most = DEPTH_MOST },
		{ 's', "seq", .flag = &to->sequential },
		{ 0, "fixed", .flag = &to->fixed },
		{ .value = "FILE", .text = &to->path },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	if (status == APP_GO_ON && to->path && to->generate)
		return app_misuse("give a FILE or --generate, not both");
	if (status == APP_GO_ON && !to->path && !to->generate)
		return app_misuse("give a FILE, or --generate");
	return status == APP_GO_ON ? take_bound(to) : status;
}

static bool
get_problem(const struct options *options, struct tsplib *tsp,
	    struct app_why *why)
{
	if (!options->path)
		tsplib_generate(tsp, (int)options->generate,
				(uint64_t)options->seed);
	else if (!tsplib_read(options->path, tsp, why))
		return false;
	return !options->distances || tsp->cities <= TSP_CITIES_MOST ||
	       app_because(why,
			   "with the bound distances a problem has at most %d "
			   "cities, not %d",
			   TSP_CITIES_MOST, tsp->cities);
}

static void
print_tour(const struct tsplib *tsp, const struct branch_tour *found)
{
	printf("%s: %ld\n", tsp->name, (long)found->length);
	printf("tour:");
	for (int i = 0; i < tsp->cities; i++)
		printf(" %d", found->order[i] + 1);
	printf("\n");
}

/* The best solution when the search is interrupted. */
struct known {
	const struct tsplib *tsp;
	struct branch_tour good; /* its length is 0 if there is none */
};

static bool
print_known(const struct show *show, int64_t value, const void *witness)
{
	const struct known *known = show->arg;
	struct branch_tour tour = known->good;

	if (witness) {
		tour.length = value;
		memcpy(tour.order, witness, show->bytes);
	}
	if (witness || tour.length)
		print_tour(known->tsp, &tour);
	return witness || tour.length;
}

/* One search that knows the shortest length itself. */
static struct tsp_tour
search_alone(STN_FRAME, const struct tsp_hop *map, int32_t cities,
	     int64_t limit)
{
	struct tsp_tour best;
	uint64_t nodes;

	best = tsp_search(map, cities, tsp_start(map, cities), limit, &nodes);
	STN_WORK(nodes);
	return best;
}

static struct tsp_tour
find_fixed(STN_FRAME, const struct tsp_hop *map, int32_t cities, int64_t limit,
	   const struct options *options)
{
	struct tsp_path start = tsp_start(map, cities);
	int32_t depth = (int32_t)options->depth;

	if (options->sequential)
		return tour_sequential(map, cities, start, limit, depth);
	return STN_CALL(tour, STN_IN(map, cities * cities), cities, start,
			limit, depth);
}

/* Finds the tour by tasks, or without them (--seq). */
static struct tsp_tour
find_by_distances(STN_FRAME, const struct tsplib *tsp,
		  const struct options *options)
{
	struct tsp_hop map[TSP_CITIES_MOST * TSP_CITIES_MOST];
	int64_t limit =
		1 + (options->limit < 0 ? tsp_guess(tsp) : options->limit);
	int32_t cities = tsp->cities;
	struct known known = { .tsp = tsp };
	struct show show = { .unit = 1, .arg = &known, .print = print_known };

	tsp_map(tsp, map);
	if (options->fixed)
		return find_fixed(STN_PASS_FRAME, map, cities, limit, options);
	if (options->sequential)
		return search_alone(STN_PASS_FRAME, map, cities, limit);
	return tsp_shared(STN_PASS_FRAME, map, cities, limit,
			  (int32_t)options->depth, &show);
}

/* Finds the tour that is shorter than the limit of @graph. */
static struct branch_tour
search_trees(STN_FRAME, const struct onetree_graph *graph, int64_t bound,
	     const int64_t *multiplier, const struct options *options,
	     struct show *show)
{
	struct branch_tour found;
	uint64_t trees;

	if (!options->sequential)
		return trees_shared(STN_PASS_FRAME, graph, bound, multiplier,
				    (int)options->depth, show);
	found = branch_search(graph, bound, multiplier, &trees);
	STN_WORK(trees);
	return found;
}

/*
 * A good tour is the answer unless there is a shorter one. With --limit the
 * tours up to that length are searched for.
 */
static struct branch_tour
find_by_trees(STN_FRAME, const struct tsplib *tsp,
	      const struct options *options)
{
	struct known known = { .tsp = tsp };
	struct show show = { .unit = 1, .arg = &known, .print = print_known };
	struct branch_tour good = { 0 }, found;
	int64_t multiplier[ONETREE_CITIES], limit, bound;
	struct onetree_graph graph;
	int trees;

	limit = good.length = kicks_tour(tsp, good.order);
	if (options->limit >= 0 && options->limit < limit)
		limit = options->limit + 1;
	known.good = good;
	bound = branch_prepare(tsp, limit, &graph, multiplier, &trees);
	STN_WORK((uint64_t)trees);
	found = search_trees(STN_PASS_FRAME, &graph, bound, multiplier, options,
			     &show);
	return found.length < good.length ? found : good;
}

/* A 1-tree needs three cities. */
static struct branch_tour
find_tour(STN_FRAME, const struct tsplib *tsp, struct options *options)
{
	bool distances = options->distances || tsp->cities < 3;
	struct branch_tour tour = { 0 };
	struct tsp_tour found;

	if (options->depth < 0)
		options->depth =
			distances ? DEPTH_OF_HOPS : DEPTH_OF_BRANCHINGS;
	if (!distances)
		return find_by_trees(STN_PASS_FRAME, tsp, options);
	found = find_by_distances(STN_PASS_FRAME, tsp, options);
	tour.length = found.length;
	memcpy(tour.order, found.order, sizeof(found.order));
	return tour;
}

STN_MAIN(argc, argv)
{
	struct options options = {
		.depth = -1, .seed = 1, .limit = -1, .expect = -1
	};
	int status = read_options(argc, argv, &options);
	struct branch_tour found;
	struct tsplib tsp;
	struct app_why why;
	double begin, seconds;

	if (status != APP_GO_ON)
		return status;
	if (!get_problem(&options, &tsp, &why))
		return app_complain(APP_BAD_INPUT, "%s", why.text);
	begin = STN_SECONDS();
	found = find_tour(STN_PASS_FRAME, &tsp, &options);
	seconds = STN_SECONDS() - begin;
	if (options.limit >= 0 && found.length > options.limit)
		return app_complain(1, "no tour is as short as %ld",
				    options.limit);
	print_tour(&tsp, &found);
	printf("time: %.3f s\n", seconds);
	if (options.expect >= 0 && found.length != options.expect)
		return app_complain(1, "the shortest tour should be %ld",
				    options.expect);
	return 0;
}
