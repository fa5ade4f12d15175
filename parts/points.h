/*
 * points.h: the points of whole parts on their way to the node of an
 * operation's caller (COLLECT) or from it (DEAL). Points have the order of the
 * grid, also if it has colours. Net lock held, except where it says otherwise.
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
 * stn_points_pack: copies the part's points. stn_points_unpack: replaces the
 * part's points. Called by the worker that has the part's turn, without a lock.
 */
struct stn_points *stn_points_create(const struct stn_parts *array,
				     uint32_t part);
struct stn_points *stn_points_pack(const struct stn_part *part);
void stn_points_unpack(struct stn_part *part, const struct stn_points *points);

/*
 * stn_points_collect: gives the points of a part to the caller of the array's
 * operation. stn_points_deal: gives points to the part, wherever it is. Both
 * take @points.
 */
void stn_points_collect(struct stn_parts *array, struct stn_points *points);
void stn_points_deal(struct stn_parts *array, struct stn_points *points);

/* stn_points_take: a COLLECTED or DEALT has arrived. STN_MALFORMED. */
STN_CHECKED enum stn_err stn_points_take(struct stn_parts *array,
					 const struct stn_message *message,
					 const struct stn_parts_points *header);

#endif
