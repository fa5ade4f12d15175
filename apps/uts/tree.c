#include "apps/uts/tree.h"

#include <endian.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <nettle/sha1.h>

#define DIGEST_WORDS 5

/* T1S is T1 cut off at depth 6, for tests. UTS publishes the other trees. */
const struct uts_tree uts_trees[] = {
	{ "T1S", .seed = 19, .branching = 4, .depth = 6, .nodes = 16000 },
	{ "T1", .seed = 19, .branching = 4, .depth = 10, .nodes = 4130071 },
	{ "T1L", .seed = 29, .branching = 4, .depth = 13, .nodes = 102181082 },
	{ "T1XL", .seed = 29, .branching = 4, .depth = 15,
	  .nodes = 1635119272 },
	{ "T1XXL", .seed = 19, .branching = 4, .depth = 15,
	  .nodes = 4230646601 },
	{ "T3", .seed = 42, .branching = 2000, .children = 8,
	  .chance = 0.124875, .nodes = 4112897 },
	{ "T3L", .seed = 7, .branching = 2000, .children = 5,
	  .chance = 0.200014, .nodes = 111345631 },
	{ 0 },
};

const struct uts_tree *
uts_find(const char *name)
{
	const struct uts_tree *tree;

	for (tree = uts_trees; tree->name; tree++)
		if (!strcmp(tree->name, name))
			return tree;
	return NULL;
}

/* SHA-1 of @count words, few enough for one block. */
static void
hash(const uint32_t *words, uint32_t count, uint32_t digest[DIGEST_WORDS])
{
	static const uint32_t initial[DIGEST_WORDS] = {
		0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
	};
	uint32_t block[SHA1_BLOCK_SIZE / 4] = { 0 };

	for (uint32_t i = 0; i < count; i++)
		block[i] = htobe32(words[i]);
	block[count] = htobe32(0x80000000);
	block[15] = htobe32(32 * count);
	memcpy(digest, initial, sizeof(initial));
	nettle_sha1_compress(digest, (const uint8_t *)block);
}

struct uts_node
uts_root(const struct uts_tree *tree)
{
	uint32_t words[DIGEST_WORDS] = { [4] = tree->seed };
	struct uts_node root = { .height = 0 };

	hash(words, DIGEST_WORDS, root.digest);
	return root;
}

struct uts_node
uts_child(const struct uts_node *node, int number)
{
	uint32_t words[DIGEST_WORDS + 1];
	struct uts_node child = { .height = node->height + 1 };

	memcpy(words, node->digest, sizeof(node->digest));
	words[DIGEST_WORDS] = (uint32_t)number;
	hash(words, DIGEST_WORDS + 1, child.digest);
	return child;
}

/* A node's random number: 0 or more, less than 1. */
static double
random_of(const struct uts_node *node)
{
	return (node->digest[4] & 0x7fffffff) / 2147483648.0;
}

/* Inverts the geometric distribution with the same operations as UTS. */
static int
geometric_children(const struct uts_tree *tree, const struct uts_node *node)
{
	double p = 1.0 / (1.0 + tree->branching);
	int children;

	if (node->height >= tree->depth)
		return 0;
	children = (int)floor(log(1 - random_of(node)) / log(1 - p));
	return children < UTS_CHILDREN_MOST ? children : UTS_CHILDREN_MOST;
}

int
uts_children(const struct uts_tree *tree, const struct uts_node *node)
{
	if (tree->depth)
		return geometric_children(tree, node);
	if (node->height == 0)
		return tree->branching;
	return random_of(node) < tree->chance ? tree->children : 0;
}
