/*
 * depart.h: a node that leaves the run gives its parts to others. Net lock
 * held.
 *
 * It gives each part to the home of the part with the nearest number that
 * another node has. Meanwhile it passes pieces on. When it has no parts any
 * more, it tells all nodes where the parts are that it has ever had (HOMES).
 * Each node answers (NOTED) when it has noted that and has applied the view that
 * lets the node leave; then it sends no pieces and gives no parts there any
 * more. A part may have arrived before that answer; then the node gives it
 * away and tells all nodes again. At last it says that it is clear (CLEAR): its
 * end is not the loss of a part.
 */
#ifndef STN_PARTS_MOVES_DEPART_H
#define STN_PARTS_MOVES_DEPART_H

#include "parts/parts.h"

/*
 * stn_depart: see leave in node/service.h.
 * stn_depart_part: this node leaves: gives the part away, if it can move.
 * stn_depart_died: a node is gone, which may have owed an answer: all nodes are
 * told again.
 * stn_depart_homes: HOMES has arrived from node @message->from, which leaves.
 * STN_MALFORMED.
 * stn_depart_noted: NOTED has arrived, an answer to this node.
 * stn_depart_clear: CLEAR has arrived from node @from.
 * stn_depart_is_clear: whether node @rank has sent CLEAR.
 */
bool stn_depart(struct stn_parts_service *service);
void stn_depart_part(struct stn_part *part);
void stn_depart_died(struct stn_parts_service *service);
STN_CHECKED enum stn_err stn_depart_homes(struct stn_parts *array,
					  const struct stn_message *message,
					  const struct stn_parts_homes *header);
void stn_depart_noted(struct stn_parts_service *service,
		      const struct stn_parts_homes *header);
void stn_depart_clear(struct stn_parts_service *service, uint32_t from);
bool stn_depart_is_clear(const struct stn_parts_service *service,
			 uint32_t rank);

#endif
