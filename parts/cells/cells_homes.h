/*
 * cells_homes.h: which nodes get the parts of a new cut.
 */
#ifndef STN_PARTS_CELLS_HOMES_H
#define STN_PARTS_CELLS_HOMES_H

#include "parts/cells/cells.h"

/*
 * stn_cells_choose_homes: sets the homes of new parts: equal runs of all
 * @records records in their order, one for each resident set. Net lock held.
 */
void stn_cells_choose_homes(const struct stn_parts *array,
			    struct stn_leaf *leaves, uint32_t count,
			    uint64_t records);

#endif
