/*
 * peers.c: which peers are pinged, and when a silent peer is suspect or dead.
 * In virtual time, over a backend that notes its calls.
 */
#include "tests/transport/peers_world.h"

static void
test_successor(void)
{
	begin(2 * STN_SECOND_NS);
	for (int i = 0; i < 40; i++)
		pass(TICK_NS, true, NODES);
	tap_ok(world.pings[2] == 40 && !world.pings[3] && !world.pings[0],
	       "only the next node by rank is pinged all the time");
	for (int i = 0; i < 12; i++)
		pass(TICK_NS, true, 2);
	tap_ok(world.states[2] == STN_PEER_DEAD && world.pings[3],
	       "when that node has died, the node after it is pinged");
	peers_net_close(&world.net);
}

static void
test_sends(void)
{
	begin(2 * STN_SECOND_NS);
	post(4, 0);
	pass(TICK_NS, false, NODES);
	tap_ok(world.pings[4] == 1,
	       "a node to which a message was sent is pinged");
	arrive(4, OTHER, 0);
	pass(TICK_NS, false, NODES);
	tap_ok(world.pings[4] == 2, "an ordinary message is no answer");
	arrive(4, PONG, 0);
	pass(TICK_NS, false, NODES);
	tap_ok(world.pings[4] == 3, "nor is a pong for one of two pings");
	post(4, 0);
	arrive(4, PONG, 0);
	arrive(4, PONG, 0);
	pass(TICK_NS, true, NODES);
	tap_ok(world.pings[4] == 4,
	       "nor are pongs for pings before the last send");
	for (int i = 0; i < 5; i++)
		pass(TICK_NS, true, NODES);
	tap_ok(world.pings[4] == 4, "a pong for a later ping is an answer");
	peers_net_close(&world.net);
}

static void
test_large_payloads(void)
{
	begin(2 * STN_SECOND_NS);
	post(4, PEERS_LARGE_BYTES);
	for (int i = 0; i < 20; i++)
		pass(TICK_NS, true, NODES);
	tap_ok(world.pings[4] == 20,
	       "while an offer is under way, its receiver is pinged");
	world.done(world.arg, STN_OK);
	arrive(5, OTHER, PEERS_LARGE_BYTES);
	for (int i = 0; i < 20; i++)
		pass(TICK_NS, true, NODES);
	tap_ok(world.pings[4] == 20 && world.pings[5] == 20,
	       "so is the sender during a pull, and no node after an offer");
	world.done(world.arg, STN_OK);
	pass(TICK_NS, true, NODES);
	tap_ok(world.pings[5] == 20, "nor after a pull");
	peers_net_close(&world.net);
}

/* The time until node @rank is in this state; 100 s if it never is. */
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
	       "a peer that is silent for half of the time is suspect");
	arrive(4, OTHER, 0);
	tap_ok(world.states[4] == STN_PEER_UP,
	       "any message shows that it lives");
	for (int i = 0; i < 100; i++) {
		pass(TICK_NS, true, 4);
		arrive(4, OTHER, 0);
	}
	tap_ok(world.states[4] == STN_PEER_UP,
	       "it lives while there are messages, even without pongs");
	dead = time_until(4, STN_PEER_DEAD, STEP_NS);
	tap_ok(dead >= 4 * STN_SECOND_NS && dead <= 4 * STN_SECOND_NS + STEP_NS,
	       "a peer that is silent for all of the time is dead");
	peers_net_close(&world.net);
}

/*
 * A peer is pinged all the time, and stops to answer at any moment between two
 * pings. The silence ends between two pings.
 */
static void
test_deadlines(void)
{
	const uint64_t silence_ns = 2 * STN_SECOND_NS + TICK_NS / 2;
	uint64_t dead, soonest = STN_FOREVER, latest = 0;

	for (uint64_t stops = 0; stops < 2 * TICK_NS; stops += TICK_NS / 10) {
		begin(silence_ns);
		for (uint64_t i = 0; i < 20 * TICK_NS + stops; i += STEP_NS)
			pass(STEP_NS, true, NODES);
		dead = time_until(2, STN_PEER_DEAD, STEP_NS);
		soonest = dead < soonest ? dead : soonest;
		latest = dead > latest ? dead : latest;
		peers_net_close(&world.net);
	}
	tap_ok(soonest >= silence_ns - TICK_NS &&
		       latest <= silence_ns + STEP_NS,
	       "a peer that stops to answer is dead after the silence: "
	       "%.3f to %.3f s",
	       (double)soonest / 1e9, (double)latest / 1e9);
}

/* A send, outside of progress, finds that its peer is gone. */
static void
test_found(void)
{
	struct stn_transport *transport = &world.net.transport;
	bool before, found;

	begin(0);
	before = stn_transport_waits(transport);
	stn_peers_lost(transport, 4, "a send found it lost");
	found = stn_transport_waits(transport);
	stn_transport_progress(transport);
	tap_ok(!before && found && !stn_transport_waits(transport) &&
		       world.states[4] == STN_PEER_DEAD,
	       "a sleeper is woken for a peer that was found lost");
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
	       "even a short silence lasts for %u pings", world.pings[4]);
	peers_net_close(&world.net);
	begin(STN_FOREVER);
	post(4, 0);
	time_until(4, STN_PEER_SUSPECT, TICK_NS);
	tap_ok(world.states[4] == STN_PEER_UP && world.pings[4],
	       "without a limit no silence is too long");
	peers_net_close(&world.net);
	begin(4 * STN_SECOND_NS);
	post(4, 0);
	for (int i = 0; i < 5; i++)
		pass(100 * STN_SECOND_NS, false, NODES);
	tap_ok(world.states[4] == STN_PEER_UP,
	       "a node that was stopped itself suspects no peer");
	peers_net_close(&world.net);
}

static void
test_hosts(void)
{
	begin(4 * STN_SECOND_NS);
	connect_peer(2, 77);
	connect_peer(4, 77);
	time_until(2, STN_PEER_SUSPECT, TICK_NS);
	pass(TICK_NS, true, 2);
	tap_ok(world.pings[4] && !world.pings[3] && !world.pings[5],
	       "other nodes on the host of a suspect are pinged, too");
	arrive(2, PONG, 0);
	world.pings[4] = 0;
	for (int i = 0; i < 5; i++)
		pass(TICK_NS, true, NODES);
	tap_ok(world.pings[4] <= 1, "but not once the suspect is up again");
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
	tap_ok(settled(), "a node that has sent nothing is settled");
	post(4, 0);
	post(5, 0);
	tap_ok(!settled() && !settled() && world.pings[4] == 1 &&
		       world.pings[5] == 1 && !world.pings[0] &&
		       !world.pings[2] && !world.pings[3],
	       "otherwise it pings each receiver once, and no other node");
	arrive(4, PONG, 0);
	arrive(5, OTHER, 0);
	tap_ok(!settled(), "an ordinary message is no answer");
	arrive(5, PONG, 0);
	tap_ok(settled(),
	       "when each receiver has answered, the node is settled");
	post(4, 0);
	tap_ok(!settled() && world.pings[4] == 2 && world.pings[5] == 1,
	       "until it sends again");
	stn_transport_peer_del(&world.net.transport, 4);
	tap_ok(settled(), "a dead receiver need not answer");
	for (int i = 0; i < 40; i++)
		pass(TICK_NS, true, NODES);
	post(5, 0);
	settled();
	pass(TICK_NS, false, NODES);
	tap_ok(world.states[5] == STN_PEER_UP && !settled(),
	       "a peer that was not pinged for long is not dead for that");
	peers_net_close(&world.net);
}

static void
test_connecting(void)
{
	struct stn_why why;

	begin(4 * STN_SECOND_NS);
	peers_net_close(&world.net);
	if (!peers_net_open(&world.net, &fake_ops,
			    &(struct stn_opening){ .topology = &world.topology,
						   .rank = SELF,
						   .handler = handle }))
		abort();
	for (int i = 0; i < 3; i++)
		arrive(3, PING, 0);
	tap_ok(!world.pongs[3],
	       "a ping of an unconnected node is not answered");
	connect_peer(3, 9);
	tap_ok(world.pongs[3] == 3,
	       "when the node is connected, each ping is answered");
	connect_peer(3, 9);
	tap_ok(world.pongs[3] == 3, "but only once");
	stn_transport_peer_del(&world.net.transport, 3);
	arrive(3, PING, 0);
	tap_ok(world.pongs[3] == 3, "a ping of a dead node is not answered");
	tap_ok(stn_peers_check(world.net.peers, 3, &why) == STN_LOST &&
		       stn_peers_check(world.net.peers, NODES, &why) ==
			       STN_INVALID &&
		       !stn_peers_check(world.net.peers, 4, &why),
	       "a dead node can't be connected again, nor one that doesn't "
	       "exist");
	peers_net_close(&world.net);
}

/* Until this node joins, its peers may not have connected it. */
static void
test_joining(void)
{
	uint64_t dead, reserved = 1u << SELF;

	begin_reserved(4 * STN_SECOND_NS, &reserved);
	arrive(2, PING, 0);
	tap_ok(time_until(2, STN_PEER_SUSPECT, TICK_NS) ==
			       100 * STN_SECOND_NS &&
		       world.states[2] == STN_PEER_UP && world.pongs[2] == 1,
	       "a node that has not joined answers, and suspects no peer");
	stn_transport_joined(&world.net.transport);
	dead = time_until(2, STN_PEER_DEAD, STEP_NS);
	tap_ok(dead >= 4 * STN_SECOND_NS - TICK_NS &&
		       dead <= 4 * STN_SECOND_NS + 2 * TICK_NS,
	       "when it has joined, a peer that is silent is dead after the "
	       "silence: %.3f s",
	       (double)dead / 1e9);
	peers_net_close(&world.net);
}

int
main(void)
{
	tap_begin();
	test_successor();
	test_sends();
	test_large_payloads();
	test_silence();
	test_deadlines();
	test_found();
	test_odd_silences();
	test_hosts();
	test_settling();
	test_connecting();
	test_joining();
	return tap_end();
}
