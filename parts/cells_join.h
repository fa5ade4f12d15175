/*
 * cells_join.h: an operation on cells begins on this node. Net lock held.
 */
#ifndef STN_PARTS_CELLS_JOIN_H
#define STN_PARTS_CELLS_JOIN_H

#include "parts/cells.h"

/*
 * stn_cells_start: the operation is set; no part of it has been swept. If it
 * replaces the parts by those of the newest cut, does so, in a new generation.
 * If it has a reach, asks for what the parts need.
 */
void stn_cells_start(struct stn_parts *array);

/*
 * stn_cells_planned: a plan has come. A node that has joined may have waited
 * for it. stn_cells_learn: this node has joined: the array has the parts of
 * @count homes.
 */
void stn_cells_planned(struct stn_parts *array);
void stn_cells_learn(struct stn_parts *array, const struct stn_home *homes,
		     uint32_t count);

#endif
