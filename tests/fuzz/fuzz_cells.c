/*
 * fuzz_cells.c: what messages about cells bring is either refused, or can be
 * used: leaves make a tree whose branches have each part once, questions count
 * keys within their bins, and a block's records, indices and summary lie within
 * it.
 *
 * Input: which of them (8 bits), a size of records (8 bits), then the payload.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parts/block.h"
#include "parts/cut.h"
#include "tests/fuzz/fuzz.h"

#define ENTRIES_MOST 64
#define BINS_MOST 65536

static int
ask_some(void *arg, uint32_t part, uint32_t branch)
{
	(void)arg;
	return (int)((part + branch) % 4);
}

static void
find_branch(void *arg, uint32_t branch, bool opened)
{
	const struct stn_octree *tree = arg;

	require(branch < tree->count);
	require(!opened || tree->branches[branch].leaf);
}

static void
check_tree(struct stn_octree *tree)
{
	uint32_t parts = 0;

	for (uint32_t i = 0; i < tree->count; i++) {
		const struct stn_branch *branch = &tree->branches[i];

		require(branch->next > i && branch->next <= tree->count);
		require(branch->cell.level >= 0 && branch->cell.level <= 21);
		require(branch->part + branch->parts <= tree->parts);
		if (!branch->leaf)
			continue;
		require(branch->part == parts && tree->branch_of[parts] == i);
		require(stn_octree_part(tree, tree->leaves[parts].key) ==
			parts);
		parts++;
	}
	require(parts == tree->parts);
	for (uint32_t i = 0; i < tree->parts; i++)
		stn_octree_walk(tree, i, ask_some, find_branch, tree);
}

static void
fuzz_leaves(const uint8_t *data, size_t size)
{
	const struct stn_cube cube = { { 0, 0, 0 }, 1 };
	struct stn_leaf leaves[ENTRIES_MOST];
	struct stn_octree tree;
	size_t count = size / sizeof(leaves[0]);

	if (count > ENTRIES_MOST)
		count = ENTRIES_MOST;
	memcpy(leaves, data, count * sizeof(leaves[0]));
	if (stn_octree_build(&tree, &cube, leaves, (uint32_t)count))
		return;
	check_tree(&tree);
	stn_octree_fini(&tree);
}

static void
fuzz_questions(const uint8_t *data, size_t size)
{
	static uint64_t counts[BINS_MOST];
	struct stn_question questions[ENTRIES_MOST];
	struct stn_record_key keys[ENTRIES_MOST];
	size_t count = size / sizeof(questions[0]), bins = 0;

	if (count > ENTRIES_MOST)
		count = ENTRIES_MOST;
	if (!count)
		return;
	memcpy(questions, data, count * sizeof(questions[0]));
	if (questions[count - 1].levels < 8)
		bins = questions[count - 1].bins +
		       ((size_t)1 << 3 * questions[count - 1].levels);
	if (bins > BINS_MOST || !stn_questions_valid(questions, count, bins))
		return;
	for (size_t i = 0; i < count; i++)
		keys[i] = questions[i].key;
	stn_questions_count(questions, count, keys, count, counts);
}

static void
fuzz_block(const uint8_t *data, size_t size, uint32_t record)
{
	struct stn_block *block = stn_block_landing(size);
	uint64_t count;

	if (!block)
		abort();
	memcpy(block->data, data, size);
	if (!stn_block_landed(block, record, size % 2)) {
		count = block->head->count;
		require(!count ||
			block->records + count * record <= block->data + size);
		require(!block->indices ||
			(unsigned char *)(block->indices + count) <=
				block->data + size);
		require(!block->summary ||
			block->summary + block->head->summary_bytes ==
				block->data + size);
	}
	stn_block_release(block);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	switch (data[0] % 3) {
	case 0:
		fuzz_leaves(data + 2, size - 2);
		break;
	case 1:
		fuzz_questions(data + 2, size - 2);
		break;
	default:
		fuzz_block(data + 2, size - 2, 1 + data[1]);
	}
	return 0;
}
