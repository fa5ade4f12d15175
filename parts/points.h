/*
 * points.h: the points of whole parts on their way to a caller, which asks for
 * them (FETCH), or from it (DEAL). Points have the order of the grid, even if
 * it has colours. Net lock held, except where it says otherwise.
 */
#ifndef STN_PARTS_POINTS_H
#define STN_PARTS_POINTS_H

#include "parts/parts.h"

/* All points of a part, row by row, without gaps. free() frees it. */
struct stn_points {
	uint32_t part;
	uint64_t bytes;
	unsigned char data[] __attribute__((aligned(64)));
};

/*
 * stn_points_create: for part @part, without data. Ends the run if there is no
 * memory. Any thread.
 * stn_points_unpack: replaces the part's points. Called by the worker that has
 * the part's turn, without a lock.
 */
struct stn_points *stn_points_create(const struct stn_parts *array,
				     uint32_t part);
void stn_points_unpack(struct stn_part *part, const struct stn_points *points);

/*
 * A caller on this node collects the points of the range in array->fetching, as
 * they are after the array's last operation. It asks each part's home, and asks
 * again if a view has come meanwhile, because questions and answers may be
 * lost.
 *
 * stn_points_ask: asks for all points that are not there yet.
 * stn_points_again: a view has come, or parts return to an earlier version: the
 * caller must ask again.
 * stn_points_ready: whether this node can answer a question about part @number,
 * or pass it on.
 * stn_points_wanted: does so. STN_MALFORMED.
 */
void stn_points_ask(struct stn_parts *array);
void stn_points_again(struct stn_parts *array);
bool stn_points_ready(const struct stn_parts *array, uint32_t number);
STN_CHECKED enum stn_err
stn_points_wanted(struct stn_parts *array,
		  const struct stn_parts_points *header);

/* stn_points_deal: gives @points to their part, wherever it is. */
void stn_points_deal(struct stn_parts *array, struct stn_points *points);

/* stn_points_take: COLLECTED or DEALT has arrived. STN_MALFORMED. */
STN_CHECKED enum stn_err stn_points_take(struct stn_parts *array,
					 const struct stn_message *message,
					 const struct stn_parts_points *header);

#endif
