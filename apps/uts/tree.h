/*
 * tree.h: the trees of UTS, the unbalanced tree search benchmark (Olivier et
 * al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006). A node is a
 * SHA-1 digest; its digest decides how many children it has, and hashed with
 * a child's number it is that child. So a tree is nowhere in memory, looks the
 * same to whoever walks it, and nobody can tell how large a part of it is.
 */
#ifndef UTS_TREE_H
#define UTS_TREE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UTS_ROOT_MOST 1000000 /* children of a binomial tree's root, */
#define UTS_CHILDREN_MOST 100 /*   and of any other node */
#define UTS_DEPTH_MOST 1000   /* of a geometric tree */

/*
 * Two kinds. Geometric (UTS's -t 1 -a 3): down to @depth, numbers of children
 * are distributed geometrically with mean @branching. Binomial (-t 0; depth 0
 * here): the root has @branching children, any other node has @children of
 * them with probability @chance, or none.
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

/* All trees there are, up to one without a name. */
extern const struct uts_tree uts_trees[];

/* uts_find: the tree called @name, or NULL. */
const struct uts_tree *uts_find(const char *name);

struct uts_node uts_root(const struct uts_tree *tree);

/* uts_children: how many @node has; uts_child: one of them, from 0 on. */
int uts_children(const struct uts_tree *tree, const struct uts_node *node);
struct uts_node uts_child(const struct uts_node *node, int number);

#ifdef __cplusplus
}
#endif

#endif
