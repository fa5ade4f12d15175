/*
 * cells_turn.h: what a worker does with a part of cells in its turn (sweep.c).
 */
#ifndef STN_PARTS_CELLS_TURN_H
#define STN_PARTS_CELLS_TURN_H

#include "parts/cells/cells.h"

/* A turn: what sweep.c gives, and what it gets. */
struct stn_cells_turn {
	struct stn_part *part;
	struct stn_deque *deque;
	const struct stn_record *record; /* the kernel's arguments */
	const struct stn_task *kernel;	 /* NULL: the operation has none */
	uint64_t work;			 /* in units */
	double value;			 /* of a measure */
};

/*
 * stn_cells_turn_begin, _end: before and after it. Net lock held.
 * stn_cells_turn: no lock.
 */
void stn_cells_turn_begin(struct stn_part *part);
void stn_cells_turn(struct stn_cells_turn *turn);
void stn_cells_turn_end(struct stn_part *part, uint64_t took_ns);

#endif
