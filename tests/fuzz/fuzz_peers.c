/*
 * fuzz_peers.c: arbitrary signs of life, sends, deaths and connects, in any
 * order, over a backend that does nothing by itself. Each operation ends once,
 * each death is reported once, and no message from a dead node is handled.
 *
 * Each two bytes of the input are an event and a parameter, mostly a node.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/transport/peers_net.h"

#define NODES 5
#define OPERATIONS 64

struct operation {
	uint32_t to;
	stn_done *done; /* NULL: not under way */
	void *arg;
};

/* The backend, and what the layer above has seen. */
static struct world {
	struct peers_net net;
	bool sends_find_lost; /* each send finds that its receiver is lost */
	struct operation operations[OPERATIONS];
	unsigned posted, ended; /* operations with a done function */
	bool met[NODES], dead[NODES], declared[NODES];
	bool closing;  /* done functions send no more */
	uint32_t next; /* the node that done functions send to next */
} world;

static void
fake_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	(void)header, (void)header_bytes, (void)pieces, (void)count;
	require(to < NODES && kind && !world.declared[to]);
	if (world.sends_find_lost)
		stn_peers_lost(transport, to, "a send found it lost");
	if (!done) {
		/* signs of life go only to connected nodes */
		require(world.met[to]);
		return;
	}
	for (size_t i = 0; i < OPERATIONS; i++)
		if (!world.operations[i].done) {
			world.operations[i] =
				(struct operation){ to, done, arg };
			return;
		}
	done(arg, STN_OK);
}

/* A done function may start an operation in the slot of its own. */
static void
end(struct operation *operation, enum stn_err err)
{
	stn_done *done = operation->done;

	operation->done = NULL;
	if (done)
		done(operation->arg, err);
}

static void
fake_peer_del(struct stn_transport *transport, uint32_t rank)
{
	(void)transport;
	require(!world.declared[rank]);
	world.declared[rank] = true;
	for (size_t i = 0; i < OPERATIONS; i++)
		if (world.operations[i].to == rank)
			end(&world.operations[i], STN_LOST);
}

static void
fake_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	  const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	fake_send(transport, arrival->message.from, 1, NULL, 0, pieces, count,
		  done, arg);
}

static void
fake_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	(void)transport;
	require(arrival->message.payload_bytes == PEERS_LARGE_BYTES);
}

static enum stn_err
fake_connect(struct stn_transport *transport, uint32_t rank,
	     const unsigned char *address, size_t bytes, struct stn_why *why)
{
	(void)transport, (void)address, (void)why;
	require(rank < NODES && bytes == 1);
	world.met[rank] = true;
	return STN_OK;
}

static const struct stn_transport_ops fake_ops = {
	.name = "fake",
	.connect = fake_connect,
	.send = fake_send,
	.offer = fake_send,
	.pull = fake_pull,
	.refuse = fake_refuse,
	.peer_del = fake_peer_del,
	.progress = peers_net_progress,
	.arm = peers_net_arm,
	.now = peers_net_now,
};

static void
ended(void *arg, enum stn_err err)
{
	(void)arg, (void)err;
	require(++world.ended <= world.posted);
}

static void
post(uint32_t to, size_t payload_bytes)
{
	unsigned ends = world.ended;

	world.posted++;
	peers_net_send(&world.net, to, payload_bytes, ended);
	if (world.dead[to])
		require(world.ended > ends);
}

/* A done function that sends to another node, at most 1000 times in total. */
static void
ended_send_again(void *arg, enum stn_err err)
{
	ended(arg, err);
	if (world.closing || world.posted >= 1000)
		return;
	world.next++;
	post(world.next % NODES, world.next % 3 ? 0 : PEERS_LARGE_BYTES);
}

static void
handle(void *arg, const struct stn_message *message)
{
	(void)arg;
	require(message->from < NODES && message->kind <= STN_KINDS &&
		!world.dead[message->from]);
	if (!message->payload_bytes) {
		stn_transport_refuse(&world.net.transport, message);
		return;
	}
	world.posted++;
	peers_net_take(&world.net, message, ended_send_again);
}

static void
on_peer_event(void *arg, uint32_t rank, enum stn_peer_state state,
	      const char *how)
{
	(void)arg;
	require(rank < NODES && *how && !world.dead[rank]);
	world.dead[rank] = state == STN_PEER_DEAD;
	require(world.dead[rank] == world.declared[rank]);
	for (size_t i = 0; i < OPERATIONS && world.dead[rank]; i++)
		require(!world.operations[i].done ||
			world.operations[i].to != rank);
	world.posted++;
	ended_send_again(NULL, STN_OK);
}

/* Delivers a sign of life, well-formed or not, or an ordinary message. */
static void
deliver(uint32_t from, uint8_t what)
{
	const unsigned char header[] = { what & 3, 0 };
	struct stn_arrival arrival = {
		.message = { .from = from,
			     .kind = what & 8 ? STN_KINDS + 1 : what & 1,
			     .header = header,
			     .header_bytes = what & 4 ? what & 2 : 1,
			     .payload_bytes =
				     what & 16 ? PEERS_LARGE_BYTES : 0 },
	};

	if (!arrival.message.header_bytes)
		arrival.message.header = NULL;
	peers_net_arrive(&world.net, &arrival);
}

/*
 * Connects to a process on another host, to this process, to one that has
 * ended, or to an invalid identity.
 */
static void
connect_peer(uint32_t rank, uint8_t what)
{
	unsigned char address[STN_IDENTITY_BYTES + 1] = "";
	struct stn_why why;

	stn_identity_write(address);
	if (what & 1)
		address[0] ^= what;
	else if (what & 2)
		address[STN_IDENTITY_BYTES - 6] ^=
			0x80; /* the process number */
	else if (what & 4)
		memset(address, what, STN_IDENTITY_BYTES);
	if (stn_transport_connect(&world.net.transport, rank, address,
				  sizeof(address), &why))
		require(world.declared[rank]);
}

static void
declare_dead(uint32_t rank)
{
	world.dead[rank] = true;
	stn_transport_peer_del(&world.net.transport, rank);
	require(world.declared[rank]);
}

static void
run_event(uint8_t event, uint8_t what)
{
	uint32_t rank = what % NODES;

	switch (event % 8) {
	case 0:
		deliver(rank, event / 8);
		break;
	case 1:
		peers_net_pass(&world.net, what * 10000000ull);
		break;
	case 2:
		post(rank, event & 8 ? PEERS_LARGE_BYTES : 0);
		break;
	case 3:
		end(&world.operations[what % OPERATIONS], STN_OK);
		break;
	case 4:
		connect_peer(rank, event / 8);
		break;
	case 5:
		stn_peers_lost(&world.net.transport, rank,
			       "the backend said so");
		break;
	case 6:
		world.sends_find_lost = event & 8;
		break;
	case 7:
		declare_dead(rank);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct stn_topology topology = { .nodes = NODES,
						      .clusters = 1 };
	struct stn_opening opening = {
		.topology = &topology,
		.rank = 1,
		.silence_ns = STN_SECOND_NS,
		.handler = handle,
		.peer_event = on_peer_event,
	};

	memset(&world, 0, sizeof(world));
	require(peers_net_open(&world.net, &fake_ops, &opening));
	for (size_t i = 0; i + 1 < size; i += 2)
		run_event(data[i], data[i + 1]);
	world.closing = true;
	for (size_t i = 0; i < OPERATIONS; i++)
		end(&world.operations[i], STN_CANCELLED);
	require(world.ended == world.posted);
	peers_net_close(&world.net);
	return 0;
}
