/*
 * uts: counts the nodes of a tree of which nobody knows beforehand where it is
 * deep. Every node is a task.
 */
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/options.h"
#include "apps/uts/tree.h"

struct options {
	const char *tree;
	bool sequential;
};

static const char help[] =
	"usage: uts [--seq] [TREE]\n"
	"Counts the nodes of one of the trees of the unbalanced tree search\n"
	"benchmark; every node is a task.\n"
	"\n"
	"  TREE        T1 or T1L, geometric trees of 4 and of 102 million\n"
	"              nodes; T3 or T3L, binomial ones of 4 and of 111 "
	"million;\n"
	"              T1S, of 16 thousand (default T1)\n"
	"  -s, --seq   count in plain C, without the runtime\n"
	"  -h, --help  show this\n";

static long
count_below(const struct uts_tree *tree, struct uts_node node)
{
	int children = uts_children(tree, &node);
	long count = 1;

	for (int i = 0; i < children; i++)
		count += count_below(tree, uts_child(&node, i));
	return count;
}

STN_TASK(long, uts, int, tree, struct uts_node, node)
{
	int children = uts_children(&uts_trees[tree], &node);
	long count = 1;

	for (int i = 0; i < children; i++)
		STN_SPAWN(uts, tree, uts_child(&node, i));
	for (int i = 0; i < children; i++)
		count += STN_SYNC(uts);
	return count;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 's', "seq", .flag = &to->sequential },
		{ .value = "TREE", .text = &to->tree },
		{ 0 },
	};

	return app_options(argc, argv, help, table);
}

STN_MAIN(argc, argv)
{
	struct options options = { .tree = "T1" };
	int status = read_options(argc, argv, &options);
	const struct uts_tree *tree;
	double start, seconds;
	long count;

	if (status != APP_GO_ON)
		return status;
	tree = uts_find(options.tree);
	if (!tree)
		return app_misuse("there is no tree '%s'", options.tree);
	start = app_seconds();
	count = options.sequential ? count_below(tree, uts_root(tree))
				   : STN_CALL(uts, (int)(tree - uts_trees),
					      uts_root(tree));
	seconds = app_seconds() - start;
	printf("uts(%s) = %ld nodes\n", tree->name, count);
	printf("time: %.3f s\n", seconds);
	if (count != tree->nodes)
		return app_complain(1, "%s has %ld nodes", tree->name,
				    tree->nodes);
	return 0;
}
