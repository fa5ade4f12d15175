/*
 * move.h: parts that move to other nodes. Net lock held.
 *
 * The giver sends the layers of the part (GIVE), tells its neighbours' nodes
 * (MOVED), and passes on pieces that have landed or still come. The epoch of a
 * part counts its moves, so a node knows which of two MOVED is newer. A node
 * that has not heard of a move sends its pieces to a former home, which sends
 * them after the part, and tells the node where the part is (MOVED).
 */
#ifndef STN_PARTS_MOVES_MOVE_H
#define STN_PARTS_MOVES_MOVE_H

#include "parts/parts.h"

/*
 * stn_part_can_move: whether the part is here, with all its records, and no
 * worker sweeps it.
 */
static inline bool
stn_part_can_move(const struct stn_part *part)
{
	return part->here && !part->running && !part->joining;
}

/*
 * stn_part_give: moves the part, which can move, to node @to. The part stays
 * here if that node does not stay in the run.
 */
void stn_part_give(struct stn_part *part, uint32_t to);

/*
 * stn_move_take: GIVE has arrived: receives the part. STN_MALFORMED.
 * stn_move_told: MOVED has arrived: notes where the part is. STN_MALFORMED.
 */
STN_CHECKED enum stn_err stn_move_take(struct stn_parts *array,
				       const struct stn_message *message,
				       const struct stn_parts_give *header);
STN_CHECKED enum stn_err stn_move_told(struct stn_parts *array,
				       const struct stn_parts_moved *moved);

#endif
