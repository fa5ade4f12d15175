/*
 * roce-arrivals: measures when messages over a slow link arrive.
 *
 *	roce-arrivals TRANSPORT PROVIDER PLACE PLACE [LATENCY,RATE]
 *
 * Two nodes in two clusters, in places as for conformance_at, send streams that
 * load the link in different ways, each several times. LATENCY,RATE is an
 * emulated link; without it the network itself should be slow. Prints for each
 * message its stream, its number, and the shortest time in microseconds from
 * when it should be sent until its whole payload has arrived. The shortest,
 * because an emulated machine is late at times, but a message is never early.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/open.h"
#include "transport/ops.h"
#include "transport/units.h"

#define MESSAGES_MOST 32
#define PATIENCE_NS (60 * STN_SECOND_NS)

static const struct stream {
	const char *name;
	size_t count, bytes;
	uint64_t gap_ns; /* from one message to the next */
	unsigned times;
} streams[] = {
	{ "single", 1, 64, 0, 15 },
	{ "burst", 16, 8000, 0, 9 },
	{ "paced", 24, 8000, 4000000,
	  9 }, /* twice the rate of a link of 1 MB/s */
	{ "large", 1, 1000000, 0, 5 },
};

#define STREAMS (sizeof(streams) / sizeof(streams[0]))

struct message {
	uint64_t due_ns, arrived_ns;
};

/* Both ends are in one process and one thread, and have the same clock. */
struct world {
	struct stn_topology topology;
	struct stn_link_queue queues[4];
	struct stn_transport *ends[2];
	struct message messages[MESSAGES_MOST];
	size_t arrived, done;
	unsigned char *from, *to;
};

static struct world world;

static void
fail(const char *what)
{
	fprintf(stderr, "roce-arrivals: %s\n", what);
	exit(EXIT_FAILURE);
}

static uint64_t
now(void)
{
	return stn_machine_now(NULL);
}

static void
taken(void *arg, enum stn_err err)
{
	struct message *message = arg;

	if (err)
		fail(stn_err_text(err));
	message->arrived_ns = now();
	world.arrived++;
}

static void
sent(void *arg, enum stn_err err)
{
	(void)arg;
	if (err)
		fail(stn_err_text(err));
	world.done++;
}

static void
handle(void *arg, const struct stn_message *message)
{
	struct stn_transport **end = arg;
	struct iovec piece = { world.to, message->payload_bytes };
	uint32_t number;

	if (message->header_bytes != sizeof(number))
		fail("a malformed message arrived");
	memcpy(&number, message->header, sizeof(number));
	stn_transport_take(*end, message, &piece, 1, taken,
			   &world.messages[number]);
}

static void
progress(void)
{
	stn_transport_progress(world.ends[0]);
	stn_transport_progress(world.ends[1]);
}

static void
post(uint32_t from, uint32_t number, size_t bytes)
{
	static uint32_t headers[MESSAGES_MOST];
	struct iovec piece = { world.from, bytes };

	headers[number] = number;
	stn_transport_send(world.ends[from], !from, 1, &headers[number],
			   sizeof(headers[number]), &piece, 1, sent, NULL);
}

static void
await(size_t count)
{
	uint64_t end = now() + PATIENCE_NS;

	while (world.arrived < count || world.done < count) {
		progress();
		if (now() > end)
			fail("messages don't arrive");
	}
}

static void
run_stream(const struct stream *stream)
{
	uint64_t begin = now();

	world.arrived = world.done = 0;
	for (uint32_t i = 0; i < stream->count; i++) {
		world.messages[i].due_ns = begin + i * stream->gap_ns;
		while (now() < world.messages[i].due_ns)
			progress();
		post(0, i, stream->bytes);
	}
	await(stream->count);
}

static void
measure(const struct stream *stream)
{
	uint64_t least[MESSAGES_MOST];

	memset(least, 0xff, sizeof(least));
	for (unsigned t = 0; t < stream->times; t++) {
		run_stream(stream);
		for (size_t i = 0; i < stream->count; i++) {
			const struct message *message = &world.messages[i];
			uint64_t took = message->arrived_ns - message->due_ns;

			if (took < least[i])
				least[i] = took;
		}
	}
	for (size_t i = 0; i < stream->count; i++)
		printf("%s %zu %.0f\n", stream->name, i,
		       (double)least[i] / 1e3);
}

static void
open_end(uint32_t rank, char **argv)
{
	struct stn_opening opening = {
		.topology = &world.topology,
		.rank = rank,
		.provider = argv[2],
		.device = argv[3 + rank],
		.address = argv[3 + rank],
		.handler = handle,
		.arg = &world.ends[rank],
	};
	struct stn_why why;

	if (stn_open_transport(argv[1], NULL, &opening, &world.ends[rank],
			       &why))
		fail(why.text);
}

static void
connect_ends(uint32_t rank, uint32_t peer)
{
	unsigned char address[STN_ADDRESS_BYTES];
	size_t bytes = stn_transport_address(world.ends[peer], address);
	struct stn_why why;

	if (stn_transport_connect(world.ends[rank], peer, address, bytes, &why))
		fail(why.text);
}

/* Connecting takes several times the link's latency, and is done first. */
static void
open_ends(char **argv)
{
	for (uint32_t i = 0; i < 2; i++)
		open_end(i, argv);
	for (uint32_t i = 0; i < 4; i++)
		connect_ends(i / 2, i % 2);
	post(0, 0, 10);
	await(1);
	post(1, 1, 10);
	await(2);
}

int
main(int argc, char **argv)
{
	world.topology.nodes = world.topology.clusters = 2;
	world.topology.queues = world.queues;
	world.from = calloc(2, 1000000);
	if (argc < 5 || argc > 6 || !world.from ||
	    (argc == 6 && stn_parse_link(argv[5], &world.topology.wan)))
		fail("usage: roce-arrivals TRANSPORT PROVIDER PLACE PLACE "
		     "[LATENCY,RATE]");
	world.to = world.from + 1000000;
	open_ends(argv);
	for (size_t i = 0; i < STREAMS; i++)
		measure(&streams[i]);
	for (uint32_t i = 0; i < 2; i++)
		stn_transport_close(world.ends[i], STN_SECOND_NS);
	free(world.from);
	return EXIT_SUCCESS;
}
