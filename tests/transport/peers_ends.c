/*
 * peers_ends.c: a node finds out that the process of another node on its host
 * has ended, after it has handled all messages of that process.
 */
#include <poll.h>

#include "tests/transport/idle_process.h"
#include "tests/transport/peers_world.h"

static bool
readable(int fd, uint64_t patience_ns)
{
	struct pollfd poll_fd = { fd, POLLIN, 0 };

	return poll(&poll_fd, 1, (int)(patience_ns / 1000000)) == 1;
}

/* Connects node @rank, a process of this host, and lets it end. */
static void
end_process(uint32_t rank)
{
	unsigned char identity[STN_IDENTITY_BYTES];
	pid_t process = idle_process(identity);

	stn_peers_connect(world.net.peers, rank, identity);
	end_idle_process(process);
}

static void
test_ends(void)
{
	unsigned char identity[STN_IDENTITY_BYTES];
	pid_t process;
	int ends;

	begin(0);
	process = idle_process(identity);
	stn_peers_connect(world.net.peers, 3, identity);
	ends = stn_transport_ends(&world.net.transport);
	pass(TICK_NS, false, NODES);
	tap_ok(!readable(ends, 0) && world.states[3] == STN_PEER_UP,
	       "a process of this host lives");
	end_idle_process(process);
	tap_ok(readable(ends, tap_patience_ns()),
	       "a descriptor shows that it has ended");
	stn_transport_look(&world.net.transport);
	stn_transport_progress(&world.net.transport);
	tap_ok(world.states[3] == STN_PEER_DEAD && !readable(ends, 0),
	       "and the next progress finds it");
	process = idle_process(identity);
	stn_peers_connect(world.net.peers, 4, identity);
	pass(TICK_NS, false, NODES);
	end_idle_process(process);
	pass(TICK_NS, false, NODES);
	tap_ok(world.states[4] == STN_PEER_DEAD,
	       "so does a caller that does not sleep on the descriptor");
	peers_net_close(&world.net);
}

/*
 * Node 3 sends 40 messages before its process ends, of which the backend
 * handles one per call. Then node 4 ends, while node 5 never stops sending.
 */
static void
test_last_messages(void)
{
	const struct stn_arrival last = { .message = { .from = 3, .kind = 1 } };
	const struct stn_arrival busy = { .message = { .from = 5, .kind = 1 } };

	begin(0);
	end_process(3);
	world.net.repeats = 39;
	world.net.arriving = &last;
	stn_transport_look(&world.net.transport);
	stn_transport_progress(&world.net.transport);
	tap_ok(world.messages == 40 && world.states[3] == STN_PEER_DEAD,
	       "all that a process sent before its end is handled");
	end_process(4);
	world.net.repeats = UINT32_MAX;
	world.net.arriving = &busy;
	stn_transport_look(&world.net.transport);
	stn_transport_progress(&world.net.transport);
	tap_ok(world.states[4] == STN_PEER_DEAD,
	       "a peer that never stops sending doesn't delay this");
	peers_net_close(&world.net);
}

int
main(void)
{
	tap_begin();
	test_ends();
	test_last_messages();
	return tap_end();
}
