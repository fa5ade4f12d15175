/*
 * block.h: the memory of a part of an array of cells: records, their indices,
 * and a summary. Several may use a block at a time: the part itself, kernels of
 * other parts that read it, and messages that carry it. A copy of a part of
 * another node has no indices.
 *
 * On the wire: a head, the records, the indices, the summary; each begins at a
 * multiple of STN_BLOCK_ALIGNMENT bytes.
 */
#ifndef STN_PARTS_BLOCK_H
#define STN_PARTS_BLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "transport/error.h"

#define STN_BLOCK_ALIGNMENT 64

struct stn_block_head {
	uint64_t count, summary_bytes;
	uint64_t cost_ns;   /* of the last sweep of the part; 0: unknown */
	uint64_t cost_task; /* the kernel of that sweep */
	uint64_t unused[4];
};

struct stn_block {
	_Atomic(uint32_t) users;
	uint32_t
		sending; /* messages; net lock. The part is not swept meanwhile,
			  * because that would change what they carry */
	size_t bytes;	 /* of data */
	unsigned char *records;
	uint64_t *indices; /* NULL: it is a copy */
	unsigned char *summary;
	bool summary_apart; /* not in data */
	struct stn_block_head *head;
	unsigned char data[] __attribute__((aligned(STN_BLOCK_ALIGNMENT)));
};

/* stn_block_align: @bytes, or some more, so that the next thing is aligned. */
size_t stn_block_align(size_t bytes);

/*
 * stn_block_create: a block of @count records of @record bytes, with indices,
 * for one user. NULL: no memory.
 * stn_block_use, stn_block_release: one user more, or less. Any thread.
 * stn_block_release takes NULL.
 */
struct stn_block *stn_block_create(uint64_t count, uint32_t record);
void stn_block_use(struct stn_block *block);
void stn_block_release(struct stn_block *block);

/*
 * stn_block_summarise: gives the block a summary of @bytes bytes, zeroed, in
 * place of any other; 0: none. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_block_summarise(struct stn_block *block,
					     size_t bytes);

/*
 * stn_block_pieces: the block as it is sent, with @indices or without. Returns
 * the number of pieces.
 * stn_block_landing: a block for a payload of @bytes bytes. NULL: no memory.
 * stn_block_landed: the payload, with @indices or without, has landed in it.
 * STN_MALFORMED.
 */
uint32_t stn_block_pieces(const struct stn_block *block, uint32_t record,
			  bool indices, struct iovec pieces[2]);
struct stn_block *stn_block_landing(size_t bytes);
STN_CHECKED enum stn_err stn_block_landed(struct stn_block *block,
					  uint32_t record, bool indices);

#endif
