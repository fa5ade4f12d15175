/* node.c: a node's process, which sleeps when it has nothing to do. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signal.h>
#include <sys/socket.h>
#include <time.h>

#include "bench/death/death.h"
#include "bench/ticks.h"

#define KIND 1

struct death_end {
	struct stn_topology topology;
	struct stn_transport *transport;
	int control;
};

/* The benchmark may have closed its end; then this node ends soon. */
static void
tell(int control, const void *what, size_t bytes)
{
	if (send(control, what, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
		exit(EXIT_FAILURE);
}

static void
tell_time(const struct death_end *end)
{
	uint64_t now = ticks_clock_ns();

	tell(end->control, &now, sizeof(now));
}

static void
handle(void *arg, const struct stn_message *message)
{
	(void)message;
	tell_time(arg);
}

static void
on_peer_event(void *arg, uint32_t rank, enum stn_peer_state state,
	      const char *reason)
{
	(void)rank;
	(void)reason;
	if (state == STN_PEER_DEAD)
		tell_time(arg);
}

static enum stn_err
open_end(struct death_end *end, const struct death_plan *plan, uint32_t rank)
{
	const struct stn_opening opening = {
		.topology = &end->topology,
		.rank = rank,
		.provider = plan->provider,
		.address = "127.0.0.1",
		.silence_ns = plan->silence_ns,
		.handler = handle,
		.peer_event = on_peer_event,
		.arg = end,
	};
	struct death_hello hello = { .err = STN_OK };

	hello.err = stn_transport_open(plan->transport, &opening,
				       &end->transport, &hello.why);
	if (!hello.err)
		hello.bytes =
			stn_transport_address(end->transport, hello.address);
	tell(end->control, &hello, sizeof(hello));
	return hello.err;
}

static bool
meet(struct death_end *end, uint32_t other)
{
	struct death_hello theirs;
	struct stn_why why;

	if (recv(end->control, &theirs, sizeof(theirs), 0) != sizeof(theirs) ||
	    stn_transport_connect(end->transport, other, theirs.address,
				  theirs.bytes, &why))
		return false;
	stn_transport_send(end->transport, other, KIND, NULL, 0, NULL, 0, NULL,
			   NULL);
	return true;
}

/*
 * Sleeps until there is something to do, as the progress thread of a node does;
 * false when @control is closed.
 */
static bool
wait_for_work(struct death_end *end)
{
	struct pollfd fds[] = {
		{ .fd = end->control, .events = POLLIN },
		{ .fd = stn_transport_fd(end->transport), .events = POLLIN },
		{ .fd = stn_transport_ends(end->transport), .events = POLLIN },
	};
	uint64_t ns = stn_transport_arm(end->transport);
	struct timespec time = { (time_t)(ns / STN_SECOND_NS),
				 (long)(ns % STN_SECOND_NS) };

	ppoll(fds, 3, ns == STN_FOREVER ? NULL : &time, NULL);
	if (fds[2].revents)
		stn_transport_look(end->transport);
	return !fds[0].revents;
}

int
death_node(const struct death_plan *plan, uint32_t rank, int control)
{
	struct death_end end = { .topology = { .nodes = 2, .clusters = 1 },
				 .control = control };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (open_end(&end, plan, rank) || !meet(&end, !rank))
		return EXIT_FAILURE;
	do
		while (stn_transport_progress(end.transport))
			continue;
	while (wait_for_work(&end));
	stn_transport_close(end.transport, 0);
	return EXIT_SUCCESS;
}
