/*
 * cells_revive.h: an array of cells gets a version that is on disk: the plans of
 * its history (survive/stored.h). Net lock held.
 */
#ifndef STN_PARTS_CELLS_REVIVE_H
#define STN_PARTS_CELLS_REVIVE_H

#include "parts/cells/cells.h"
#include "parts/survive/stored.h"

/* stn_cells_stored_parts: how many parts the version of the history has. */
uint32_t stn_cells_stored_parts(const struct stn_stored_read *read);

/*
 * stn_cells_rehome: on the root: the homes in the cut of the history, whose
 * bytes change, become nodes of this run.
 * stn_cells_revive: the array gets the cut, its homes and the summaries of the
 * history, for version array->restored. It has no parts yet. Ends the run if
 * the cut is malformed. STN_NO_MEMORY.
 * stn_cells_unrevive: forgets that again, and has the parts from before the
 * first cut.
 */
void stn_cells_rehome(const struct stn_parts *array,
		      const struct stn_stored_read *read);
STN_CHECKED enum stn_err stn_cells_revive(struct stn_parts *array,
					  const struct stn_stored_read *read);
void stn_cells_unrevive(struct stn_parts *array);

#endif
