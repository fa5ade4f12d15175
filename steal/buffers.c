#include "steal/buffers.h"

#include <stdlib.h>

#include "transport/pieces.h"
#include "transport/transport.h"

#define ALIGNMENT 64ull

static bool
piece_goes(const struct stn_argument *argument, enum stn_direction direction)
{
	enum stn_argument_kind other =
		direction == STN_INPUTS ? STN_ARGUMENT_OUT : STN_ARGUMENT_IN;

	return stn_argument_is_buffer(argument) && argument->kind != other;
}

static size_t
buffer_pieces(const struct stn_buffer *buffer)
{
	if (!stn_buffer_bytes(buffer))
		return 0;
	return stn_buffer_contiguous(buffer) ? 1 : buffer->rows;
}

static void
buffers_add(struct stn_gather *gather, void *at, size_t bytes)
{
	gather->pieces[gather->count++] = (struct iovec){ at, bytes };
	gather->bytes += bytes;
}

static void
add_buffer(struct stn_gather *gather, const struct stn_buffer *buffer)
{
	if (!stn_buffer_bytes(buffer))
		return;
	if (stn_buffer_contiguous(buffer)) {
		buffers_add(gather, buffer->at, stn_buffer_bytes(buffer));
		return;
	}
	for (uint32_t row = 0; row < buffer->rows; row++)
		buffers_add(gather, buffer->at + row * buffer->stride,
			    buffer->row_bytes);
}

enum stn_err
stn_gather_init(struct stn_gather *gather, const struct stn_task *task,
		const struct stn_record *record, enum stn_direction direction,
		void *result)
{
	const struct stn_argument *end = task->arguments + task->argument_count;
	size_t pieces = 1;

	for (const struct stn_argument *a = task->arguments; a < end; a++) {
		struct stn_buffer buffer;

		if (!piece_goes(a, direction))
			continue;
		buffer = stn_buffer_of(a, record);
		pieces += buffer_pieces(&buffer);
	}
	gather->count = gather->bytes = 0;
	gather->pieces = gather->few;
	if (pieces > sizeof(gather->few) / sizeof(gather->few[0]))
		gather->pieces = calloc(pieces, sizeof(gather->pieces[0]));
	if (!gather->pieces)
		return STN_NO_MEMORY;
	if (direction == STN_OUTPUTS && task->result_bytes)
		buffers_add(gather, result, task->result_bytes);
	for (const struct stn_argument *a = task->arguments; a < end; a++) {
		struct stn_buffer buffer;

		if (!piece_goes(a, direction))
			continue;
		buffer = stn_buffer_of(a, record);
		add_buffer(gather, &buffer);
	}
	return STN_OK;
}

void
stn_gather_fini(struct stn_gather *gather)
{
	if (gather->pieces != gather->few)
		free(gather->pieces);
}

/* The bytes of the buffers that count. */
static size_t
buffers_bytes(const struct stn_task *task, const struct stn_record *record,
	      bool (*counts)(const struct stn_argument *argument))
{
	const struct stn_argument *end = task->arguments + task->argument_count;
	size_t bytes = 0;

	for (const struct stn_argument *a = task->arguments; a < end; a++) {
		struct stn_buffer buffer;

		if (!counts(a))
			continue;
		buffer = stn_buffer_of(a, record);
		bytes += stn_buffer_bytes(&buffer);
	}
	return bytes;
}

static bool
is_output(const struct stn_argument *argument)
{
	return piece_goes(argument, STN_OUTPUTS);
}

static bool
is_inout(const struct stn_argument *argument)
{
	return argument->kind == STN_ARGUMENT_INOUT;
}

size_t
stn_outputs_bytes(const struct stn_task *task, const struct stn_record *record)
{
	return task->result_bytes + buffers_bytes(task, record, is_output);
}

size_t
stn_inouts_bytes(const struct stn_task *task, const struct stn_record *record)
{
	return buffers_bytes(task, record, is_inout);
}

void *
stn_outputs_copy(const struct stn_task *task, const struct stn_record *record,
		 void *result, size_t *bytes_p)
{
	struct stn_gather outputs;
	void *bytes;

	if (stn_gather_init(&outputs, task, record, STN_OUTPUTS, result))
		return NULL;
	bytes = malloc(outputs.bytes + 1);
	*bytes_p = outputs.bytes;
	if (bytes)
		stn_pieces_copy(&(struct iovec){ bytes, outputs.bytes },
				outputs.pieces, outputs.bytes);
	stn_gather_fini(&outputs);
	return bytes;
}

bool
stn_outputs_place(const struct stn_task *task, const struct stn_record *record,
		  void *result, const void *bytes, size_t size)
{
	struct iovec from = { (void *)(uintptr_t)bytes, size };
	struct stn_gather outputs;
	bool fits;

	if (stn_gather_init(&outputs, task, record, STN_OUTPUTS, result))
		return false;
	fits = outputs.bytes == size;
	if (fits)
		stn_pieces_copy(outputs.pieces, &from, size);
	stn_gather_fini(&outputs);
	return fits;
}

static uint64_t
aligned(uint64_t bytes)
{
	return (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

enum stn_err
stn_buffers_measure(const struct stn_task *task,
		    const struct stn_record *record, size_t *memory_p,
		    size_t *inputs_p)
{
	const struct stn_argument *end = task->arguments + task->argument_count;
	uint64_t memory = aligned(task->result_bytes), inputs = 0;

	for (const struct stn_argument *a = task->arguments; a < end; a++) {
		struct stn_buffer buffer;

		if (!stn_argument_is_buffer(a))
			continue;
		buffer = stn_buffer_of(a, record);
		if (stn_buffer_bytes(&buffer) > STN_PAYLOAD_BYTES)
			return STN_MALFORMED;
		memory += aligned(stn_buffer_bytes(&buffer));
		if (piece_goes(a, STN_INPUTS))
			inputs += stn_buffer_bytes(&buffer);
	}
	if (memory > STN_PAYLOAD_BYTES)
		return STN_MALFORMED;
	*memory_p = memory;
	*inputs_p = inputs;
	return STN_OK;
}

void *
stn_buffers_adopt(const struct stn_task *task, struct stn_record *record,
		  unsigned char *memory)
{
	const struct stn_argument *end = task->arguments + task->argument_count;

	void *result = memory;

	record->task = task;
	memory += aligned(task->result_bytes);
	for (const struct stn_argument *a = task->arguments; a < end; a++) {
		struct stn_buffer buffer;

		if (!stn_argument_is_buffer(a))
			continue;
		buffer = stn_buffer_of(a, record);
		buffer.at = (char *)memory;
		buffer.stride = buffer.row_bytes;
		memory += aligned(stn_buffer_bytes(&buffer));
		memcpy(record->arguments + a->offset, &buffer, sizeof(buffer));
	}
	return result;
}
