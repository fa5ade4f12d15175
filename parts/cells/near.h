/*
 * near.h: what the parts of this node need of other parts in a sweep with a
 * reach: all of a near part, and the brief summary of a far one. Each node walks
 * the tree for its parts, and asks once for what it needs and does not have
 * (WANT). A near part comes as a BLOCK of its own, brief summaries come many in
 * one (briefs.h). A part that is given away meanwhile leaves a copy behind. Net
 * lock held, unless said otherwise.
 */
#ifndef STN_PARTS_NEAR_H
#define STN_PARTS_NEAR_H

#include "parts/cells/cells.h"

#define STN_WANT_BRIEF 0x80000000u /* in a part's number in WANT */

/*
 * stn_near_begin: an operation begins; copies for the one before are freed.
 * stn_near_end: no worker sweeps a part; copies are freed.
 * stn_near_list: lists what the parts of this node need that have no list, and
 * asks for what is not here.
 * stn_near_arrive: the part has arrived.
 * stn_near_leave: the part is given away: keeps what others here may need.
 */
void stn_near_begin(struct stn_parts *array);
void stn_near_end(struct stn_parts *array);
void stn_near_list(struct stn_parts *array);
void stn_near_arrive(struct stn_part *part);
void stn_near_leave(struct stn_part *part);

/*
 * stn_near_hold: before the part's turn: the blocks that it needs stay.
 * stn_near_release: after it.
 */
void stn_near_hold(struct stn_part *part);
void stn_near_release(struct stn_part *part);

/*
 * stn_near_wanted: WANT arrives. stn_near_take: BLOCK arrives. STN_MALFORMED.
 * stn_near_answer: sends the part to nodes that have asked for it, if it can be
 * sent.
 * stn_near_ask: asks node @home for parts, for operation @number on node @to.
 * stn_near_came: a part or a copy is here now: parts may have waited for it.
 */
STN_CHECKED enum stn_err stn_near_wanted(struct stn_parts *array,
					 const struct stn_message *message,
					 const struct stn_parts_want *header);
STN_CHECKED enum stn_err stn_near_take(struct stn_parts *array,
				       const struct stn_message *message,
				       const struct stn_parts_block *header);
void stn_near_answer(struct stn_part *part);
void stn_near_ask(struct stn_parts *array, uint32_t to, uint32_t number,
		  uint32_t home, const uint32_t *parts, uint32_t count);
void stn_near_came(struct stn_parts *array);

#endif
