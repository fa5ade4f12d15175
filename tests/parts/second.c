/*
 * second.c: each byte of a second copy is sent once, also if the transport
 * completes a send before the call that begins it returns.
 */
#include "parts/survive/copies.h"
#include "parts/survive/second.h"
#include "tests/lone_grid.h"
#include "tests/lone_node.h"
#include "tests/tap.h"

STN_TASK(int, nothing, int, n)
{
	return n;
}

/*
 * The bytes of copies that were sent, and whether each piece began where the one
 * before had ended.
 */
static uint64_t bytes, time_ns;
static bool in_turn = true;

static void
send_at_once(struct stn_transport *transport, uint32_t to, uint8_t kind,
	     const void *header, size_t header_bytes,
	     const struct iovec *pieces, size_t count, stn_done *done,
	     void *arg)
{
	const struct stn_parts_copy *copy = header;

	(void)transport;
	(void)to;
	(void)header_bytes;
	if (kind == STN_PARTS_KIND_COPY) {
		in_turn = in_turn && count == 1 && copy->offset == bytes;
		bytes += pieces[0].iov_len;
	}
	if (done)
		done(arg, STN_OK);
}

static uint64_t
tick(const struct stn_transport *transport)
{
	(void)transport;
	return ++time_ns;
}

static const struct stn_transport_ops at_once = { .send = send_at_once,
						  .offer = send_at_once,
						  .now = tick };

/* Part 0 has just been copied in version 1. */
static struct stn_copy *
copy_part(struct stn_parts *array)
{
	struct stn_copy *copy;

	array->copies.wanted = true;
	array->copies.next = 1;
	copy = stn_copy_make(stn_array_known(array, 0), 1);
	stn_copies_add(stn_array_known(array, 0), copy, 1);
	return copy;
}

int
main(void)
{
	struct stn_parts *array =
		lone_grid(lone_node(&at_once, &nothing_task, NULL));
	const struct stn_copy *copy = copy_part(array);
	uint64_t bursts = 0;

	tap_begin();
	while (array->copies.unsent && bursts++ < copy->bytes) {
		time_ns += UINT64_C(1000000000);
		stn_second_send(array->service, time_ns);
	}
	tap_ok(copy->sent && copy->bytes > 2 * STN_SECOND_BYTES,
	       "a copy of %zu bytes is sent in pieces", copy->bytes);
	tap_ok(in_turn && bytes == copy->bytes,
	       "each byte is sent once: %llu bytes in %llu bursts",
	       (unsigned long long)bytes, (unsigned long long)bursts);
	return tap_end();
}
