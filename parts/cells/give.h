/*
 * give.h: the node of the caller of STN_CELLS_PUT sends the records to the homes
 * of the new parts.
 */
#ifndef STN_PARTS_GIVE_H
#define STN_PARTS_GIVE_H

#include "parts/cells/given.h"

/*
 * stn_give_pack: makes parcels of the records, for the newest cut. No lock, but
 * the parts must not return to an earlier version meanwhile (stn_cells_hold).
 * stn_give_begin: the operation PLACE begins on this node. If a death has undone
 * the operation, and its caller was here, sends the records again. Ends the run
 * with one line if the records aren't kept any more. Net lock held.
 */
void stn_give_pack(struct stn_parts *array, const struct stn_given *given,
		   struct stn_parcels *parcels);
void stn_give_begin(struct stn_parts *array);

#endif
