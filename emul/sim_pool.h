/*
 * sim_pool.h: small pieces of memory, which a share takes and gives back all
 * the time, for messages on their way. There is one list of free pieces for
 * each size: the piece given back last, which is in a cache, is taken next.
 */
#ifndef STN_EMUL_SIM_POOL_H
#define STN_EMUL_SIM_POOL_H

#include <stdbool.h>
#include <stddef.h>

#define SIM_PIECE 64	  /* sizes of pieces are multiples of it */
#define SIM_PIECE_SIZES 4 /* so many sizes; the pool has no larger pieces */

struct sim_spare;
struct sim_slab;

/* All zeros: an empty pool. */
struct sim_pool {
	bool unused; /* all pieces are from malloc */
	struct sim_spare *spares[SIM_PIECE_SIZES];
	struct sim_slab *slabs;
	char *free, *end; /* the free part of the newest slab */
};

/*
 * sim_pool_take: a piece of at least @bytes; from malloc if that is more than
 * the largest size. NULL: no memory.
 * sim_pool_give: gives a piece back; @bytes as it was taken.
 * sim_pool_fini: frees all pieces of at most SIM_PIECE * SIM_PIECE_SIZES bytes,
 * also those that were not given back.
 */
void *sim_pool_take(struct sim_pool *pool, size_t bytes);
void sim_pool_give(struct sim_pool *pool, void *piece, size_t bytes);
void sim_pool_fini(struct sim_pool *pool);

#endif
