/* pair.c: starts the two nodes, and lets node 1 die. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/death/death.h"
#include "bench/ticks.h"
#include "transport/identity.h"

#define PATIENCE_NS (10 * STN_SECOND_NS)

struct pair {
	const struct death_plan *plan;
	pid_t nodes[2];
	int controls[2];
	struct death_hello hellos[2];
};

/* Receives the next message of a node. */
static enum stn_err
hear(const struct pair *pair, uint32_t rank, void *what, size_t bytes,
     struct stn_why *why)
{
	struct pollfd wait = { .fd = pair->controls[rank], .events = POLLIN };
	uint64_t patience = PATIENCE_NS + 2 * pair->plan->silence_ns;

	if (poll(&wait, 1, (int)(patience / 1000000)) == 1 &&
	    recv(wait.fd, what, bytes, 0) == (ssize_t)bytes)
		return STN_OK;
	return stn_because(why, STN_LOST, "node %u hears nothing of node %u",
			   rank, !rank);
}

static enum stn_err
start(struct pair *pair, uint32_t rank, struct stn_why *why)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return stn_because(why, STN_IO, "no sockets");
	pair->nodes[rank] = fork();
	if (!pair->nodes[rank]) {
		if (rank)
			close(pair->controls[0]);
		close(ends[0]);
		if (pair->plan->way->apart)
			setenv(STN_IDENTITY_PRETEND, rank ? "1" : "0", 1);
		_exit(death_node(pair->plan, rank, ends[1]));
	}
	close(ends[1]);
	pair->controls[rank] = ends[0];
	return pair->nodes[rank] < 0
		       ? stn_because(why, STN_IO, "no more processes")
		       : STN_OK;
}

/* Each node gets the other's address, and a message by the transport. */
static enum stn_err
introduce(struct pair *pair, struct stn_why *why)
{
	enum stn_err err = STN_OK;
	uint64_t met;

	for (uint32_t i = 0; i < 2 && !err; i++) {
		err = hear(pair, i, &pair->hellos[i], sizeof(pair->hellos[i]),
			   why);
		if (!err && pair->hellos[i].err)
			err = stn_because(why, pair->hellos[i].err, "%s",
					  pair->hellos[i].why.text);
	}
	for (uint32_t i = 0; i < 2 && !err; i++)
		if (send(pair->controls[i], &pair->hellos[!i],
			 sizeof(pair->hellos[!i]), MSG_NOSIGNAL) < 0)
			err = stn_because(why, STN_LOST, "node %u has ended",
					  i);
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = hear(pair, i, &met, sizeof(met), why);
	return err;
}

static enum stn_err
kill_one(struct pair *pair, uint64_t pause_ns, uint64_t *took_ns_p,
	 struct stn_why *why)
{
	const struct timespec pause = { (time_t)(pause_ns / STN_SECOND_NS),
					(long)(pause_ns % STN_SECOND_NS) };
	uint64_t begin, known;
	enum stn_err err;

	nanosleep(&pause, NULL);
	begin = ticks_clock_ns();
	kill(pair->nodes[1], pair->plan->way->signal);
	err = hear(pair, 0, &known, sizeof(known), why);
	if (!err)
		*took_ns_p = known - begin;
	return err;
}

/* Ends a node, and removes what its transport has left on this host. */
static void
end_node(struct pair *pair, uint32_t rank)
{
	const struct death_hello *hello = &pair->hellos[rank];

	if (pair->nodes[rank] <= 0)
		return;
	kill(pair->nodes[rank], SIGKILL);
	waitpid(pair->nodes[rank], NULL, 0);
	close(pair->controls[rank]);
	stn_transport_sweep(pair->plan->transport, hello->address,
			    hello->bytes);
}

enum stn_err
death_measure(const struct death_plan *plan, uint64_t pause_ns,
	      uint64_t *took_ns_p, struct stn_why *why)
{
	struct pair pair = { .plan = plan };
	enum stn_err err = start(&pair, 0, why);

	if (!err)
		err = start(&pair, 1, why);
	if (!err)
		err = introduce(&pair, why);
	if (!err)
		err = kill_one(&pair, pause_ns, took_ns_p, why);
	end_node(&pair, 0);
	end_node(&pair, 1);
	return err;
}
