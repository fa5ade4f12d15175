/*
 * ofi_memory.h: pools of memory, so that sending a message needs neither malloc
 * nor fresh pages. A pool belongs to one endpoint and has no lock. If memory
 * runs out, the program aborts (transport/memory.h).
 */
#ifndef STN_TRANSPORT_OFI_OFI_MEMORY_H
#define STN_TRANSPORT_OFI_OFI_MEMORY_H

#include <stddef.h>

/* Objects of one size. Starts as { .bytes = sizeof(the object) }. */
struct ofi_pool {
	size_t bytes;
	struct ofi_unused {
		struct ofi_unused *next;
	} * first; /* the beginnings of unused objects */
	unsigned count;
};

/*
 * ofi_pool_get: returns an object, whose bytes are undefined.
 * ofi_pool_put: takes it back.
 * ofi_pool_free: frees all unused objects.
 */
void *ofi_pool_get(struct ofi_pool *pool);
void ofi_pool_put(struct ofi_pool *pool, void *object);
void ofi_pool_free(struct ofi_pool *pool);

#define OFI_BLOCK_CLASSES 12

/* Blocks of bytes, for copies of payloads. Starts as zeros. */
struct ofi_blocks {
	struct ofi_block *first[OFI_BLOCK_CLASSES];
	size_t kept_bytes;
};

/*
 * ofi_block_get: returns a block of at least @bytes.
 * ofi_block_put: takes it back; @bytes may be NULL.
 * ofi_blocks_free: frees all unused blocks.
 */
void *ofi_block_get(struct ofi_blocks *blocks, size_t bytes);
void ofi_block_put(struct ofi_blocks *blocks, void *bytes);
void ofi_blocks_free(struct ofi_blocks *blocks);

#endif
