/*
 * news_board.h: a set of nodes that have registered at this one, as bits.
 */
#ifndef STN_PARTS_NEWS_NEWS_BOARD_H
#define STN_PARTS_NEWS_NEWS_BOARD_H

#include "node/random.h"
#include "transport/error.h"
#include "transport/topology.h"

struct stn_board {
	uint32_t nodes, registered;
	uint64_t *words; /* NULL: there is no board */
};

/*
 * stn_board_init: for the nodes 0 to @nodes - 1, of which all are registered at
 * first if @all, else none. STN_NO_MEMORY.
 * stn_board_fini: frees it; also one that is all zeros.
 */
STN_CHECKED enum stn_err stn_board_init(struct stn_board *board, uint32_t nodes,
					bool all);
void stn_board_fini(struct stn_board *board);

/* stn_board_put: node @number, below nodes, is registered from now on, or not.
 */
void stn_board_put(struct stn_board *board, uint32_t number, bool registered);

/*
 * stn_board_pick: a registered node other than @but, all equally likely;
 * STN_NOBODY if there is none. O(nodes / 64).
 */
uint32_t stn_board_pick(const struct stn_board *board, uint32_t but,
			struct stn_random *random);

#endif
