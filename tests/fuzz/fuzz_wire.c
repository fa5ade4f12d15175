/*
 * fuzz_wire.c: an arbitrary message between nodes is either rejected, or has
 * the form of its kind. A task that was granted or pushed has memory for all
 * its buffers.
 *
 * Input: kind (8 bits), size of the payload (64 bits), header. A size of 2^64 -
 * 1 stands for the size that the header asks for.
 */
#include <stdlib.h>

#include <sateen.h>
#include "steal/buffers.h"
#include "steal/wire.h"
#include "tests/fuzz/fuzz.h"

#define MOST_BYTES 1000000

STN_TASK(int, scalars, int, a, char, b, double, c)
{
	return a + b + (int)c;
}

STN_TASK(double, buffers, struct stn_in, in, int, n, struct stn_out, out,
	 struct stn_inout, both)
{
	(void)in;
	(void)out;
	(void)both;
	return n;
}

STN_TASK_VOID(outputs, struct stn_out, a, struct stn_out, b, struct stn_out, c)
{
	(void)a;
	(void)b;
	(void)c;
}

/* The entry behind the table's end isn't a task. */
static const struct stn_task *tasks[] = { &buffers_task, &outputs_task,
					  &scalars_task, NULL };
static const struct stn_table table = { tasks, 3 };

/* Writes all memory that the pieces name; it must be inside @memory. */
static void
fill(const struct stn_record *record, enum stn_direction direction,
     unsigned char *memory, size_t bytes, void *result)
{
	struct stn_gather gather;
	size_t sum = 0;

	if (stn_gather_init(&gather, record->task, record, direction, result))
		return;
	for (size_t i = 0; i < gather.count; i++) {
		unsigned char *at = gather.pieces[i].iov_base;
		size_t length = gather.pieces[i].iov_len;

		require(at >= memory && at + length <= memory + bytes);
		memset(at, 0, length);
		sum += length;
	}
	require(sum == gather.bytes);
	stn_gather_fini(&gather);
}

static void
check_buffers(struct stn_record *record, size_t payload_bytes)
{
	size_t bytes, inputs;
	unsigned char *memory;
	void *result;

	require(!stn_buffers_measure(record->task, record, &bytes, &inputs) &&
		inputs == payload_bytes && inputs <= bytes);
	if (bytes > MOST_BYTES)
		return;
	memory = malloc(bytes ? bytes : 1);
	require(memory);
	result = stn_buffers_adopt(record->task, record, memory);
	fill(record, STN_INPUTS, memory, bytes, NULL);
	fill(record, STN_OUTPUTS, memory, bytes, result);
	free(memory);
}

/*
 * The size of payload that the header of a GRANT or PUSH asks for; 0 if it
 * can't be computed.
 */
static uint64_t
asked_bytes(const uint8_t *header, size_t bytes)
{
	struct stn_record record;
	size_t memory, inputs = 0;

	memset(&record, 0, sizeof(record));
	if (bytes > STN_WIRE_BYTES + STN_ARGUMENT_BYTES)
		return 0;
	memcpy((char *)&record + STN_WIRE_AT, header, bytes);
	if (record.task_id >= table.count ||
	    stn_buffers_measure(tasks[record.task_id], &record, &memory,
				&inputs))
		return 0;
	return inputs;
}

/* Unpacks @data as the payload of a BUNDLE, and of RESULTS. */
static void
check_bundles(const uint8_t *data, size_t size)
{
	const unsigned char *at = data, *end = data + size;
	struct stn_wire_bundled result;
	struct stn_record record;
	size_t bytes;

	while (!stn_wire_unpack_record(&table, &at, end, &record, &bytes)) {
		require(bytes <= (size_t)(end - at));
		check_buffers(&record, bytes);
		at += bytes;
	}
	at = data;
	while (!stn_wire_unpack_result(&at, end, &result)) {
		require(result.bytes <= (size_t)(end - at));
		at += result.bytes;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stn_message message = { 0 };
	struct stn_wire wire;
	uint64_t payload;

	if (size < 9 || size > 9 + STN_HEADER_BYTES)
		return 0;
	message.kind = data[0];
	memcpy(&payload, data + 1, sizeof(payload));
	check_bundles(data + 9, size - 9);
	message.header = data + 9;
	message.header_bytes = size - 9;
	if (payload == UINT64_MAX)
		payload = asked_bytes(data + 9, size - 9);
	message.payload_bytes = payload;
	if (stn_wire_parse(&message, &table, &wire))
		return 0;
	require(wire.kind == message.kind && wire.kind >= STN_REQUEST &&
		wire.kind <= STN_SPAN);
	if (wire.kind == STN_GRANT || wire.kind == STN_PUSH)
		check_buffers(&wire.record, message.payload_bytes);
	else
		require(!payload || wire.kind == STN_RESULT ||
			wire.kind == STN_DEPOSIT ||
			(wire.kind == STN_REFUSE &&
			 payload == STN_PROBE_BYTES) ||
			((wire.kind == STN_BUNDLE ||
			  wire.kind == STN_RESULTS) &&
			 payload <= STN_BUNDLE_BYTES));
	require(wire.kind != STN_PUSH || !wire.record.request);
	require(wire.kind != STN_DEPOSIT ||
		(!wire.deposit.zero &&
		 wire.deposit.keys <= payload / sizeof(struct stn_key)));
	return 0;
}
