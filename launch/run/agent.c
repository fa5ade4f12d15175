#include "launch/run/agent_protocol.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "launch/plan/placement.h"
#include "launch/plan/survival.h"
#include "launch/run/descriptors.h"
#include "launch/run/lease.h"
#include "launch/run/process_group.h"
#include "launch/settings.h"
#include "transport/clock.h"

#define OWN_FDS 3 /* descriptors of the agent itself */

struct agent {
	struct stn_config config;
	struct stn_process_group group;
	struct stn_agent_start start;
	struct stn_bytes orders; /* frames from the launcher */
	struct stn_bytes input;	 /* for node 0, not written yet */
	bool input_ends;
	sigset_t old_mask;
	int signals;
	struct pollfd *fds;
	unsigned char *order; /* body of START, which @start points into */
	bool over; /* the launcher is gone, or the agent has failed */
	struct stn_lease lease;

	int from, to; /* descriptors to the launcher; @from -1: it has ended */
	/* Another launcher has started this process, see stn_agent_here: */
	bool here;
	bool well; /* the launcher has said that the run has ended well */
};

/* Ends the run. The agent then only waits for the ends of its nodes. */
static void
agent_give_up(struct agent *agent)
{
	agent->over = true;
	stn_process_group_kill(&agent->group);
}

/* Waits until the launcher can be written to. False: the lease ends before. */
static bool
agent_may_write(const struct agent *agent)
{
	struct pollfd launcher = { agent->to, POLLOUT, 0 };

	while (poll(&launcher, 1,
		    stn_lease_left(&agent->lease, stn_machine_now(NULL))) <= 0)
		if (stn_lease_ended(&agent->lease, stn_machine_now(NULL)))
			return false;
	return true;
}

/*
 * Writes all bytes to the launcher, which always reads until it ends. A pipe
 * that poll() calls writable takes PIPE_BUF bytes without blocking. False: the
 * launcher is gone.
 */
static bool
agent_write(const struct agent *agent, struct stn_bytes *bytes)
{
	bool sent = true;

	while (sent && stn_bytes_count(bytes))
		sent = agent_may_write(agent) &&
		       !stn_bytes_write(bytes, agent->to, PIPE_BUF);
	stn_bytes_fini(bytes);
	return sent;
}

static void
agent_report(struct agent *agent, enum stn_wireup_frame_type type,
	     uint32_t rank, const void *body, size_t size)
{
	struct stn_bytes frame = { NULL };
	bool sent = stn_wireup_frame_add(&frame, type, rank, body, size) &&
		    agent_write(agent, &frame);

	if (!sent && !agent->over)
		agent_give_up(agent);
}

static void
fail(struct agent *agent, const char *text)
{
	agent_report(agent, STN_WIREUP_FAILED, 0, text, strlen(text));
	agent_give_up(agent);
}

static void
node_received(void *arg, const struct stn_wireup_frame *frame)
{
	agent_report(arg, frame->head.type, frame->head.rank, frame->body,
		     frame->head.size);
}

static void
node_closed(void *arg, uint32_t rank, enum stn_err err)
{
	struct stn_why why;

	if (err == STN_LOST)
		return; /* the end of the node is reported */
	stn_because(&why, err,
		    err == STN_NO_MEMORY
			    ? "out of memory for node %u"
			    : "node %u is of another version of Sateen; "
			      "rebuild it",
		    rank);
	fail(arg, why.text);
}

static void
node_printed(void *arg, uint32_t rank, const unsigned char *lines, size_t size)
{
	agent_report(arg, STN_WIREUP_OUTPUT, rank, lines, size);
}

static void
node_ended(void *arg, uint32_t rank, int status)
{
	agent_report(arg, STN_WIREUP_ENDED, rank, &status, sizeof(uint32_t));
}

static const struct stn_process_group_events events = {
	.received = node_received,
	.closed = node_closed,
	.printed = node_printed,
	.ended = node_ended,
};

/*
 * The launcher sends settings as environment variables for the nodes. The agent
 * reads its own settings from these variables, as nodes do.
 */
static enum stn_err
take_settings(struct agent *agent, struct stn_why *why)
{
	for (char **setting = agent->start.settings; *setting; setting++) {
		char *value = strchr(*setting, '=');

		if (value)
			*value++ = '\0';
		if (!value || setenv(*setting, value, 1))
			return stn_because(why, STN_INVALID,
					   "\"%.60s\" is not a setting",
					   *setting);
	}
	stn_config_defaults(&agent->config);
	return stn_config_environment(&agent->config, why);
}

/* What to run, and where, if no other launcher has said so. */
static enum stn_err
take_program(struct agent *agent, struct stn_why *why)
{
	const char *directory = agent->start.directory;

	if (agent->here)
		return STN_OK;
	agent->group.program = agent->start.program;
	if (chdir(directory))
		return stn_because(why, STN_IO, "can't go to %.200s: %s",
				   directory, strerror(errno));
	return take_settings(agent, why);
}

static void
agent_start(struct agent *agent)
{
	struct stn_why why;
	enum stn_err err = take_program(agent, &why);

	agent->group.first = agent->start.first;
	agent->group.count = agent->start.count;
	if (!err)
		err = stn_process_group_start(&agent->group, &why);
	if (err)
		fail(agent, why.text);
	else if (stn_survival_wanted(&agent->config))
		stn_lease_begin(&agent->lease, agent->config.silence_ns,
				stn_machine_now(NULL));
}

/* Makes room for the descriptors of all nodes. */
static bool
make_ready(struct agent *agent)
{
	size_t count =
		OWN_FDS + STN_PROCESS_GROUP_FDS * (size_t)agent->start.count;
	struct pollfd *fds =
		reallocarray(agent->fds, 2 * count, sizeof(fds[0]));

	if (fds)
		agent->fds = fds;
	return fds;
}

static void
take_start(struct agent *agent, const struct stn_wireup_frame *order)
{
	struct stn_wireup_frame kept = *order;

	if (agent->order) {
		fail(agent, "the launcher has sent START twice");
		return;
	}
	agent->order = malloc(order->head.size);
	if (!agent->order) {
		fail(agent, "out of memory");
		return;
	}
	kept.body = memcpy(agent->order, order->body, order->head.size);
	if (stn_agent_start_parse(&kept, &agent->start))
		fail(agent, "the launcher's order is malformed");
	else if (!make_ready(agent))
		fail(agent, "out of memory for its nodes");
	else
		agent_start(agent);
}

static void
agent_take_input(struct agent *agent, const struct stn_wireup_frame *order)
{
	if (!order->head.size)
		agent->input_ends = true;
	else if (!stn_bytes_add(&agent->input, order->body, order->head.size))
		fail(agent, "out of memory");
}

static void
take_renewal(struct agent *agent, const struct stn_wireup_frame *order)
{
	uint64_t asked;

	memcpy(&asked, order->body, sizeof(asked));
	stn_lease_renew(&agent->lease, asked, stn_machine_now(NULL));
}

static void
take_order(struct agent *agent, const struct stn_wireup_frame *order)
{
	switch (order->head.type) {
	case STN_WIREUP_START:
		take_start(agent, order);
		break;
	case STN_WIREUP_INPUT:
		agent_take_input(agent, order);
		break;
	case STN_WIREUP_KILL:
		stn_process_group_kill_node(&agent->group, order->head.rank);
		break;
	case STN_WIREUP_RENEWED:
		take_renewal(agent, order);
		break;
	case STN_WIREUP_OVER:
		agent->well = agent->here;
		break;
	case STN_WIREUP_CARDS:
		if (order->head.rank) { /* for a node that joins */
			stn_process_group_send_one(
				&agent->group, order->head.rank,
				order->head.type, order->body,
				order->head.size);
			break;
		}
		/* fall through */
	default: /* GO, VIEW or PEERS */
		stn_process_group_send(&agent->group, order->head.type,
				       order->body, order->head.size);
	}
}

static void
listen_to_launcher(struct agent *agent)
{
	struct stn_wireup_frame order;
	enum stn_err err;

	if (stn_bytes_read(&agent->orders, agent->from)) {
		agent->from = -1;
		agent_give_up(agent);
		return;
	}
	while (!agent->over) {
		err = stn_wireup_frame_parse(&agent->orders,
					     STN_WIREUP_FROM_LAUNCHER, &order);
		if (err == STN_MALFORMED)
			fail(agent, "the launcher is of another version");
		if (err)
			return;
		take_order(agent, &order);
		stn_wireup_frame_drop(&agent->orders, &order);
	}
}

/*
 * Writes as much input to node 0 as the pipe takes, and closes the pipe after
 * the end of the input.
 */
static void
write_input(struct agent *agent)
{
	size_t before = stn_bytes_count(&agent->input);
	bool lost =
		stn_bytes_write(&agent->input, agent->group.input, PIPE_BUF);
	uint32_t taken;

	if (lost) /* node 0 reads no more; its input is dropped */
		stn_bytes_drop(&agent->input, before);
	taken = (uint32_t)(before - stn_bytes_count(&agent->input));
	if (taken)
		agent_report(agent, STN_WIREUP_TAKEN, 0, &taken, sizeof(taken));
	if (agent->input_ends && !stn_bytes_count(&agent->input)) {
		close(agent->group.input);
		agent->group.input = -1;
	}
}

/* Can the nodes leave the run? The launcher knows more. */
static bool
agent_can_leave(const struct agent *agent)
{
	return agent->group.running && !agent->over &&
	       stn_survival_wanted(&agent->config);
}

/* All nodes of this agent are to leave the run. Then the agent ends. */
static void
agent_leave(struct agent *agent)
{
	for (uint32_t i = 0; i < agent->group.count; i++)
		if (agent->group.nodes[i].pid)
			agent_report(agent, STN_WIREUP_LEAVING,
				     agent->group.first + i, NULL, 0);
}

static void
agent_take_signal(struct agent *agent)
{
	struct signalfd_siginfo info;
	struct stn_why why;

	if (read(agent->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGTERM && agent_can_leave(agent)) {
		agent_leave(agent);
		return;
	}
	if (info.ssi_signo != SIGCHLD) {
		stn_because(&why, STN_IO, "its agent was ended by signal %u",
			    info.ssi_signo);
		fail(agent, why.text);
	}
	stn_process_group_reap(&agent->group, NULL, NULL);
}

/* Is there input to write to node 0, or must its pipe be closed? */
static bool
has_input_to_write(const struct agent *agent)
{
	return agent->group.nodes && agent->group.input >= 0 &&
	       (stn_bytes_count(&agent->input) || agent->input_ends);
}

/*
 * The agent ends when all its nodes have ended. Without nodes it ends when the
 * launcher is gone. If another launcher has started both, the agent waits for
 * the launcher's end also after that of its node: the other launcher might kill
 * everything when one of its processes ends.
 */
static bool
agent_goes_on(const struct agent *agent)
{
	if (agent->here)
		return agent->group.running || agent->from >= 0;
	return agent->group.running || (!agent->over && !agent->group.nodes);
}

/* Without a lease, the launcher takes the nodes of this host for dead. */
static void
keep_lease(struct agent *agent)
{
	uint64_t now = stn_machine_now(NULL);

	if (agent->over)
		return;
	if (stn_lease_asks(&agent->lease, now))
		agent_report(agent, STN_WIREUP_LEASE, 0, &now, sizeof(now));
	if (stn_lease_ended(&agent->lease, now) && !agent->over)
		agent_give_up(agent);
}

/* Milliseconds until something is due; -1 if nothing is. */
static int
agent_poll_time(const struct agent *agent)
{
	return agent->over
		       ? -1
		       : stn_lease_wait(&agent->lease, stn_machine_now(NULL));
}

static void
agent_watch(struct agent *agent)
{
	struct pollfd *fds = agent->fds;
	int launcher = agent->over && !agent->here ? -1 : agent->from;
	int input = has_input_to_write(agent) ? agent->group.input : -1;
	uint32_t count;

	fds[0] = (struct pollfd){ agent->signals, POLLIN, 0 };
	fds[1] = (struct pollfd){ launcher, POLLIN, 0 };
	fds[2] = (struct pollfd){ input, POLLOUT, 0 };
	count = OWN_FDS + stn_process_group_fds(&agent->group, fds + OWN_FDS);
	if (stn_descriptors_poll(fds, count, agent_poll_time(agent)) < 0)
		return;
	if (count > OWN_FDS)
		stn_process_group_listen(&agent->group, fds + OWN_FDS);
	if (fds[0].revents)
		agent_take_signal(agent);
	if (fds[2].revents)
		write_input(agent);
	if (fds[1].revents)
		listen_to_launcher(agent);
	keep_lease(agent);
}

static void
agent_greet(struct agent *agent, const char *per)
{
	char line[STN_AGENT_GREETING];
	struct stn_bytes bytes = { NULL };

	stn_agent_greeting_write(line, stn_placement_nodes(per));
	agent->over = !stn_bytes_add(&bytes, line, strlen(line)) ||
		      !agent_write(agent, &bytes);
}

static void
agent_prepare(struct agent *agent, const char *per)
{
	agent->group = (struct stn_process_group){ .config = &agent->config,
						   .events = &events,
						   .arg = agent,
						   .old_mask = &agent->old_mask,
						   .per = per,
						   .links = -1,
						   .replay = -1,
						   .piped = true,
						   .fed = true,
						   .input = -1 };
}

static int
agent_run(struct agent *agent)
{
	agent->fds = calloc(2 * OWN_FDS, sizeof(agent->fds[0]));
	signal(SIGPIPE, SIG_IGN);
	agent->signals = stn_process_group_signals(&agent->old_mask);
	if (!agent->fds || agent->signals < 0)
		return EXIT_FAILURE;
	agent_greet(agent, agent->group.per);
	while (agent->fds && agent_goes_on(agent))
		agent_watch(agent);
	stn_process_group_fini(&agent->group);
	stn_bytes_fini(&agent->orders);
	stn_bytes_fini(&agent->input);
	free(agent->start.settings);
	free(agent->start.program);
	free(agent->order);
	free(agent->fds);
	close(agent->signals);
	return agent->over && !agent->well ? EXIT_FAILURE : EXIT_SUCCESS;
}

int
stn_agent(int argc, char **argv)
{
	struct agent agent = { .from = STDIN_FILENO, .to = STDOUT_FILENO };

	if (isatty(STDIN_FILENO)) {
		fputs("sateen: agents are started by `sateen run --hosts`\n",
		      stderr);
		return EXIT_FAILURE;
	}
	agent_prepare(&agent, argc > 1 ? argv[1] : "host");
	return agent_run(&agent);
}

int
stn_agent_here(int socket, const struct stn_config *config, const char *path,
	       char **program)
{
	struct agent agent = {
		.config = *config, .from = socket, .to = socket, .here = true
	};

	agent_prepare(&agent, "host");
	agent.group.path = path;
	agent.group.tether = socket;
	agent.group.program = program;
	return agent_run(&agent);
}
