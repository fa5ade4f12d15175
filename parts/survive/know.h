/*
 * know.h: a node that has joined the run learns which arrays there are: their
 * shapes, their histories, their current operations, and where their parts are.
 * Then it can take part, and may become the root. Net lock held.
 */
#ifndef STN_PARTS_SURVIVE_KNOW_H
#define STN_PARTS_SURVIVE_KNOW_H

#include "parts/parts.h"

/*
 * stn_know_send: on the root: sends node @to a description of the array (KNOW).
 * stn_know_take: KNOW has arrived: receives its payload, and then makes the
 * array on this node.
 */
void stn_know_send(struct stn_parts *array, uint32_t to);
void stn_know_take(struct stn_parts_service *service,
		   const struct stn_message *message,
		   const struct stn_parts_know *header);

#endif
