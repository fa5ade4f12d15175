#include "transport/ofi/ofi_memory.h"

#include <stdlib.h>
#include <string.h>

#define SPARES 4096		/* kept of a size; a burst's rest is freed */
#define LEAST_BYTES 4096	/* of a block; classes are its doubles */
#define KEPT_BYTES (32ul << 20) /* of blocks */

struct ofi_block {
	struct ofi_block *next;
	size_t size_class;
	unsigned char bytes[] __attribute__((aligned(64)));
};

static void *
allocate(size_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory)
		abort();
	return memory;
}

/* A spare's first bytes say where the next one is. */
static void *
next_of(const void *object)
{
	void *next;

	memcpy(&next, object, sizeof(next));
	return next;
}

void *
ofi_spares_take(struct ofi_spares *spares)
{
	void *object = spares->first;

	if (!object)
		return allocate(spares->bytes);
	spares->first = next_of(object);
	spares->count--;
	return object;
}

void
ofi_spares_give(struct ofi_spares *spares, void *object)
{
	if (spares->count == SPARES) {
		free(object);
		return;
	}
	memcpy(object, &spares->first, sizeof(spares->first));
	spares->first = object;
	spares->count++;
}

void
ofi_spares_free(struct ofi_spares *spares)
{
	while (spares->first) {
		void *next = next_of(spares->first);

		free(spares->first);
		spares->first = next;
	}
	spares->count = 0;
}

static size_t
class_bytes(size_t size_class)
{
	return (size_t)LEAST_BYTES << size_class;
}

void *
ofi_block_take(struct ofi_blocks *blocks, size_t bytes)
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
	block = allocate(sizeof(*block) + bytes);
	block->size_class = size_class;
	return block->bytes;
}

void
ofi_block_give(struct ofi_blocks *blocks, void *bytes)
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
