/*
 * peers_world.h: a world of six nodes, for tests of the failure detection. This
 * process is one of them. The backend below sends nothing: it notes the pings
 * and pongs to the others. In virtual time.
 */
#ifndef TESTS_TRANSPORT_PEERS_WORLD_H
#define TESTS_TRANSPORT_PEERS_WORLD_H

#include <string.h>

#include "tests/transport/peers_net.h"
#include "tests/tap.h"

#define NODES 6
#define SELF 1 /* so its successor is node 2 */
#define KIND_HEARTBEAT (STN_KINDS + 1)
#define TICK_NS (STN_SECOND_NS / 4)
#define STEP_NS (TICK_NS / 50)

enum { PING, PONG, OTHER };

static struct world {
	struct peers_net net;
	struct stn_topology topology;
	unsigned pings[NODES], pongs[NODES];
	enum stn_peer_state states[NODES];
	unsigned messages; /* number handled */
	stn_done *done;	   /* of the offer or pull under way */
	void *arg;
} world;

static inline void
fake_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	(void)transport, (void)header_bytes, (void)pieces, (void)count;
	if (kind != KIND_HEARTBEAT)
		return;
	(void)done, (void)arg;
	world.pings[to] += *(const unsigned char *)header == PING;
	world.pongs[to] += *(const unsigned char *)header == PONG;
}

static inline void
fake_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	   const void *header, size_t header_bytes, const struct iovec *pieces,
	   size_t count, stn_done *done, void *arg)
{
	(void)transport, (void)to, (void)kind, (void)header;
	(void)header_bytes, (void)pieces, (void)count;
	world.done = done;
	world.arg = arg;
}

static inline void
fake_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	  const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	(void)transport, (void)arrival, (void)pieces, (void)count;
	world.done = done;
	world.arg = arg;
}

static inline void
fake_peer_del(struct stn_transport *transport, uint32_t rank)
{
	(void)transport, (void)rank;
}

static const struct stn_transport_ops fake_ops = {
	.name = "fake",
	.send = fake_send,
	.offer = fake_offer,
	.pull = fake_pull,
	.peer_del = fake_peer_del,
	.progress = peers_net_progress,
	.arm = peers_net_arm,
	.now = peers_net_now,
	.settles = true,
};

static inline void
ended(void *arg, enum stn_err err)
{
	(void)arg, (void)err;
}

static inline void
handle(void *arg, const struct stn_message *message)
{
	(void)arg;
	world.messages++;
	if (message->payload_bytes)
		peers_net_take(&world.net, message, ended);
}

static inline void
note_event(void *arg, uint32_t rank, enum stn_peer_state state, const char *how)
{
	(void)arg, (void)how;
	world.states[rank] = state;
}

/* Connects node @rank. Its host is @host, never this test's host. */
static inline void
connect_peer(uint32_t rank, unsigned char host)
{
	unsigned char identity[STN_IDENTITY_BYTES];

	memset(identity, host, sizeof(identity));
	stn_peers_connect(world.net.peers, rank, identity);
}

/* @reserved  the reserved ranks, or NULL */
static inline void
begin_reserved(uint64_t silence_ns, uint64_t *reserved)
{
	struct stn_opening opening = {
		.topology = &world.topology,
		.rank = SELF,
		.silence_ns = silence_ns,
		.handler = handle,
		.peer_event = note_event,
	};

	memset(&world, 0, sizeof(world));
	world.topology.nodes = NODES;
	world.topology.clusters = 1;
	world.topology.reserved = reserved;
	if (!peers_net_open(&world.net, &fake_ops, &opening))
		abort();
	for (uint32_t i = 0; i < NODES; i++)
		if (i != SELF)
			connect_peer(i, (unsigned char)(i + 1));
}

static inline void
begin(uint64_t silence_ns)
{
	begin_reserved(silence_ns, NULL);
}

static inline void
arrive(uint32_t from, int kind, size_t payload_bytes)
{
	const unsigned char header = (unsigned char)kind;
	const struct stn_arrival arrival = {
		.message = { .from = from,
			     .kind = kind == OTHER ? 1 : KIND_HEARTBEAT,
			     .header = &header,
			     .header_bytes = 1,
			     .payload_bytes = payload_bytes },
	};

	peers_net_arrive(&world.net, &arrival);
}

/* Some time passes. If @answering, all nodes but @silent answer pings. */
static inline void
pass(uint64_t ns, bool answering, uint32_t silent)
{
	unsigned before[NODES];

	memcpy(before, world.pings, sizeof(before));
	peers_net_pass(&world.net, ns);
	for (uint32_t i = 0; answering && i < NODES; i++)
		for (; i != silent && before[i] < world.pings[i]; before[i]++)
			arrive(i, PONG, 0);
}

static inline void
post(uint32_t to, size_t bytes)
{
	peers_net_send(&world.net, to, bytes, ended);
}

#endif
