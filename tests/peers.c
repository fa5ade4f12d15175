/*
 * peers.c: who is asked for signs of life, and when one is missed. In a time
 * of its own, over a backend that only notes what it is given.
 */
#include <string.h>

#include "tests/peers_net.h"
#include "tests/tap.h"

#define NODES 6
#define SELF 1 /* so 2 is its ward */
#define KIND_SIGN (STN_KINDS + 1)
#define TICK_NS (STN_SECOND_NS / 4)

enum { PING, PONG, OTHER };

static struct world {
	struct peers_net net;
	struct stn_topology topology;
	unsigned pings[NODES], pongs[NODES];
	enum stn_peer_state states[NODES];
	stn_done *done; /* of the offer or pull under way */
	void *arg;
} world;

static void
fake_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	(void)transport, (void)header_bytes, (void)pieces, (void)count;
	if (kind != KIND_SIGN)
		return;
	(void)done, (void)arg;
	world.pings[to] += *(const unsigned char *)header == PING;
	world.pongs[to] += *(const unsigned char *)header == PONG;
}

static void
fake_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	   const void *header, size_t header_bytes, const struct iovec *pieces,
	   size_t count, stn_done *done, void *arg)
{
	(void)transport, (void)to, (void)kind, (void)header;
	(void)header_bytes, (void)pieces, (void)count;
	world.done = done;
	world.arg = arg;
}

static void
fake_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	  const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	(void)transport, (void)arrival, (void)pieces, (void)count;
	world.done = done;
	world.arg = arg;
}

static void
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

static void
ended(void *arg, enum stn_err err)
{
	(void)arg, (void)err;
}

static void
handle(void *arg, const struct stn_message *message)
{
	(void)arg;
	if (message->payload_bytes)
		peers_net_take(&world.net, message, ended);
}

static void
hear(void *arg, uint32_t rank, enum stn_peer_state state, const char *how)
{
	(void)arg, (void)how;
	world.states[rank] = state;
}

/* A node of this rank, on this host; none is on ours. */
static void
meet(uint32_t rank, unsigned char host)
{
	unsigned char identity[STN_IDENTITY_BYTES];

	memset(identity, host, sizeof(identity));
	stn_peers_meet(world.net.peers, rank, identity);
}

static void
begin(uint64_t silence_ns)
{
	struct stn_opening opening = {
		.topology = &world.topology,
		.rank = SELF,
		.silence_ns = silence_ns,
		.handler = handle,
		.news = hear,
	};

	memset(&world, 0, sizeof(world));
	world.topology.nodes = NODES;
	world.topology.clusters = 1;
	if (!peers_net_open(&world.net, &fake_ops, &opening))
		abort();
	for (uint32_t i = 0; i < NODES; i++)
		if (i != SELF)
			meet(i, (unsigned char)(i + 1));
}

static void
arrive(uint32_t from, int sign, size_t payload_bytes)
{
	const unsigned char header = (unsigned char)sign;
	const struct stn_arrival arrival = {
		.message = { .from = from,
			     .kind = sign == OTHER ? 1 : KIND_SIGN,
			     .header = &header,
			     .header_bytes = 1,
			     .payload_bytes = payload_bytes },
	};

	peers_net_arrive(&world.net, &arrival);
}

/* Some time passes; if @answering, pings are answered by all but one. */
static void
pass(uint64_t ns, bool answering, uint32_t silent)
{
	unsigned before[NODES];

	memcpy(before, world.pings, sizeof(before));
	peers_net_pass(&world.net, ns);
	for (uint32_t i = 0; answering && i < NODES; i++)
		for (; i != silent && before[i] < world.pings[i]; before[i]++)
			arrive(i, PONG, 0);
}

static void
post(uint32_t to, size_t bytes)
{
	peers_net_send(&world.net, to, bytes, ended);
}

static void
test_wards(void)
{
	begin(2 * STN_SECOND_NS);
	for (int i = 0; i < 40; i++)
		pass(TICK_NS, true, NODES);
	tap_ok(world.pings[2] == 40 && !world.pings[3] && !world.pings[0],
	       "the next node is asked all the time, and nobody else");
	for (int i = 0; i < 12; i++)
		pass(TICK_NS, true, 2);
	tap_ok(world.states[2] == STN_PEER_DEAD && world.pings[3],
	       "when it has died, the next but one is");
	peers_net_close(&world.net);
}

static void
test_sends(void)
{
	begin(2 * STN_SECOND_NS);
	post(4, 0);
	pass(TICK_NS, false, NODES);
	tap_ok(world.pings[4] == 1, "who was sent to is asked");
	arrive(4, OTHER, 0);
	pass(TICK_NS, false, NODES);
	tap_ok(world.pings[4] == 2, "any message is no answer");
	arrive(4, PONG, 0);
	pass(TICK_NS, false, NODES);
	tap_ok(world.pings[4] == 3, "nor is the answer to one ping of two");
	post(4, 0);
	arrive(4, PONG, 0);
	arrive(4, PONG, 0);
	pass(TICK_NS, true, NODES);
	tap_ok(world.pings[4] == 4, "nor those to pings before a send");
	for (int i = 0; i < 5; i++)
		pass(TICK_NS, true, NODES);
	tap_ok(world.pings[4] == 4, "that to a later one is");
	peers_net_close(&world.net);
}

static void
test_follows(void)
{
	begin(2 * STN_SECOND_NS);
	post(4, PEERS_LARGE_BYTES);
	for (int i = 0; i < 20; i++)
		pass(TICK_NS, true, NODES);
	tap_ok(world.pings[4] == 20, "an offer is asked after until it ends");
	world.done(world.arg, STN_OK);
	arrive(5, OTHER, PEERS_LARGE_BYTES);
	for (int i = 0; i < 20; i++)
		pass(TICK_NS, true, NODES);
	tap_ok(world.pings[4] == 20 && world.pings[5] == 20,
	       "so is a pull, and nothing after its end");
	world.done(world.arg, STN_OK);
	pass(TICK_NS, true, NODES);
	tap_ok(world.pings[5] == 20, "nor after that of a pull");
	peers_net_close(&world.net);
}

/* After how long it gets to this state, if at all. */
static uint64_t
time_until(uint32_t rank, enum stn_peer_state state, uint64_t step_ns)
{
	uint64_t start = world.net.now;

	while (world.states[rank] != state &&
	       world.net.now < start + 100 * STN_SECOND_NS)
		pass(step_ns, true, rank);
	return world.net.now - start;
}

static void
test_silence(void)
{
	uint64_t suspect, dead;

	begin(4 * STN_SECOND_NS);
	post(4, 0);
	suspect = time_until(4, STN_PEER_SUSPECT, TICK_NS);
	tap_ok(suspect >= 2 * STN_SECOND_NS &&
		       suspect <= 2 * STN_SECOND_NS + 2 * TICK_NS,
	       "after half the silence a peer is suspect");
	arrive(4, OTHER, 0);
	tap_ok(world.states[4] == STN_PEER_UP, "any message tells it lives");
	for (int i = 0; i < 100; i++) {
		pass(TICK_NS, true, 4);
		arrive(4, OTHER, 0);
	}
	tap_ok(world.states[4] == STN_PEER_UP,
	       "it does as long as there are some, answers or not");
	dead = time_until(4, STN_PEER_DEAD, TICK_NS);
	tap_ok(dead >= 4 * STN_SECOND_NS &&
		       dead <= 4 * STN_SECOND_NS + 2 * TICK_NS,
	       "after all the silence it is dead");
	peers_net_close(&world.net);
}

static void
test_odd_silences(void)
{
	uint64_t dead;

	begin(20000000);
	post(4, 0);
	dead = time_until(4, STN_PEER_DEAD, 1000000);
	tap_ok(dead >= 20000000 && dead <= 30000000 && world.pings[4] >= 8,
	       "a short silence is one of %u pings", world.pings[4]);
	peers_net_close(&world.net);
	begin(STN_FOREVER);
	post(4, 0);
	time_until(4, STN_PEER_SUSPECT, TICK_NS);
	tap_ok(world.states[4] == STN_PEER_UP && world.pings[4],
	       "an endless one is endless");
	peers_net_close(&world.net);
	begin(4 * STN_SECOND_NS);
	post(4, 0);
	for (int i = 0; i < 5; i++)
		pass(100 * STN_SECOND_NS, false, NODES);
	tap_ok(world.states[4] == STN_PEER_UP,
	       "who has slept itself blames nobody for it");
	peers_net_close(&world.net);
}

static void
test_hosts(void)
{
	begin(4 * STN_SECOND_NS);
	meet(2, 77);
	meet(4, 77);
	time_until(2, STN_PEER_SUSPECT, TICK_NS);
	pass(TICK_NS, true, 2);
	tap_ok(world.pings[4] && !world.pings[3] && !world.pings[5],
	       "who is on the host of a suspect is asked, too");
	arrive(2, PONG, 0);
	world.pings[4] = 0;
	for (int i = 0; i < 5; i++)
		pass(TICK_NS, true, NODES);
	tap_ok(world.pings[4] <= 1, "but not when it is cleared");
	peers_net_close(&world.net);
}

static bool
settled(void)
{
	return stn_transport_settle(&world.net.transport);
}

static void
test_settling(void)
{
	begin(2 * STN_SECOND_NS);
	tap_ok(settled(), "who has sent nothing is settled");
	post(4, 0);
	post(5, 0);
	tap_ok(!settled() && !settled() && world.pings[4] == 1 &&
		       world.pings[5] == 1 && !world.pings[0] &&
		       !world.pings[2] && !world.pings[3],
	       "who has, asks those it has sent to, once, and nobody else");
	arrive(4, PONG, 0);
	arrive(5, OTHER, 0);
	tap_ok(!settled(), "any message is no answer");
	arrive(5, PONG, 0);
	tap_ok(settled(), "when each has answered, it is settled");
	post(4, 0);
	tap_ok(!settled() && world.pings[4] == 2 && world.pings[5] == 1,
	       "until it sends again");
	stn_transport_peer_del(&world.net.transport, 4);
	tap_ok(settled(), "the dead don't hold it up");
	for (int i = 0; i < 40; i++)
		pass(TICK_NS, true, NODES);
	post(5, 0);
	settled();
	pass(TICK_NS, false, NODES);
	tap_ok(world.states[5] == STN_PEER_UP && !settled(),
	       "who had no reason to speak for long isn't dead for that");
	peers_net_close(&world.net);
}

static void
test_meeting(void)
{
	struct stn_why why;

	begin(4 * STN_SECOND_NS);
	peers_net_close(&world.net);
	if (!peers_net_open(&world.net, &fake_ops,
			    &(struct stn_opening){ .topology = &world.topology,
						   .rank = SELF,
						   .handler = handle }))
		abort();
	arrive(3, PING, 0);
	tap_ok(!world.pongs[3], "a stranger's ping is not answered");
	meet(3, 9);
	tap_ok(world.pongs[3] == 1, "until it is met");
	stn_transport_peer_del(&world.net.transport, 3);
	arrive(3, PING, 0);
	tap_ok(world.pongs[3] == 1, "nor is one of the dead");
	tap_ok(stn_peers_admit(world.net.peers, 3, &why) == STN_LOST &&
		       stn_peers_admit(world.net.peers, NODES, &why) ==
			       STN_INVALID &&
		       !stn_peers_admit(world.net.peers, 4, &why),
	       "they can't be met again, nor who doesn't exist");
	peers_net_close(&world.net);
}

int
main(void)
{
	tap_begin();
	test_wards();
	test_sends();
	test_follows();
	test_silence();
	test_odd_silences();
	test_hosts();
	test_settling();
	test_meeting();
	return tap_end();
}
