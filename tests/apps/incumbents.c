/*
 * incumbents: a search whose answer is known, for tests/bounds.t: the cheapest
 * path from the root of a tree to a leaf. An edge costs 0 to 3, so that many
 * paths are equally cheap, and the first of them in search order is the answer.
 *
 *	incumbents [--max] [--lone] [-b BRANCHES] [-d DEPTH] [-l LIMIT]
 *		[-n NS] [-r ROUNDS] [-s SEED] [-w BYTES]
 *
 *	--max	the costs are negative, and the bound is a maximum
 *	--lone	no call cuts, so that every path is found
 *	-l	only paths that cost less count
 *	-n	each node of the tree takes so long
 *	-r	number of searches at a time, each with another seed and in a
 *		task; 0: one search, by STN_MAIN's body, and then the status 3
 *	-w	length of the witness, which follows from the path
 *
 * Prints the paths, and fails if a sequential search finds others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sateen.h>

#define PATH_BITS 4 /* of an edge in a path */
#define WITNESS_MOST 8192
#define ROUNDS_MOST 16

struct tree {
	uint64_t seed;
	int32_t branches, depth, ns, bytes;
	bool max, lone;
};

/* A node of the tree: the path to it, which is its key, and that path's cost.
 */
struct place {
	uint64_t path;
	int64_t cost;
	int32_t edges;
};

static int64_t
edge_cost(const struct tree *tree, const struct place *to)
{
	uint64_t hash = (to->path ^ tree->seed) * 0x9e3779b97f4a7c15 +
			(uint64_t)to->edges;

	hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
	return (int64_t)(hash >> 62);
}

static struct place
child_of(const struct tree *tree, struct place place, int number)
{
	place.path |= (uint64_t)number << (60 - PATH_BITS * place.edges);
	place.edges++;
	place.cost += edge_cost(tree, &place);
	return place;
}

static void
fill_witness(unsigned char *witness, uint64_t path, int32_t bytes)
{
	for (int32_t i = 0; i < bytes; i++)
		witness[i] = (unsigned char)(path >> i % 8 * 8) ^
			     (unsigned char)(i / 8);
}

static bool
is_cut(const struct tree *tree, const struct stn_incumbent *at,
       const struct place *place)
{
	if (tree->lone)
		return false;
	return tree->max ? STN_CUTS_MAX(at, -place->cost, place->path)
			 : STN_CUTS_MIN(at, place->cost, place->path);
}

static void
found(STN_FRAME, const struct tree *tree, struct stn_bound best,
      const struct place *place)
{
	unsigned char witness[WITNESS_MOST];

	fill_witness(witness, place->path, tree->bytes);
	STN_IMPROVE(best, tree->max ? -place->cost : place->cost, place->path,
		    witness, (size_t)tree->bytes);
}

STN_TASK_VOID(walk, struct stn_bound, best, struct tree, tree, struct place,
	      place)
{
	if (is_cut(&tree, STN_BOUND_AT(best), &place))
		return;
	STN_WORK(1);
	STN_SLEEP((uint64_t)tree.ns);
	if (place.edges == tree.depth) {
		found(STN_PASS_FRAME, &tree, best, &place);
		return;
	}
	for (int i = tree.branches - 1; i >= 0; i--)
		STN_SPAWN(walk, best, tree, child_of(&tree, place, i));
	for (int i = 0; i < tree.branches; i++)
		STN_SYNC(walk);
}

static void
walk_alone(const struct tree *tree, struct place place, struct place *best)
{
	if (place.cost >= best->cost)
		return;
	if (place.edges == tree->depth)
		*best = place;
	else
		for (int i = 0; i < tree->branches; i++)
			walk_alone(tree, child_of(tree, place, i), best);
}

/* Makes a bound, and returns what it has found: the path. */
static uint64_t
search(STN_FRAME, struct tree tree, int64_t limit)
{
	struct stn_bound best =
		tree.max ? STN_BOUND_MAX(-limit) : STN_BOUND_MIN(limit);
	unsigned char witness[WITNESS_MOST], right[WITNESS_MOST];
	struct place root = { 0 }, expected = { .cost = limit };
	int64_t value;

	STN_CALL(walk, best, tree, root);
	value = STN_BEST(best, witness, (size_t)tree.bytes);
	walk_alone(&tree, root, &expected);
	fill_witness(right, expected.path, tree.bytes);
	if (value != (tree.max ? -expected.cost : expected.cost))
		return UINT64_MAX;
	if (expected.cost == limit)
		return UINT64_MAX - 1; /* there is no solution */
	if (memcmp(witness, right, (size_t)tree.bytes))
		return UINT64_MAX;
	return expected.path;
}

STN_TASK(uint64_t, solve, struct tree, tree, int64_t, limit)
{
	return search(STN_PASS_FRAME, tree, limit);
}

static int
solve_all(STN_FRAME, struct tree tree, int64_t limit, int rounds)
{
	uint64_t path[ROUNDS_MOST];
	int status = 0;

	for (int i = 0; i < rounds; i++, tree.seed++)
		STN_SPAWN(solve, tree, limit);
	for (int i = rounds - 1; i >= 0; i--)
		path[i] = STN_SYNC(solve);
	if (!rounds)
		path[rounds++] = search(STN_PASS_FRAME, tree, limit);
	for (int i = 0; i < rounds; i++) {
		if (path[i] == UINT64_MAX)
			status = 1;
		printf("path %016llx\n", (unsigned long long)path[i]);
	}
	printf("incumbents: %s\n", status ? "wrong" : "right");
	return status;
}

STN_MAIN(argc, argv)
{
	struct tree tree = { .seed = 1, .branches = 4, .depth = 6, .bytes = 8 };
	int64_t limit = INT64_MAX;
	int option, rounds = 1;

	while ((option = getopt(argc, argv, "b:d:n:w:s:r:l:-:")) >= 0)
		switch (option) {
		case 'b':
			tree.branches = atoi(optarg);
			break;
		case 'd':
			tree.depth = atoi(optarg);
			break;
		case 'n':
			tree.ns = atoi(optarg);
			break;
		case 'w':
			tree.bytes = atoi(optarg);
			break;
		case 's':
			tree.seed = (uint64_t)atoi(optarg);
			break;
		case 'r':
			rounds = atoi(optarg);
			break;
		case 'l':
			limit = atoi(optarg);
			break;
		case '-':
			tree.max |= !strcmp(optarg, "max");
			tree.lone |= !strcmp(optarg, "lone");
			break;
		default:
			return 2;
		}
	return solve_all(STN_PASS_FRAME, tree, limit, rounds) +
	       (rounds ? 0 : 3);
}
