#include "parts/octree.h"

#include <stdlib.h>
#include <string.h>

static enum stn_err
add_branch(struct stn_octree *tree, uint32_t first, uint32_t end,
	   uint32_t level)
{
	const struct stn_leaf *leaf = &tree->leaves[first];

	if (tree->count == tree->room) {
		uint32_t room = 2 * tree->room + 64;
		struct stn_branch *larger =
			reallocarray(tree->branches, room, sizeof(larger[0]));

		if (!larger)
			return STN_NO_MEMORY;
		tree->branches = larger;
		tree->room = room;
	}
	tree->branches[tree->count++] = (struct stn_branch){
		.cell = stn_cell_at(&tree->cube, leaf->key, level),
		.part = first,
		.parts = end - first,
		.leaf = end - first == 1 && leaf->level == level,
	};
	return STN_OK;
}

/* The first of the leaves up to @end that is not in the octant of @first. */
static uint32_t
octant_end(const struct stn_octree *tree, uint32_t first, uint32_t end,
	   uint32_t level)
{
	uint32_t octant = stn_key_octant(tree->leaves[first].key, level);

	while (first < end &&
	       stn_key_octant(tree->leaves[first].key, level) == octant)
		first++;
	return first;
}

/* The branch of leaves @first to @end - 1, with its descendants. */
static enum stn_err
build_branch(struct stn_octree *tree, uint32_t first, uint32_t end,
	     uint32_t level)
{
	uint32_t branch = tree->count;
	enum stn_err err = add_branch(tree, first, end, level);

	if (!err && tree->branches[branch].leaf)
		tree->branch_of[first] = branch;
	else if (!err && level >= STN_KEY_LEVELS)
		err = STN_MALFORMED;
	else
		while (!err && first < end) {
			uint32_t next = octant_end(tree, first, end, level);

			err = build_branch(tree, first, next, level + 1);
			first = next;
		}
	if (!err)
		tree->branches[branch].next = tree->count;
	return err;
}

/* Whether the leaves are in order, and no cell contains another one. */
static bool
leaves_valid(const struct stn_leaf *leaves, uint32_t parts)
{
	for (uint32_t i = 0; i < parts; i++) {
		const struct stn_leaf *leaf = &leaves[i];
		struct stn_record_key first;

		if (leaf->level > STN_KEY_LEVELS)
			return false;
		first = stn_key_first(leaf->key, leaf->level);
		if (stn_key_below(first, leaf->key) ||
		    (i &&
		     !stn_key_below(stn_key_last(leaf[-1].key, leaf[-1].level),
				    leaf->key)))
			return false;
	}
	return parts;
}

enum stn_err
stn_octree_build(struct stn_octree *tree, const struct stn_cube *cube,
		 const struct stn_leaf *leaves, uint32_t parts)
{
	enum stn_err err;

	*tree = (struct stn_octree){ .cube = *cube, .parts = parts };
	if (!leaves_valid(leaves, parts) || !(cube->width > 0))
		return STN_MALFORMED;
	tree->leaves = reallocarray(NULL, parts, sizeof(leaves[0]));
	tree->branch_of = reallocarray(NULL, parts, sizeof(uint32_t));
	err = tree->leaves && tree->branch_of ? STN_OK : STN_NO_MEMORY;
	if (!err) {
		memcpy(tree->leaves, leaves, parts * sizeof(leaves[0]));
		err = build_branch(tree, 0, parts, 0);
	}
	if (err)
		stn_octree_fini(tree);
	return err;
}

void
stn_octree_fini(struct stn_octree *tree)
{
	free(tree->leaves);
	free(tree->branches);
	free(tree->branch_of);
	*tree = (struct stn_octree){ 0 };
}

void
stn_octree_walk(const struct stn_octree *tree, uint32_t part,
		stn_octree_asks *asks, stn_octree_finds *finds, void *arg)
{
	uint32_t i = 0;

	while (i < tree->count) {
		const struct stn_branch *branch = &tree->branches[i];
		bool contains = part - branch->part < branch->parts, opens;
		int answer = STN_REACH_OPEN;

		if (!contains)
			answer = asks(arg, part, i);
		opens = answer == STN_REACH_OPEN || answer == STN_REACH_BOTH;
		if (answer == STN_REACH_TAKE || answer == STN_REACH_BOTH)
			finds(arg, i, false);
		if (opens && branch->leaf && !contains)
			finds(arg, i, true);
		i = opens ? i + 1 : branch->next;
	}
}

uint32_t
stn_octree_part(const struct stn_octree *tree, struct stn_record_key key)
{
	uint32_t low = 0, high = tree->parts;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (stn_key_below(key, tree->leaves[middle].key))
			high = middle;
		else
			low = middle;
	}
	return low;
}
