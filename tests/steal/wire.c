/*
 * wire.c: the parser of messages about stealing. Of each kind, a well-formed
 * example is accepted. Then each mistake in it makes the parser reject it.
 */
#include <stdlib.h>
#include <string.h>

#include <sateen.h>
#include "steal/wire.h"
#include "tests/tap.h"

STN_TASK(int, plain, int, a, long, b)
{
	return a + (int)b;
}

STN_TASK_VOID(sort, struct stn_in, from, struct stn_inout, both, struct stn_out,
	      to)
{
	(void)from;
	(void)both;
	(void)to;
}

/* The table has two tasks. The third entry must not be used. */
static const struct stn_task *tasks[] = { &plain_task, &sort_task,
					  &plain_task };
static const struct stn_table table = { tasks, 2 };

static unsigned char header[STN_HEADER_BYTES + 1];
static struct stn_wire wire;

static enum stn_err
parse_wire(uint8_t kind, size_t header_bytes, size_t payload_bytes)
{
	unsigned char *exact = malloc(header_bytes ? header_bytes : 1);
	struct stn_message message = {
		.kind = kind,
		.header = header_bytes ? exact : NULL,
		.header_bytes = header_bytes,
		.payload_bytes = payload_bytes,
	};
	enum stn_err err;

	memcpy(exact, header, header_bytes);
	err = stn_wire_parse(&message, &table, &wire);
	free(exact);
	return err;
}

static void
test_short_kinds(void)
{
	const uint32_t numbers[] = { 17, 4, 20000, 1000 };

	memcpy(header, numbers, sizeof(numbers));
	tap_ok(!parse_wire(STN_REQUEST, 16, 0) && wire.request.number == 17 &&
		       wire.request.patience_us == 4 &&
		       wire.request.seen.round_trip_us == 20000 &&
		       wire.request.seen.kb_per_s == 1000,
	       "requests have a number, and what was seen of the link");
	tap_ok(!parse_wire(STN_REFUSE, 4, 0) && wire.refusal.number == 17 &&
		       !parse_wire(STN_REFUSE, 4, STN_PROBE_BYTES),
	       "refusals have a number, and may have a payload");
	tap_ok(parse_wire(STN_REQUEST, 15, 0) &&
		       parse_wire(STN_REQUEST, 17, 0) &&
		       parse_wire(STN_REFUSE, 0, 0) &&
		       parse_wire(STN_REFUSE, 4, 1) &&
		       parse_wire(STN_REQUEST, 16, 1),
	       "and nothing else");
	tap_ok(!parse_wire(STN_RESULT, 8, 0) && wire.result.slot == 17 &&
		       wire.result.epoch == 4 &&
		       !parse_wire(STN_RESULT, 8, SIZE_MAX),
	       "a result names its record, and may be of any size");
	tap_ok(parse_wire(STN_RESULT, 7, 0) && parse_wire(STN_RESULT, 9, 0),
	       "but has no other header");
	tap_ok(!parse_wire(STN_TAKEN, 0, 0) && parse_wire(STN_TAKEN, 1, 0) &&
		       parse_wire(STN_TAKEN, 0, 1),
	       "the word that a push has arrived says nothing else");
	tap_ok(parse_wire(0, 0, 0) && parse_wire(STN_TAKEN + 1, 0, 0) &&
		       parse_wire(255, 4, 0),
	       "unknown kinds are rejected");
}

static void
make_grant(uint32_t task, const void *arguments, size_t bytes)
{
	const uint32_t head_words[] = { 3, 4, 5, 6, task };

	memcpy(header, head_words, sizeof(head_words));
	memcpy(header + STN_WIRE_BYTES, arguments, bytes);
}

static void
test_plain_grant(void)
{
	struct plain_arguments arguments = { 10, 20 };

	make_grant(0, &arguments, sizeof(arguments));
	tap_ok(!parse_wire(STN_GRANT, 36, 0) && wire.record.rank == 3 &&
		       wire.record.slot == 4 && wire.record.epoch == 5 &&
		       wire.record.request == 6 &&
		       wire.record.task == &plain_task &&
		       !memcmp(wire.record.arguments, &arguments,
			       sizeof(arguments)),
	       "a grant is a record with its task");
	tap_ok(parse_wire(STN_GRANT, 35, 0) && parse_wire(STN_GRANT, 37, 0) &&
		       parse_wire(STN_GRANT, 19, 0) &&
		       parse_wire(STN_GRANT, 0, 0) &&
		       parse_wire(STN_GRANT, 109, 0),
	       "with just the arguments of that task");
	tap_ok(parse_wire(STN_GRANT, 36, 1), "and no payload without buffers");
	make_grant(2, &arguments, sizeof(arguments));
	tap_ok(parse_wire(STN_GRANT, 36, 0), "of a task that exists");
	make_grant(UINT32_MAX, &arguments, sizeof(arguments));
	tap_ok(parse_wire(STN_GRANT, 36, 0), "nor can it be the last of all");
}

static void
test_buffer_grant(void)
{
	struct sort_arguments arguments = { { NULL, 3, 5, 8 },
					    { NULL, 1, 100, 100 },
					    { NULL, 9, 9, 9 } };

	make_grant(1, &arguments, sizeof(arguments));
	tap_ok(!parse_wire(STN_GRANT, 92, 115) &&
		       wire.record.task == &sort_task,
	       "a grant's payload are its in and inout buffers");
	tap_ok(parse_wire(STN_GRANT, 92, 114) &&
		       parse_wire(STN_GRANT, 92, 116) &&
		       parse_wire(STN_GRANT, 92, 0) &&
		       parse_wire(STN_GRANT, 92, 196),
	       "no more and no less of them");
	arguments.to.rows = arguments.to.row_bytes = UINT32_MAX;
	make_grant(1, &arguments, sizeof(arguments));
	tap_ok(parse_wire(STN_GRANT, 92, 115),
	       "absurdly large outputs are rejected");
	arguments.from.rows = arguments.from.row_bytes = UINT32_MAX;
	arguments.both = (struct stn_inout){ NULL, UINT32_MAX, 2, 0 };
	make_grant(1, &arguments, sizeof(arguments));
	tap_ok(parse_wire(STN_GRANT, 92, 0xffffffffffffffffull) &&
		       parse_wire(STN_GRANT, 92, 0xffffffffull) &&
		       parse_wire(STN_GRANT, 92, 0),
	       "and so are inputs whose sum wraps");
}

/* Unpacks the first record of a bundle of @size bytes, which begins in header.
 */
static enum stn_err
unpack_record(size_t size, size_t *moved_p, size_t *bytes_p)
{
	unsigned char *exact = malloc(size ? size : 1);
	const unsigned char *at = exact;
	enum stn_err err;

	memcpy(exact, header, size);
	err = stn_wire_unpack_record(&table, &at, exact + size, &wire.record,
				     bytes_p);
	*moved_p = (size_t)(at - exact);
	free(exact);
	return err;
}

static void
test_bundle(void)
{
	struct sort_arguments arguments = { { NULL, 1, 5, 5 },
					    { NULL, 1, 1, 1 },
					    { NULL, 1, 9, 9 } };
	size_t moved, bytes;

	memcpy(header, (const uint32_t[]){ 3 }, 4);
	tap_ok(!parse_wire(STN_BUNDLE, 4, 300) && wire.bundle.count == 3 &&
		       !parse_wire(STN_RESULTS, 4, 300) &&
		       parse_wire(STN_BUNDLE, 4, 2) &&
		       parse_wire(STN_BUNDLE, 4, STN_BUNDLE_BYTES + 1) &&
		       parse_wire(STN_RESULTS, 8, 300),
	       "a bundle has a number and few bytes");
	make_grant(1, &arguments, sizeof(arguments));
	tap_ok(unpack_record(98, &moved, &bytes) == STN_MALFORMED,
	       "a record of a bundle answers no request");
	memset(header + 12, 0, 4);
	tap_ok(!unpack_record(98, &moved, &bytes) && moved == 92 &&
		       bytes == 6 && wire.record.task == &sort_task &&
		       wire.record.slot == 4,
	       "it has its task's arguments, and its buffers");
	tap_ok(unpack_record(97, &moved, &bytes) &&
		       unpack_record(91, &moved, &bytes) &&
		       unpack_record(19, &moved, &bytes) &&
		       unpack_record(0, &moved, &bytes),
	       "all of them");
}

static void
test_bundled_results(void)
{
	const uint32_t words[] = { 17, 4, 6, 0, 0 };
	struct stn_wire_bundled result;
	const unsigned char *at = (const unsigned char *)words;
	const unsigned char *end = at + sizeof(words);

	tap_ok(stn_wire_unpack_result(&at, end - 3, &result) &&
		       stn_wire_unpack_result(&at, at + 11, &result),
	       "a result of several is here with all its bytes");
	tap_ok(!stn_wire_unpack_result(&at, end - 2, &result) &&
		       result.slot == 17 && result.epoch == 4 &&
		       result.bytes == 6 && at == end - 8,
	       "it names its record");
}

int
main(void)
{
	tap_begin();
	test_short_kinds();
	test_plain_grant();
	test_buffer_grant();
	test_bundle();
	test_bundled_results();
	return tap_end();
}
