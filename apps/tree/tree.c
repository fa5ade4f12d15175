/*
 * tree: a synthetic tree of known work. Its leaves sleep, so that many nodes on
 * one host behave as if each had processors of its own. With --spin the leaves
 * compute instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/random.h"

#define NS_PER_S 1000000000
#define BRANCHES_MOST 64
#define DEPTH_MOST 30
#define LEAVES_MOST 100000000L
#define LEAF_MOST_NS 10000000000L
#define SPREAD_MOST 100

_Static_assert(LEAVES_MOST <= INT64_MAX / (2 * LEAF_MOST_NS), "work overflows");

/* Checked options. The whole tree's work in nanoseconds fits 63 bits. */
struct options {
	long branches, depth;
	long spread; /* percent */
	int64_t leaf_ns;
	bool spin, sequential;
};

static const char help[] =
	"usage: tree [--seq] [-b BRANCHES] [-d DEPTH] [-l LEAF]\n"
	"            [--spread PERCENT] [--spin]\n"
	"Visits a tree whose leaves sleep, and counts the leaves.\n"
	"\n"
	"  -b, --branches BRANCHES  branches of an inner node, 1 to 64\n"
	"                           (default 4)\n"
	"  -d, --depth DEPTH        depth of the leaves, 0 to 30 (default 5)\n"
	"  -l, --leaf LEAF          how long a leaf sleeps, in us, ms or s,\n"
	"                           up to 10s (default 10ms)\n"
	"      --spread PERCENT     a leaf's time differs from LEAF by up to\n"
	"                           PERCENT percent, 0 to 100 (default 0)\n"
	"      --spin               leaves compute instead of sleeping\n"
	"  -s, --seq                visit in plain C, without the runtime\n"
	"  -h, --help               show this\n";

/* A subtree: its place in the whole tree, its leaves, and its shape. */
struct subtree {
	uint64_t path; /* a hash of the branches from the root to here */
	int64_t leaf_ns;
	int32_t branches, depth, spread, spin;
};

struct sum {
	int64_t leaves, work_ns;
};

static struct subtree
branch(struct subtree tree, int i)
{
	tree.path = app_mix(tree.path + (uint64_t)(i + 1) * APP_RANDOM_STEP);
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
	STN_SYNC_ALL(visit, below)
		add(&sum, below);
	return sum;
}

/* Reads a time with its unit ("250us"), at most LEAF_MOST_NS. */
static bool
read_time(const char *text, int64_t *ns_p)
{
	size_t digits = strspn(text, "0123456789.");
	double value, ns_per_unit;
	char *unit;

	value = strtod(text, &unit);
	if (unit == text || unit != text + digits)
		return false;
	if (!strcmp(unit, "us"))
		ns_per_unit = 1e3;
	else if (!strcmp(unit, "ms"))
		ns_per_unit = 1e6;
	else if (!strcmp(unit, "s"))
		ns_per_unit = 1e9;
	else
		return false;
	if (value * ns_per_unit > LEAF_MOST_NS)
		return false;
	*ns_p = (int64_t)(value * ns_per_unit + 0.5);
	return true;
}

static int
read_leaf(const char *text, struct options *to)
{
	if (read_time(text, &to->leaf_ns))
		return APP_GO_ON;
	return app_misuse("LEAF must be a time of at most 10 s such as 250us, "
			  "10ms or 0.5s, not '%s'",
			  text);
}

static int
check_size(const struct options *options)
{
	long depth = options->depth, leaves = 1;

	while (depth-- && leaves <= LEAVES_MOST)
		leaves *= options->branches;
	if (leaves > LEAVES_MOST)
		return app_misuse("more than %ld leaves", LEAVES_MOST);
	return APP_GO_ON;
}

/* Sets all options from the command line and defaults. */
static int
read_options(int argc, char **argv, struct options *to)
{
	const char *leaf = "10ms";
	const struct app_option table[] = {
		{ 'b', "branches", "BRANCHES", .number = &to->branches,
		  .least = 1, .most = BRANCHES_MOST },
		{ 'd', "depth", "DEPTH", .number = &to->depth,
		  .most = DEPTH_MOST },
		{ 'l', "leaf", "LEAF", .text = &leaf },
		{ 0, "spread", "PERCENT", .number = &to->spread,
		  .most = SPREAD_MOST },
		{ 0, "spin", .flag = &to->spin },
		{ 's', "seq", .flag = &to->sequential },
		{ 0 },
	};
	int status;

	*to = (struct options){ .branches = 4, .depth = 5 };
	status = app_options(argc, argv, help, table);
	if (status == APP_GO_ON)
		status = read_leaf(leaf, to);
	return status == APP_GO_ON ? check_size(to) : status;
}

static struct subtree
whole_tree(const struct options *options)
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
	struct options options;
	int status = read_options(argc, argv, &options);
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
