/*
 * tree: a synthetic tree of known work. Its leaves sleep, so that many nodes on
 * one host behave as if each had processors of its own. With --spin the leaves
 * compute instead.
 */
#include <stdio.h>
#include <time.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/tree/options.h"

#define NS_PER_S 1000000000

/* A subtree: its place in the whole tree, its leaves, and its shape. */
struct subtree {
	uint64_t path; /* a hash of the branches from the root to here */
	int64_t leaf_ns;
	int32_t branches, depth, spread, spin;
};

struct sum {
	int64_t leaves, work_ns;
};

/*
 * The last steps of splitmix64: each bit of x affects all bits of the result.
 */
static uint64_t
mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static struct subtree
branch(struct subtree tree, int i)
{
	tree.path = mix(tree.path + (uint64_t)(i + 1) * 0x9e3779b97f4a7c15);
	tree.depth--;
	return tree;
}

/* In integer arithmetic, so that all nodes of a run get the same time. */
static int64_t
leaf_time(struct subtree leaf)
{
	int64_t per_mille = (int64_t)(leaf.path % 2001) - 1000;

	return leaf.leaf_ns + leaf.leaf_ns * leaf.spread * per_mille / 100000;
}

/*
 * Computes for @ns of processor time. A leaf that shares its processor
 * therefore takes longer, and does no less work.
 */
static void
spin_ns(int64_t ns)
{
	struct timespec now;
	int64_t end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	end = now.tv_sec * NS_PER_S + now.tv_nsec + ns;
	while (now.tv_sec * NS_PER_S + now.tv_nsec < end)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
}

/* The program calls this task and visit_sequential, and never spawns them. */
STN_TASK(struct sum, visit_leaf, struct subtree, leaf)
{
	int64_t ns = leaf_time(leaf);

	if (leaf.spin) {
		spin_ns(ns);
		STN_WORK((uint64_t)ns);
	} else if (ns) {
		STN_SLEEP((uint64_t)ns);
	}
	return (struct sum){ 1, ns };
}

static void
add(struct sum *sum, struct sum part)
{
	sum->leaves += part.leaves;
	sum->work_ns += part.work_ns;
}

STN_TASK(struct sum, visit_sequential, struct subtree, tree)
{
	struct sum sum = { 0 };

	if (tree.depth == 0)
		return STN_CALL(visit_leaf, tree);
	for (int i = 0; i < tree.branches; i++)
		add(&sum, STN_CALL(visit_sequential, branch(tree, i)));
	return sum;
}

STN_TASK(struct sum, visit, struct subtree, tree)
{
	struct sum sum = { 0 };

	if (tree.depth == 0)
		return STN_CALL(visit_leaf, tree);
	for (int i = 0; i < tree.branches; i++)
		STN_SPAWN(visit, branch(tree, i));
	for (int i = 0; i < tree.branches; i++)
		add(&sum, STN_SYNC(visit));
	return sum;
}

static struct subtree
whole_tree(const struct tree_options *options)
{
	return (struct subtree){
		.leaf_ns = options->leaf_ns,
		.branches = (int32_t)options->branches,
		.depth = (int32_t)options->depth,
		.spread = (int32_t)options->spread,
		.spin = options->spin,
	};
}

STN_MAIN(argc, argv)
{
	struct tree_options options;
	int status = tree_options_read(argc, argv, &options);
	double start, seconds;
	struct subtree root;
	struct sum sum;

	if (status != APP_GO_ON)
		return status;
	root = whole_tree(&options);
	start = STN_SECONDS();
	sum = options.sequential ? STN_CALL(visit_sequential, root)
				 : STN_CALL(visit, root);
	seconds = STN_SECONDS() - start;
	printf("tree(%ld^%ld) = %ld leaves\n", options.branches, options.depth,
	       (long)sum.leaves);
	printf("work: %.3f s\n", (double)sum.work_ns * 1e-9);
	printf("time: %.3f s\n", seconds);
	return 0;
}
