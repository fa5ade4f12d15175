/*
 * halo.h: pieces of parts, on their way to the halos of other parts.
 */
#ifndef STN_PARTS_HALO_H
#define STN_PARTS_HALO_H

#include "parts/parts.h"

/*
 * stn_halo_cut: copies the pieces that other parts need of @part, which is
 * running, to @landings, as those of @version. May take the memory of pieces
 * that have landed for the part's version. No lock.
 * stn_halo_deliver: sends each of @landings to the node that has its part, or
 * lets it land here. Frees them when they have left. Notes whether the part has
 * neighbours elsewhere. Net lock held.
 * stn_halo_unpack: copies the pieces that have landed into the halo of the
 * part, which is running and has all of them. No lock.
 */
void stn_halo_cut(struct stn_part *part, uint64_t version,
		  struct stn_landings *landings);
void stn_halo_deliver(struct stn_part *part, struct stn_landings *landings);
void stn_halo_unpack(struct stn_part *part);

/*
 * stn_halo_take: a piece has arrived. STN_MALFORMED. Net lock held.
 * stn_halo_pass: a piece is here: lets it land if its part is here or arriving,
 * or else sends it to the part's home. Net lock held.
 */
STN_CHECKED enum stn_err stn_halo_take(struct stn_parts *array,
				       const struct stn_message *message,
				       const struct stn_parts_piece *header);
void stn_halo_pass(struct stn_parts *array, struct stn_landing *landing);

#endif
