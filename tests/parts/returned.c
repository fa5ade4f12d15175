/*
 * returned.c: all parts have returned to a version, and one of them moves
 * before its giver has begun the operation that the root repeats. Its receiver,
 * which has begun that operation, sweeps the part only as far as the operation
 * goes: a part in the operation's last version has finished it.
 */
#include "parts/moves/move.h"
#include "parts/scheduler.h"
#include "tests/lone_grid.h"
#include "tests/lone_node.h"
#include "tests/tap.h"

#define BASE 1
#define BLOCKS 3
#define NUMBER 2 /* of the operation, after a fill */

STN_TASK(int, nothing, int, n)
{
	return n;
}

static void
send_at_once(struct stn_transport *transport, uint32_t to, uint8_t kind,
	     const void *header, size_t header_bytes,
	     const struct iovec *pieces, size_t count, stn_done *done,
	     void *arg)
{
	(void)transport;
	(void)to;
	(void)kind;
	(void)header;
	(void)header_bytes;
	(void)pieces;
	(void)count;
	if (done)
		done(arg, STN_OK);
}

static void
pull_at_once(struct stn_transport *transport, const struct stn_arrival *arrival,
	     const struct iovec *pieces, size_t count, stn_done *done,
	     void *arg)
{
	(void)transport;
	(void)arrival;
	(void)pieces;
	(void)count;
	done(arg, STN_OK);
}

static uint64_t
zero(const struct stn_transport *transport)
{
	(void)transport;
	return 0;
}

static const struct stn_transport_ops at_once = { .send = send_at_once,
						  .offer = send_at_once,
						  .pull = pull_at_once,
						  .now = zero };

/* The root has begun the operation; its own parts wait for pieces. */
static struct stn_parts *
begin(void)
{
	struct stn_parts *array =
		lone_grid(lone_node(&at_once, &nothing_task, NULL));

	free(array->scheduling);
	stn_scheduler_created(array);
	array->operation = (struct stn_operation){
		.order = { .what = STN_PARTS_SWEEPS,
			   .number = NUMBER,
			   .sweeps = BLOCKS * array->shape.block },
		.base = BASE,
		.blocks = BLOCKS,
		.active = true,
	};
	array->gather.number = NUMBER;
	return array;
}

/* Part 2, which has returned to version @version, arrives. */
static void
take_part(struct stn_parts *array, uint64_t version)
{
	const struct stn_parts_give header = { .array = array->id,
					       .part = 2,
					       .counted = 1,
					       .epoch = 1,
					       .version = version,
					       .fresh = version - 1,
					       .restored = 1 };
	struct stn_arrival arrival = { .message = {
					       .from = 1,
					       .kind = STN_PARTS_KIND_GIVE,
					       .header = &header,
					       .header_bytes = sizeof(header),
				       } };
	struct stn_memory memory;
	struct iovec pieces[2];
	uint32_t count;

	stn_memory_describe(&memory, &array->shape, 2);
	count = stn_memory_layers(&memory, &array->shape, pieces);
	while (count--)
		arrival.message.payload_bytes += pieces[count].iov_len;
	if (stn_move_take(array, &arrival.message, &header))
		abort();
}

int
main(void)
{
	struct stn_parts *array;

	tap_begin();
	array = begin();
	take_part(array, BASE + BLOCKS - 1);
	tap_ok(array->unfinished == 1 && !array->finished_parts,
	       "a part that has returned within the operation is to be swept");
	array = begin();
	take_part(array, BASE + BLOCKS);
	tap_ok(!array->unfinished,
	       "a part that has returned to its end is not to be swept");
	tap_ok(array->finished_parts == 1, "but is counted as finished");
	return tap_end();
}
