/*
 * rows.h: records on their way from the parts before a cut to those after it.
 *
 * The payload of ROWS: the segments, then the indices of all records, then the
 * records; each begins at a multiple of STN_BLOCK_ALIGNMENT bytes.
 */
#ifndef STN_PARTS_ROWS_H
#define STN_PARTS_ROWS_H

#include "parts/cells/cells.h"

/* The next @count records are for part @part. Also on the wire. */
struct stn_segment {
	uint32_t part, count;
};

/*
 * stn_rows_pack: makes parcels of @count records, in the order of their keys,
 * for the newest cut: record i is number @order[i] of @records. No lock.
 * stn_rows_send: sends the parcels, or lets them land. Net lock held.
 */
void stn_rows_pack(struct stn_parts *array, const struct stn_record_key *keys,
		   const uint32_t *order, uint64_t count,
		   const unsigned char *records, struct stn_parcels *parcels);
void stn_rows_send(struct stn_parts *array, struct stn_parcels *parcels);

/* stn_rows_take: ROWS arrives. Net lock held. STN_MALFORMED. */
STN_CHECKED enum stn_err stn_rows_take(struct stn_parts *array,
				       const struct stn_message *message,
				       const struct stn_parts_rows *header);

/*
 * stn_rows_unite: a new part gets its records, in order, out of those that have
 * arrived. Its worker, without a lock.
 * stn_rows_drop: frees what has arrived for the part. Net lock held.
 */
void stn_rows_unite(struct stn_part *part);
void stn_rows_drop(struct stn_cells *cells, uint32_t part);

#endif
