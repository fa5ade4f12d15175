/*
 * ofi_memory.h: memory that is used again and again, so that the way of a
 * message never goes through malloc, nor through pages that are new. No locks:
 * it belongs to one endpoint. Without memory the program aborts: a transport
 * can't go on without what it has promised to do.
 */
#ifndef STN_TRANSPORT_OFI_OFI_MEMORY_H
#define STN_TRANSPORT_OFI_OFI_MEMORY_H

#include <stddef.h>

/* Objects of one size. Starts as { .bytes = sizeof(the object) }. */
struct ofi_spares {
	size_t bytes;
	void *first;
	unsigned count;
};

/* ofi_spares_take: an object, whose bytes are anything. _give: gives it back.
 */
void *ofi_spares_take(struct ofi_spares *spares);
void ofi_spares_give(struct ofi_spares *spares, void *object);
void ofi_spares_free(struct ofi_spares *spares);

#define OFI_BLOCK_CLASSES 12

/* Blocks of bytes, for payloads that must be copied. Starts as zeros. */
struct ofi_blocks {
	struct ofi_block *first[OFI_BLOCK_CLASSES];
	size_t kept_bytes;
};

/* ofi_block_take: room for @bytes. ofi_block_give: takes NULL, too. */
void *ofi_block_take(struct ofi_blocks *blocks, size_t bytes);
void ofi_block_give(struct ofi_blocks *blocks, void *bytes);
void ofi_blocks_free(struct ofi_blocks *blocks);

#endif
