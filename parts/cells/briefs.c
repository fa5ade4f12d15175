#include "parts/cells/briefs.h"

#include <string.h>

#include "parts/array.h"

static size_t
brief_entry(const struct stn_cells *cells)
{
	return (sizeof(uint64_t) + cells->brief + STN_HARVEST_UNIT - 1) /
	       STN_HARVEST_UNIT * STN_HARVEST_UNIT;
}

struct stn_briefs
stn_briefs_begin(struct stn_parts *array, uint32_t most)
{
	return (struct stn_briefs){ .array = array, .most = most };
}

void
stn_briefs_add(struct stn_briefs *briefs, const struct stn_part *part)
{
	const struct stn_cells *cells = briefs->array->cells;
	const struct stn_block *block = part->memory.block;
	size_t entry = brief_entry(cells), bytes = block->head->summary_bytes;
	uint64_t number = part->number;
	unsigned char *to;

	if (!briefs->store)
		briefs->store = stn_block_landing(briefs->most * entry);
	if (!briefs->store)
		stn_array_no_memory(briefs->array);
	to = briefs->store->data + briefs->bytes;
	briefs->bytes += entry;
	memset(to, 0, entry);
	memcpy(to, &number, sizeof(number));
	if (bytes)
		memcpy(to + sizeof(number), block->summary,
		       bytes < cells->brief ? bytes : cells->brief);
}

static _Noreturn void
fail_briefs(const struct stn_parts *array)
{
	stn_node_fail(array->service->node,
		      "a node has sent malformed summaries of cells");
}

void
stn_briefs_note(const struct stn_parts *array, struct stn_block *store)
{
	struct stn_cells *cells = array->cells;
	size_t entry = brief_entry(cells);

	if (store->bytes % entry)
		fail_briefs(array);
	for (size_t at = 0; at < store->bytes; at += entry) {
		struct stn_copied *copied;
		uint64_t number;

		memcpy(&number, store->data + at, sizeof(number));
		if (number >= cells->copied_count)
			fail_briefs(array);
		copied = &cells->copied[number];
		if (copied->store)
			continue;
		stn_block_use(store);
		copied->store = store;
		copied->brief = store->data + at + sizeof(number);
	}
}
