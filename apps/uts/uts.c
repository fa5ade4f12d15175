/*
 * uts: counts the nodes of a tree. Which parts of the tree are deep is unknown
 * before the walk. Every node is a task.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/uts/tree.h"

/* A number that isn't on the command line is -1, and a text is NULL. */
struct options {
	const char *tree, *chance;
	long type, seed, branching, depth, children;
	bool sequential;
};

enum {
	BINOMIAL,
	GEOMETRIC,
	PUBLISHED
}; /* types; UTS numbers the first two so */

static const char help[] =
	"usage: uts [--seq] [TREE]\n"
	"       uts [--seq] -t 1 [-r SEED] [-b CHILDREN] [-d DEPTH]\n"
	"       uts [--seq] -t 0 [-r SEED] [-b CHILDREN] [-m COUNT] "
	"[-q CHANCE]\n"
	"Counts the nodes of a tree of the unbalanced tree search benchmark;\n"
	"every node is a task.\n"
	"\n"
	"  TREE         T1, T1L, T1XL or T1XXL, geometric trees of 4 million,\n"
	"               102 million, 1.6 billion and 4.2 billion nodes; T3 or\n"
	"               T3L, binomial ones of 4 million and 111 million; T1S,\n"
	"               of 16 thousand (default T1)\n"
	"  -t TYPE      1: a geometric tree (of UTS's fixed shape, 3); 0: a\n"
	"               binomial tree\n"
	"  -r SEED      the seed of the root (default 0)\n"
	"  -b CHILDREN  mean number of a node's children in a geometric tree;\n"
	"               number of the root's in a binomial tree (default 4)\n"
	"  -d DEPTH     depth of a geometric tree (default 6)\n"
	"  -m COUNT     in a binomial tree another node has COUNT children or\n"
	"               none (default 4)\n"
	"  -q CHANCE    the probability of children, below 1/COUNT (default\n"
	"               0.234375)\n"
	"  -s, --seq    the same walk, without spawns\n"
	"  -h, --help   show this\n";

static long
count_below(const struct uts_tree *tree, struct uts_node node)
{
	int children = uts_children(tree, &node);
	long count = 1;

	for (int i = 0; i < children; i++)
		count += count_below(tree, uts_child(&node, i));
	return count;
}

/* Nodes at this height are the units of progress. */
static int32_t
told_height(const struct uts_tree *tree)
{
	if (!tree->depth)
		return 1;
	return tree->branching < 20 ? 3 : 2;
}

static uint64_t
count_told(const struct uts_tree *tree, struct uts_node node)
{
	int children = uts_children(tree, &node);
	uint64_t told = 0;

	if (node.height + 1 == told_height(tree))
		return (uint64_t)children;
	for (int i = 0; i < children; i++)
		told += count_told(tree, uts_child(&node, i));
	return told;
}

STN_TASK(long, uts, struct stn_in, tree, struct uts_node, node)
{
	int children = uts_children(tree.at, &node);
	long count = 1;

	for (int i = 0; i < children; i++) {
		STN_WORK(1);
		STN_SPAWN(uts, tree, uts_child(&node, i));
	}
	STN_SYNC_ALL(uts, below)
		count += below;
	if (node.height == told_height(tree.at))
		STN_PROGRESS(1, 0);
	return count;
}

/* Refuses options that the tree doesn't have. */
static int
check_options(const struct options *options)
{
	bool binomial = options->children >= 0 || options->chance;
	bool geometric = options->depth >= 0;

	if (options->tree && options->type != PUBLISHED)
		return app_misuse("give a TREE or -t, not both");
	if (options->type == PUBLISHED &&
	    (options->seed >= 0 || options->branching >= 0 || geometric ||
	     binomial))
		return app_misuse("-r, -b, -d, -m and -q need -t");
	if (options->type == BINOMIAL && geometric)
		return app_misuse("-d is for a geometric tree, -t 1");
	if (options->type == GEOMETRIC && binomial)
		return app_misuse("-m and -q are for a binomial tree, -t 0");
	return APP_GO_ON;
}

static void
set_default(long *number, long value)
{
	if (*number < 0)
		*number = value;
}

static void
set_defaults(struct options *options)
{
	set_default(&options->seed, 0);
	set_default(&options->branching, 4);
	set_default(&options->depth, 6);
	set_default(&options->children, 4);
	if (!options->chance)
		options->chance = "0.234375";
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 't', .value = "TYPE", .number = &to->type, .most = 1 },
		{ 'r', .value = "SEED", .number = &to->seed,
		  .most = INT32_MAX },
		{ 'b', .value = "CHILDREN", .number = &to->branching,
		  .most = UTS_ROOT_MOST },
		{ 'd', .value = "DEPTH", .number = &to->depth, .least = 1,
		  .most = UTS_DEPTH_MOST },
		{ 'm', .value = "COUNT", .number = &to->children,
		  .most = UTS_CHILDREN_MOST },
		{ 'q', .value = "CHANCE", .text = &to->chance },
		{ 's', "seq", .flag = &to->sequential },
		{ .value = "TREE", .text = &to->tree },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	if (status == APP_GO_ON)
		status = check_options(to);
	set_defaults(to);
	return status;
}

/* A binomial tree is finite if its nodes have less than 1 child on average. */
static int
set_chance(struct uts_tree *tree, const char *text)
{
	char *end;

	tree->chance = strtod(text, &end);
	if (end != text && !*end && tree->chance >= 0 &&
	    tree->chance * tree->children < 1)
		return APP_GO_ON;
	return app_misuse("CHANCE must be from 0 to below 1/%d, not '%s'",
			  tree->children, text);
}

static int
get_tree(const struct options *options, struct uts_tree *tree)
{
	const char *name = options->tree ? options->tree : "T1";
	const struct uts_tree *known = uts_find(name);

	*tree = (struct uts_tree){
		.name = "own",
		.seed = (uint32_t)options->seed,
		.branching = (int)options->branching,
	};
	if (options->type == GEOMETRIC) {
		tree->depth = (int)options->depth;
		return APP_GO_ON;
	}
	if (options->type == BINOMIAL) {
		tree->children = (int)options->children;
		return set_chance(tree, options->chance);
	}
	if (!known)
		return app_misuse("there is no tree '%s'", name);
	*tree = *known;
	return APP_GO_ON;
}

STN_MAIN(argc, argv)
{
	struct options options = {
		.type = PUBLISHED,
		.seed = -1,
		.branching = -1,
		.depth = -1,
		.children = -1,
	};
	int status = read_options(argc, argv, &options);
	double start, seconds;
	struct uts_tree tree;
	long count;

	if (status == APP_GO_ON)
		status = get_tree(&options, &tree);
	if (status != APP_GO_ON)
		return status;
	start = STN_SECONDS();
	if (!options.sequential)
		STN_PROGRESS(0, count_told(&tree, uts_root(&tree)));
	count = options.sequential
			? count_below(&tree, uts_root(&tree))
			: STN_CALL(uts, STN_IN(&tree, 1), uts_root(&tree));
	STN_PROGRESS_END();
	seconds = STN_SECONDS() - start;
	printf("uts(%s) = %ld nodes\n", tree.name, count);
	printf("time: %.3f s\n", seconds);
	if (tree.nodes && count != tree.nodes)
		return app_complain(1, "%s has %ld nodes", tree.name,
				    tree.nodes);
	return 0;
}
