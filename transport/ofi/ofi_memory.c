#include "transport/ofi/ofi_memory.h"

#include "transport/memory.h"

#define POOL_MOST 4096 /* objects kept; the rest of a burst is freed */
#define LEAST_BYTES                                                            \
	4096 /* of a block of the smallest class; each class doubles it */
#define KEPT_BYTES (32ul << 20) /* the most that unused blocks take */

struct ofi_block {
	struct ofi_block *next;
	size_t size_class;
	unsigned char bytes[] __attribute__((aligned(64)));
};

void *
ofi_pool_get(struct ofi_pool *pool)
{
	struct ofi_unused *object = pool->first;

	if (!object)
		return stn_or_abort(malloc(pool->bytes));
	pool->first = object->next;
	pool->count--;
	return object;
}

void
ofi_pool_put(struct ofi_pool *pool, void *object)
{
	struct ofi_unused *unused = object;

	if (pool->count == POOL_MOST) {
		free(object);
		return;
	}
	unused->next = pool->first;
	pool->first = unused;
	pool->count++;
}

void
ofi_pool_free(struct ofi_pool *pool)
{
	while (pool->count)
		free(ofi_pool_get(pool));
}

static size_t
class_bytes(size_t size_class)
{
	return (size_t)LEAST_BYTES << size_class;
}

void *
ofi_block_get(struct ofi_blocks *blocks, size_t bytes)
{
	struct ofi_block *block;
	size_t size_class = 0;

	while (size_class < OFI_BLOCK_CLASSES &&
	       class_bytes(size_class) < bytes)
		size_class++;
	if (size_class < OFI_BLOCK_CLASSES)
		bytes = class_bytes(size_class);
	if (size_class < OFI_BLOCK_CLASSES && blocks->first[size_class]) {
		block = blocks->first[size_class];
		blocks->first[size_class] = block->next;
		blocks->kept_bytes -= bytes;
		return block->bytes;
	}
	block = stn_or_abort(malloc(sizeof(*block) + bytes));
	block->size_class = size_class;
	return block->bytes;
}

void
ofi_block_put(struct ofi_blocks *blocks, void *bytes)
{
	struct ofi_block *block;
	size_t size;

	if (!bytes)
		return;
	block = (struct ofi_block *)((char *)bytes -
				     offsetof(struct ofi_block, bytes));
	size = class_bytes(block->size_class);
	if (block->size_class == OFI_BLOCK_CLASSES ||
	    blocks->kept_bytes + size > KEPT_BYTES) {
		free(block);
		return;
	}
	block->next = blocks->first[block->size_class];
	blocks->first[block->size_class] = block;
	blocks->kept_bytes += size;
}

void
ofi_blocks_free(struct ofi_blocks *blocks)
{
	for (size_t i = 0; i < OFI_BLOCK_CLASSES; i++)
		while (blocks->first[i]) {
			struct ofi_block *block = blocks->first[i];

			blocks->first[i] = block->next;
			free(block);
		}
	blocks->kept_bytes = 0;
}
