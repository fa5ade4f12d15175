/*
 * mortal_world.c: the nodes' processes, as the test that starts, orders and
 * kills them sees them.
 */
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

#include "tests/mortal.h"
#include "tests/tap.h"

/* What comes next from a node, whole, before the patience is over. */
static bool
listen_to(struct mortal_world *world, uint32_t rank, void *what, size_t bytes)
{
	struct pollfd wait = { .fd = world->controls[rank], .events = POLLIN };

	return poll(&wait, 1, (int)(tap_patience_ns() / 1000000)) == 1 &&
	       recv(wait.fd, what, bytes, 0) == (ssize_t)bytes;
}

static void
command(struct mortal_world *world, uint32_t rank,
	const struct mortal_command *command)
{
	if (send(world->controls[rank], command, sizeof(*command),
		 MSG_NOSIGNAL) < 0)
		printf("# node %u is gone already\n", rank);
}

/*
 * The next child is the first process of a space of its own. (Only from the
 * space that one is in oneself can one go to a new one.)
 */
static bool
set_apart(void)
{
	int mine = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	bool apart = mine >= 0 && !setns(mine, CLONE_NEWPID) &&
		     !unshare(CLONE_NEWPID);

	if (mine >= 0)
		close(mine);
	return apart;
}

static void
come_together(void)
{
	int mine = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);

	if (mine < 0 || setns(mine, CLONE_NEWPID))
		printf("# can't leave the space of processes\n");
	if (mine >= 0)
		close(mine);
}

static enum stn_err
start(struct mortal_world *world, uint32_t rank, struct stn_why *why)
{
	int pair[2];

	if (world->plan.apart && !set_apart())
		return stn_because(why, STN_MISSING,
				   "leave to make spaces of processes");
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
		come_together();
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
	/* As the launcher would. */
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

		if (!listen_to(world, i, hello, sizeof(*hello)))
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
mortal_meet(struct mortal_world *world)
{
	struct mortal_command order = { .order = MORTAL_MEET };

	for (uint32_t i = 0; i < world->plan.nodes; i++)
		order.addresses[i] = world->hellos[i].address;
	for (uint32_t i = 0; i < world->plan.nodes; i++)
		if (world->processes[i])
			command(world, i, &order);
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
		printf("# node %u: broken promises %#x\n", rank, report->wrong);
	return right;
}

static bool
quit(struct mortal_world *world, uint32_t rank)
{
	struct mortal_report *report = &world->reports[rank];
	int status = -1;

	/* Its last, and then the end of the socket; if it hangs, by force. */
	while (listen_to(world, rank, report, sizeof(*report)))
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
			command(world, i, &order);
	for (uint32_t i = 0; i < world->plan.nodes; i++)
		if (world->processes[i])
			right = quit(world, i) && right;
	return right;
}

static void
order_sends(struct mortal_world *world, enum mortal_order order, uint32_t from,
	    uint32_t to, size_t bytes, unsigned count)
{
	command(world, from,
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
	command(world, rank, &(struct mortal_command){ MORTAL_FREEZE });
}

static bool
await(struct mortal_world *world, uint32_t at, struct mortal_command awaited)
{
	static const char *const names[] = { [MORTAL_NEWS] = "news",
					     [MORTAL_HANDLED] = "messages",
					     [MORTAL_ENDED] = "ends" };
	struct mortal_report *report = &world->reports[at];

	command(world, at, &awaited);
	if (listen_to(world, at, report, sizeof(*report)))
		return true;
	printf("# node %u never saw %s %u of node %u\n", at,
	       names[awaited.order], awaited.count, awaited.rank);
	return false;
}

bool
mortal_news(struct mortal_world *world, uint32_t at, uint32_t rank,
	    enum stn_peer_state state)
{
	return await(world, at,
		     (struct mortal_command){ .order = MORTAL_NEWS,
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
