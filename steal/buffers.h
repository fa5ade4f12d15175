/*
 * buffers.h: what belongs to a record besides itself: the buffers that its
 * arguments name, and its result.
 */
#ifndef STN_STEAL_BUFFERS_H
#define STN_STEAL_BUFFERS_H

#include <sys/uio.h>

#include "steal/sateen_task.h"
#include "transport/error.h"

enum stn_direction {
	STN_INPUTS,  /* contents of the in and inout buffers, by argument */
	STN_OUTPUTS, /* the result, then those of out and inout buffers */
};

/* A list of the pieces of memory that go one way. */
struct stn_gather {
	struct iovec *pieces;
	size_t count, bytes;
	struct iovec few[8]; /* what pieces points to if that is enough */
};

/*
 * stn_gather_init: lists what goes in @direction, where it lies; the result,
 * at @result. Rows without a gap between them are one piece. STN_OK or
 * STN_NO_MEMORY; on success the caller calls stn_gather_fini.
 */
STN_CHECKED enum stn_err stn_gather_init(struct stn_gather *gather,
					 const struct stn_task *task,
					 const struct stn_record *record,
					 enum stn_direction direction,
					 void *result);
void stn_gather_fini(struct stn_gather *gather);

/*
 * stn_buffers_measure: how much memory a copy of all buffers and the result
 * takes, and how much of it comes in. Of a record from outside, whose numbers
 * may be anything: STN_MALFORMED if they are beyond 2^46 bytes in all.
 */
STN_CHECKED enum stn_err stn_buffers_measure(const struct stn_task *task,
					     const struct stn_record *record,
					     size_t *memory_p,
					     size_t *inputs_p);

/*
 * stn_buffers_adopt: makes a record from elsewhere a record of here: its
 * buffers and its result lie in @memory, of the measured size, packed. Returns
 * the place of the result.
 */
void *stn_buffers_adopt(const struct stn_task *task, struct stn_record *record,
			unsigned char *memory);

#endif
