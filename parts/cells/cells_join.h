/*
 * cells_join.h: an operation on cells begins on this node. Net lock held.
 */
#ifndef STN_PARTS_CELLS_JOIN_H
#define STN_PARTS_CELLS_JOIN_H

#include "parts/cells/cells.h"

/*
 * stn_cells_start: the operation is set; no part of it has been swept. If it
 * replaces the parts by those of the newest cut, does so, in a new generation.
 * If it has a reach, asks for what the parts need.
 */
void stn_cells_start(struct stn_parts *array);

/*
 * stn_cells_tell: on the root: writes to @known what a node that has joined
 * needs to know of the cells.
 * stn_cells_learn: this node has joined: the array has the parts of @count
 * homes. The node takes part when it has all plans that the root has.
 * stn_cells_planned: a plan has come. It may be the last of them.
 * stn_cells_unlearn: a view comes before the last plan: forgets the array,
 * because the root sends everything again. Returns false if this node knows the
 * array.
 */
void stn_cells_tell(const struct stn_parts *array,
		    struct stn_parts_known *known);
void stn_cells_learn(struct stn_parts *array,
		     const struct stn_parts_known *known,
		     const struct stn_home *homes, uint32_t count);
void stn_cells_planned(struct stn_parts *array);
bool stn_cells_unlearn(struct stn_parts *array);

/*
 * stn_cells_recount: the parts are to return to an earlier version, on the
 * array's homes: finds out how many parts there will be, and which plans have
 * made that version.
 * stn_cells_return: when no worker sweeps a part, and the parts are gone: sets
 * the tree and the briefs of that version.
 */
void stn_cells_recount(struct stn_parts *array);
void stn_cells_return(struct stn_parts *array);

#endif
