/*
 * tree.h: the trees of UTS, the unbalanced tree search benchmark (Olivier et
 * al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006).
 *
 * A node is a SHA-1 digest. The digest decides how many children the node has.
 * The digest of a child is the hash of its parent's digest and its number. So
 * no tree is stored in memory, all processes see the same tree, and only a walk
 * shows how large a subtree is.
 */
#ifndef UTS_TREE_H
#define UTS_TREE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UTS_ROOT_MOST 1000000 /* children of a binomial tree's root */
#define UTS_CHILDREN_MOST 100 /* children of any other node */
#define UTS_DEPTH_MOST 1000   /* of a geometric tree */

/*
 * A tree is of one of two kinds. Geometric (UTS's options -t 1 -a 3): down to
 * @depth, the numbers of children have a geometric distribution with the mean
 * @branching. Binomial (-t 0; here @depth is 0): the root has @branching
 * children, and any other node has @children children with probability @chance,
 * or else none.
 */
struct uts_tree {
	const char *name;
	uint32_t seed;
	int branching, depth, children;
	double chance;
	long nodes; /* as published; 0 if unknown */
};

struct uts_node {
	uint32_t digest[5];
	int32_t height;
};

/* All trees with names. An entry without a name ends the array. */
extern const struct uts_tree uts_trees[];

/* uts_find: the tree called @name, or NULL. */
const struct uts_tree *uts_find(const char *name);

struct uts_node uts_root(const struct uts_tree *tree);

/*
 * uts_children: the number of children of @node. uts_child: child @number of
 * @node, from 0 on.
 */
int uts_children(const struct uts_tree *tree, const struct uts_node *node);
struct uts_node uts_child(const struct uts_node *node, int number);

#ifdef __cplusplus
}
#endif

#endif
