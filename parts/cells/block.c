#include "parts/cells/block.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_MOST (UINT64_C(1) << 32) /* of a part */

size_t
stn_block_align(size_t bytes)
{
	return (bytes + STN_BLOCK_ALIGNMENT - 1) / STN_BLOCK_ALIGNMENT *
	       STN_BLOCK_ALIGNMENT;
}

static size_t
head_and_records(uint64_t count, uint32_t record)
{
	return stn_block_align(sizeof(struct stn_block_head)) +
	       stn_block_align(count * record);
}

struct stn_block *
stn_block_landing(size_t bytes)
{
	struct stn_block *block = aligned_alloc(
		STN_BLOCK_ALIGNMENT, stn_block_align(sizeof(*block) + bytes));

	if (!block)
		return NULL;
	memset(block, 0, sizeof(*block));
	block->users = 1;
	block->bytes = bytes;
	block->head = (struct stn_block_head *)block->data;
	return block;
}

static void
set_places(struct stn_block *block, uint32_t record, bool indices)
{
	uint64_t count = block->head->count;

	block->records = block->data + stn_block_align(sizeof(*block->head));
	if (indices)
		block->indices = (uint64_t *)(block->data +
					      head_and_records(count, record));
}

struct stn_block *
stn_block_create(uint64_t count, uint32_t record)
{
	size_t bytes =
		head_and_records(count, record) + stn_block_align(8 * count);
	struct stn_block *block = stn_block_landing(bytes);

	if (!block)
		return NULL;
	*block->head = (struct stn_block_head){ .count = count };
	set_places(block, record, true);
	return block;
}

void
stn_block_use(struct stn_block *block)
{
	/* Relaxed: its user has got it under the net lock. */
	atomic_fetch_add_explicit(&block->users, 1, memory_order_relaxed);
}

static void
drop_summary(struct stn_block *block)
{
	if (block->summary_apart)
		free(block->summary);
	block->summary = NULL;
	block->summary_apart = false;
}

void
stn_block_release(struct stn_block *block)
{
	/* What the other users have read comes before the memory is freed. */
	if (!block || atomic_fetch_sub_explicit(&block->users, 1,
						memory_order_acq_rel) > 1)
		return;
	drop_summary(block);
	free(block);
}

enum stn_err
stn_block_summarise(struct stn_block *block, size_t bytes)
{
	drop_summary(block);
	block->head->summary_bytes = bytes;
	if (!bytes)
		return STN_OK;
	block->summary =
		aligned_alloc(STN_BLOCK_ALIGNMENT, stn_block_align(bytes));
	if (!block->summary)
		return STN_NO_MEMORY;
	block->summary_apart = true;
	memset(block->summary, 0, stn_block_align(bytes));
	return STN_OK;
}

uint32_t
stn_block_pieces(const struct stn_block *block, uint32_t record, bool indices,
		 struct iovec pieces[2])
{
	uint64_t count = block->head->count;
	size_t bytes = head_and_records(count, record);

	if (indices)
		bytes += stn_block_align(8 * count);
	pieces[0] = (struct iovec){ (void *)block->data, bytes };
	pieces[1] =
		(struct iovec){ block->summary, block->head->summary_bytes };
	return 1 + (block->head->summary_bytes > 0);
}

enum stn_err
stn_block_landed(struct stn_block *block, uint32_t record, bool indices)
{
	const struct stn_block_head *head = block->head;
	size_t bytes;

	if (block->bytes < sizeof(*head) || head->count > RECORDS_MOST)
		return STN_MALFORMED;
	bytes = head_and_records(head->count, record);
	if (indices)
		bytes += stn_block_align(8 * head->count);
	if (block->bytes < bytes || block->bytes - bytes != head->summary_bytes)
		return STN_MALFORMED;
	set_places(block, record, indices);
	if (head->summary_bytes)
		block->summary = block->data + bytes;
	return STN_OK;
}
