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

#endif
