/*
 * octree.h: how the records of an array of cells are cut into parts, and what
 * each part needs of the others. Only arithmetic: the same leaves make the same
 * tree on all nodes.
 *
 * The branches of the tree are in preorder, which is Morton order; cells
 * without records are left out. If there are no records, the cube is the only
 * part.
 */
#ifndef STN_PARTS_OCTREE_H
#define STN_PARTS_OCTREE_H

#include <stddef.h>

#include "parts/cells/morton.h"
#include "transport/error.h"

/* A part, as it is cut; also on the wire. */
struct stn_leaf {
	struct stn_record_key key;    /* the lowest one */
	uint64_t count;		      /* records */
	uint32_t level : 8, set : 24; /* the resident set: see seats.h */
	uint32_t home;		      /* the node where that set was */
};

/* A cell of the tree, with or without children. */
struct stn_branch {
	struct stn_cell cell;
	uint32_t next; /* the branch behind its last descendant */
	uint32_t part; /* the first one in it */
	uint32_t parts;
	bool leaf;
};

struct stn_octree {
	struct stn_cube cube;
	struct stn_leaf *leaves;
	struct stn_branch *branches;
	uint32_t *branch_of;	     /* of each part */
	uint32_t parts, count, room; /* of branches */
};

/*
 * stn_octree_build: the tree of @parts leaves, which it copies. STN_NO_MEMORY;
 * STN_MALFORMED if the leaves can't be those of a tree.
 */
STN_CHECKED enum stn_err stn_octree_build(struct stn_octree *tree,
					  const struct stn_cube *cube,
					  const struct stn_leaf *leaves,
					  uint32_t parts);
void stn_octree_fini(struct stn_octree *tree);

/*
 * stn_octree_inner: how many branches with children come before branch @branch.
 * stn_octree_inners: how many there are.
 */
static inline uint32_t
stn_octree_inner(const struct stn_octree *tree, uint32_t branch)
{
	/* Of the branches before it, one for each part there has no children. */
	return branch - tree->branches[branch].part;
}

static inline uint32_t
stn_octree_inners(const struct stn_octree *tree)
{
	return tree->count - tree->parts;
}

/* What the reach of part @part returns for @branch: enum stn_reaches. */
typedef int stn_octree_asks(void *arg, uint32_t part, uint32_t branch);

/* Gets a branch that is taken, or a part that is opened. */
typedef void stn_octree_finds(void *arg, uint32_t branch, bool opened);

/*
 * stn_octree_walk: asks for each branch that part @part may need, and tells
 * what it needs, in Morton order.
 */
void stn_octree_walk(const struct stn_octree *tree, uint32_t part,
		     stn_octree_asks *asks, stn_octree_finds *finds, void *arg);

/* stn_octree_part: the part that has the records of key @key. */
uint32_t stn_octree_part(const struct stn_octree *tree,
			 struct stn_record_key key);

#endif
