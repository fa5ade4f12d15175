/*
 * buffers.h: the memory that belongs to a record: the buffers that its
 * arguments describe, and its result.
 */
#ifndef STN_STEAL_BUFFERS_H
#define STN_STEAL_BUFFERS_H

#include <sys/uio.h>

#include "steal/sateen_range.h" /* struct stn_buffer */
#include "steal/sateen_record.h"
#include "transport/error.h"

_Static_assert(sizeof(struct stn_buffer) == 24, "the layout in <sateen.h>");

/* stn_argument_is_buffer: whether an argument is a buffer. */
static inline bool
stn_argument_is_buffer(const struct stn_argument *argument)
{
	return argument->kind == STN_ARGUMENT_IN ||
	       argument->kind == STN_ARGUMENT_OUT ||
	       argument->kind == STN_ARGUMENT_INOUT;
}

/* stn_buffer_of: the buffer that is @argument, which is a buffer. */
static inline struct stn_buffer
stn_buffer_of(const struct stn_argument *argument,
	      const struct stn_record *record)
{
	struct stn_buffer buffer;

	memcpy(&buffer, record->arguments + argument->offset, sizeof(buffer));
	return buffer;
}

/* stn_buffer_bytes: the bytes of all rows, without the gaps between rows. */
static inline uint64_t
stn_buffer_bytes(const struct stn_buffer *buffer)
{
	return (uint64_t)buffer->rows * buffer->row_bytes;
}

/* stn_buffer_contiguous: whether there is no gap between rows. */
static inline bool
stn_buffer_contiguous(const struct stn_buffer *buffer)
{
	return buffer->rows <= 1 || buffer->stride == buffer->row_bytes;
}

enum stn_direction {
	STN_INPUTS,  /* contents of in and inout buffers, by argument */
	STN_OUTPUTS, /* the result, then contents of out and inout buffers */
};

/* The pieces of memory that travel in one direction. */
struct stn_gather {
	struct iovec *pieces;
	size_t count, bytes;
	struct iovec few[8]; /* used for pieces if it is long enough */
};

/*
 * stn_gather_init: lists the pieces of @record that travel in @direction; they
 * stay where they are. Rows without a gap between them become one piece.
 * Returns STN_OK or STN_NO_MEMORY; on success the caller calls stn_gather_fini.
 * @result  the place of the result, for STN_OUTPUTS
 */
STN_CHECKED enum stn_err stn_gather_init(struct stn_gather *gather,
					 const struct stn_task *task,
					 const struct stn_record *record,
					 enum stn_direction direction,
					 void *result);
void stn_gather_fini(struct stn_gather *gather);

/*
 * stn_outputs_copy: the outputs of @record, packed as a RESULT message has
 * them, in memory that the caller frees. NULL: no memory.
 * @result   the place of the result
 * @bytes_p  size of the outputs
 */
void *stn_outputs_copy(const struct stn_task *task,
		       const struct stn_record *record, void *result,
		       size_t *bytes_p);

/* stn_outputs_bytes: the size of that. */
size_t stn_outputs_bytes(const struct stn_task *task,
			 const struct stn_record *record);

/* stn_inouts_bytes: the size of the contents of all inout buffers. */
size_t stn_inouts_bytes(const struct stn_task *task,
			const struct stn_record *record);

/*
 * stn_outputs_place: writes outputs that stn_outputs_copy has packed to where
 * the call of @record would have written them. False, and nothing is written,
 * if they are of another size, or if there is no memory.
 */
bool stn_outputs_place(const struct stn_task *task,
		       const struct stn_record *record, void *result,
		       const void *bytes, size_t size);

/*
 * stn_buffers_measure: measures a record, whose numbers may be wrong if it came
 * from outside. Returns STN_MALFORMED if the buffers are larger than 2^46 bytes
 * together.
 * @memory_p  bytes of memory for a copy of all buffers and of the result
 * @inputs_p  bytes of the in and inout buffers, as they travel
 */
STN_CHECKED enum stn_err stn_buffers_measure(const struct stn_task *task,
					     const struct stn_record *record,
					     size_t *memory_p,
					     size_t *inputs_p);

/*
 * stn_buffers_adopt: makes a record of another node usable here: lets the
 * record's buffers point into @memory, which has the measured size, one after
 * the other. Returns the place of the result, also in @memory.
 */
void *stn_buffers_adopt(const struct stn_task *task, struct stn_record *record,
			unsigned char *memory);

#endif
