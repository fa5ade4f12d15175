/* mortal_world.c: starts, orders and kills the nodes' processes. */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/transport/mortal.h"
#include "tests/tap.h"

/* Receives the next whole message of a node; false after the patience. */
static bool
receive(struct mortal_world *world, uint32_t rank, void *what, size_t bytes)
{
	struct pollfd wait = { .fd = world->controls[rank], .events = POLLIN };

	return poll(&wait, 1, (int)(tap_patience_ns() / 1000000)) == 1 &&
	       recv(wait.fd, what, bytes, 0) == (ssize_t)bytes;
}

static void
give_order(struct mortal_world *world, uint32_t rank,
	   const struct mortal_command *command)
{
	if (send(world->controls[rank], command, sizeof(*command),
		 MSG_NOSIGNAL) < 0)
		printf("# node %u is gone already\n", rank);
}

/*
 * Makes the next child the first process of a new process namespace. (A process
 * that has unshared must return to its own namespace before it can unshare
 * again.)
 */
static bool
enter_namespace(void)
{
	int mine = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	bool apart = mine >= 0 && !setns(mine, CLONE_NEWPID) &&
		     !unshare(CLONE_NEWPID);

	if (mine >= 0)
		close(mine);
	return apart;
}

static void
leave_namespace(void)
{
	int mine = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);

	if (mine < 0 || setns(mine, CLONE_NEWPID))
		printf("# can't return to the own process namespace\n");
	if (mine >= 0)
		close(mine);
}

static enum stn_err
start(struct mortal_world *world, uint32_t rank, struct stn_why *why)
{
	int pair[2];

	if (world->plan.apart && !enter_namespace())
		return stn_because(why, STN_MISSING,
				   "permission to make process namespaces");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return stn_because(why, STN_IO, "no sockets");
	fflush(stdout);
	world->processes[rank] = fork();
	if (!world->processes[rank]) {
		for (uint32_t i = 0; i < rank; i++)
			close(world->controls[i]);
		close(pair[0]);
		exit(mortal_node(&world->plan, rank, pair[1]));
	}
	close(pair[1]);
	world->controls[rank] = pair[0];
	if (world->plan.apart)
		leave_namespace();
	return STN_OK;
}

static void
reap(struct mortal_world *world, uint32_t rank, int *status_p)
{
	waitpid(world->processes[rank], status_p, 0);
	close(world->controls[rank]);
	world->processes[rank] = 0;
}

void
mortal_kill(struct mortal_world *world, uint32_t rank)
{
	const struct mortal_address *address = &world->hellos[rank].address;

	if (!world->processes[rank])
		return;
	kill(world->processes[rank], SIGKILL);
	reap(world, rank, NULL);
	/* as the launcher does */
	stn_transport_sweep(world->plan.transport, address->address,
			    address->bytes);
}

void
mortal_stop(struct mortal_world *world, uint32_t rank)
{
	int status;

	kill(world->processes[rank], SIGSTOP);
	waitpid(world->processes[rank], &status, WUNTRACED);
}

void
mortal_go(struct mortal_world *world, uint32_t rank)
{
	kill(world->processes[rank], SIGCONT);
}

enum stn_err
mortal_create(struct mortal_world *world, const struct mortal_plan *plan,
	      struct stn_why *why)
{
	enum stn_err err = STN_OK;

	memset(world, 0, sizeof(*world));
	world->plan = *plan;
	for (uint32_t i = 0; i < plan->nodes && !err; i++)
		err = start(world, i, why);
	for (uint32_t i = 0; i < plan->nodes && !err; i++) {
		struct mortal_hello *hello = &world->hellos[i];

		if (!receive(world, i, hello, sizeof(*hello)))
			err = stn_because(why, STN_LOST, "node %u doesn't open",
					  i);
		else if (hello->err)
			err = stn_because(why, hello->err, "%s",
					  hello->why.text);
	}
	for (uint32_t i = 0; i < plan->nodes && err; i++)
		mortal_kill(world, i);
	return err;
}

void
mortal_connect(struct mortal_world *world)
{
	struct mortal_command order = { .order = MORTAL_CONNECT };

	for (uint32_t i = 0; i < world->plan.nodes; i++)
		order.addresses[i] = world->hellos[i].address;
	for (uint32_t i = 0; i < world->plan.nodes; i++)
		if (world->processes[i])
			give_order(world, i, &order);
}

static bool
all_ended(const struct mortal_world *world, uint32_t rank)
{
	const struct mortal_report *report = &world->reports[rank];
	bool right = !report->wrong;

	for (uint32_t i = 0; i < world->plan.nodes; i++) {
		const struct mortal_seen *of = &report->of[i];

		if (of->posted == of->ok + of->lost + of->cancelled &&
		    of->handled == of->taken)
			continue;
		right = false;
		printf("# node %u: of %u sends to %u, %u ended; of %u messages "
		       "%u were taken\n",
		       rank, of->posted, i, of->ok + of->lost + of->cancelled,
		       of->handled, of->taken);
	}
	if (report->wrong)
		printf("# node %u: broken rules %#x\n", rank, report->wrong);
	return right;
}

static bool
quit(struct mortal_world *world, uint32_t rank)
{
	struct mortal_report *report = &world->reports[rank];
	int status = -1;

	/*
	 * The last report, and then the end of the socket; kills a node that
	 * hangs.
	 */
	while (receive(world, rank, report, sizeof(*report)))
		continue;
	kill(world->processes[rank], SIGKILL);
	reap(world, rank, &status);
	if (status)
		printf("# node %u: status %#x\n", rank, status);
	return !status && all_ended(world, rank);
}

bool
mortal_destroy(struct mortal_world *world)
{
	struct mortal_command order = { .order = MORTAL_QUIT };
	bool right = true;

	for (uint32_t i = 0; i < world->plan.nodes; i++)
		if (world->processes[i])
			give_order(world, i, &order);
	for (uint32_t i = 0; i < world->plan.nodes; i++)
		if (world->processes[i])
			right = quit(world, i) && right;
	return right;
}

static void
order_sends(struct mortal_world *world, enum mortal_order order, uint32_t from,
	    uint32_t to, size_t bytes, unsigned count)
{
	give_order(world, from,
		   &(struct mortal_command){ .order = order,
					     .rank = to,
					     .bytes = bytes,
					     .count = count });
}

void
mortal_send(struct mortal_world *world, uint32_t from, uint32_t to,
	    size_t bytes, unsigned count)
{
	order_sends(world, MORTAL_SEND, from, to, bytes, count);
}

void
mortal_stream(struct mortal_world *world, uint32_t from, uint32_t to,
	      size_t bytes, unsigned count)
{
	order_sends(world, MORTAL_STREAM, from, to, bytes, count);
}

void
mortal_freeze(struct mortal_world *world, uint32_t rank)
{
	give_order(world, rank, &(struct mortal_command){ MORTAL_FREEZE });
}

static bool
await(struct mortal_world *world, uint32_t at, struct mortal_command awaited)
{
	static const char *const names[] = { [MORTAL_EVENT] = "events",
					     [MORTAL_HANDLED] = "messages",
					     [MORTAL_ENDED] = "ends" };
	struct mortal_report *report = &world->reports[at];

	give_order(world, at, &awaited);
	if (receive(world, at, report, sizeof(*report)))
		return true;
	printf("# node %u never saw %s %u of node %u\n", at,
	       names[awaited.order], awaited.count, awaited.rank);
	return false;
}

bool
mortal_event(struct mortal_world *world, uint32_t at, uint32_t rank,
	     enum stn_peer_state state)
{
	return await(world, at,
		     (struct mortal_command){ .order = MORTAL_EVENT,
					      .rank = rank,
					      .count = 1,
					      .state = state });
}

bool
mortal_handled(struct mortal_world *world, uint32_t at, uint32_t rank,
	       unsigned count)
{
	return await(world, at,
		     (struct mortal_command){ .order = MORTAL_HANDLED,
					      .rank = rank,
					      .count = count });
}

bool
mortal_ended(struct mortal_world *world, uint32_t at, uint32_t rank,
	     unsigned count)
{
	return await(world, at,
		     (struct mortal_command){ .order = MORTAL_ENDED,
					      .rank = rank,
					      .count = count });
}
