#include "emul/sim_pool.h"

#include <stdlib.h>

#define SLAB_BYTES 65536 /* a multiple of SIM_PIECE */

struct sim_spare {
	struct sim_spare *next;
};

/* The pieces follow, from the first multiple of SIM_PIECE on. */
struct sim_slab {
	struct sim_slab *next;
};

/* The size of a piece of @bytes, in units of SIM_PIECE, counted from 0. */
static size_t
piece_size(size_t bytes)
{
	return bytes ? (bytes - 1) / SIM_PIECE : 0;
}

static bool
add_slab(struct sim_pool *pool)
{
	struct sim_slab *slab = aligned_alloc(SIM_PIECE, SLAB_BYTES);

	if (!slab)
		return false;
	slab->next = pool->slabs;
	pool->slabs = slab;
	pool->free = (char *)slab + SIM_PIECE;
	pool->end = (char *)slab + SLAB_BYTES;
	return true;
}

/* A rest of a slab that is too small for this piece is lost. */
static void *
cut_piece(struct sim_pool *pool, size_t bytes)
{
	char *piece;

	if ((size_t)(pool->end - pool->free) < bytes && !add_slab(pool))
		return NULL;
	piece = pool->free;
	pool->free += bytes;
	return piece;
}

void *
sim_pool_take(struct sim_pool *pool, size_t bytes)
{
	size_t size = piece_size(bytes);
	struct sim_spare *spare;

	if (pool->unused || size >= SIM_PIECE_SIZES)
		return malloc(bytes);
	spare = pool->spares[size];
	if (!spare)
		return cut_piece(pool, (size + 1) * SIM_PIECE);
	pool->spares[size] = spare->next;
	return spare;
}

void
sim_pool_give(struct sim_pool *pool, void *piece, size_t bytes)
{
	size_t size = piece_size(bytes);
	struct sim_spare *spare = piece;

	if (pool->unused || size >= SIM_PIECE_SIZES) {
		free(piece);
		return;
	}
	spare->next = pool->spares[size];
	pool->spares[size] = spare;
}

void
sim_pool_fini(struct sim_pool *pool)
{
	struct sim_slab *next;

	for (struct sim_slab *slab = pool->slabs; slab; slab = next) {
		next = slab->next;
		free(slab);
	}
	*pool = (struct sim_pool){ 0 };
}
