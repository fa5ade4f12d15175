/*
 * fuzz_hector.c: messages of Hector are rejected, or have the form of their
 * kinds; whatever reports say, the master allocator orders only moves that are
 * possible; and from a state of a resident set that is accepted, the fractiling
 * master grants only parts that there are.
 *
 * Input: messages, one after the other: kind, sender, length of the header (8
 * bits each), header. What is behind a STATE is its payload.
 */
#include <string.h>

#include "node/members.h"
#include "parts/hector/hosts.h"
#include "parts/parts.h"
#include "parts/schedulers/fractiling.h"
#include "tests/fuzz/fuzz.h"

#define NODES 5
#define PARTS 40
#define MESSAGES_MOST 50

/* What the target's nodes are: three clusters, one of whose links is slow. */
static struct stn_topology topology = {
	.nodes = NODES,
	.clusters = 3,
	.wan = { .latency_ns = 1000, .bytes_per_s = 1000000 },
};

/* What the scheduler knows, before any state comes. */
static struct stn_fractiling scheduling = { .sets = NODES, .least = 1 };

static void
check_state(const uint8_t *data, size_t size)
{
	const struct stn_parts array = { .count = PARTS,
					 .nodes = NODES,
					 .scheduling = &scheduling };
	void *bytes =
		malloc(size + !size); /* aligned, and ends where it ends */
	const struct stn_tile *packed;
	struct stn_tile tiles[NODES];
	struct stn_tile_chunk chunk;

	require(bytes);
	memcpy(bytes, data, size);
	packed = stn_fractiling_packed_tiles(&array, bytes, size);
	if (packed) {
		memcpy(tiles, packed, sizeof(tiles));
		while (stn_tile_take(tiles, NODES, 1, 1, &chunk))
			require(chunk.first < PARTS &&
				chunk.count <= PARTS - chunk.first);
	}
	free(bytes);
}

/* The order that follows from a report. */
static void
check_target(struct stn_hosts *hosts, uint32_t from)
{
	uint32_t to = stn_hosts_target(hosts, from);

	if (to == STN_NOBODY)
		return;
	require(to < NODES && to != from && hosts->of[to].known &&
		hosts->of[to].report.set == STN_NOBODY &&
		!hosts->of[to].promised && hosts->of[from].report.set < NODES &&
		hosts->of[from].report.share < hosts->keeps);
	stn_hosts_moving(hosts, from, to);
	require(stn_hosts_target(hosts, from) == STN_NOBODY);
}

static void
serve(struct stn_hosts *hosts, uint32_t from,
      const struct stn_hector_wire *wire, uint64_t now)
{
	switch (wire->kind) {
	case STN_HECTOR_REPORT:
		require(!stn_hosts_report(hosts, from, &wire->report, now));
		check_target(hosts, from);
		break;
	case STN_HECTOR_MOVED:
		stn_hosts_moved(hosts, from, wire->moved.to, wire->moved.set);
		break;
	case STN_HECTOR_MIGRATE:
	case STN_HECTOR_SET:
	case STN_HECTOR_REGISTER:
		require(wire->migrate.set < NODES && wire->migrate.to < NODES);
		break;
	case STN_HECTOR_REQUEST:
		require(wire->ask.next < NODES);
		break;
	}
}

/* Handles a message; returns what is behind it, or NULL. */
static const uint8_t *
handle(struct stn_hosts *hosts, const uint8_t *data, const uint8_t *end,
       uint64_t now)
{
	struct stn_message message = { 0 };
	struct stn_hector_wire wire;

	if (end - data < 3 || end - data - 3 < data[2] ||
	    data[2] > STN_HEADER_BYTES)
		return NULL;
	message.kind = data[0];
	message.from = data[1] % NODES;
	message.header = data + 3;
	message.header_bytes = data[2];
	data += 3 + message.header_bytes;
	if (message.kind == STN_HECTOR_STATE)
		message.payload_bytes = (size_t)(end - data);
	if (stn_hector_parse(&message, NODES, &wire))
		return data;
	require(wire.kind == message.kind);
	serve(hosts, message.from, &wire, now);
	if (message.kind != STN_HECTOR_STATE)
		return data;
	check_state(data, message.payload_bytes);
	return NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	struct stn_members members;
	struct stn_hosts hosts = {
		.topology = &topology,
		.members = &members,
		.lan = { 1000, 25000000, 0 },
		.keeps = 0.75,
		.links = size % 2,
	};

	require(!stn_members_init(&members, &topology));
	for (int i = 0; data && i < MESSAGES_MOST; i++)
		data = handle(&hosts, data, end, (uint64_t)i * 1000000000);
	stn_hosts_forget(&hosts);
	stn_members_fini(&members);
	return 0;
}
