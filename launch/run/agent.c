#include "launch/run/agent_private.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "launch/plan/placement.h"
#include "launch/plan/survival.h"
#include "launch/run/descriptors.h"
#include "transport/clock.h"
#include "transport/units.h"

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
	agent_fail(arg, why.text);
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
 * Writes as much input to main as the pipe takes, and closes the pipe after
 * the end of the input.
 */
static void
write_input(struct agent *agent)
{
	size_t before = stn_bytes_count(&agent->input);
	bool lost =
		stn_bytes_write(&agent->input, agent->group.input, PIPE_BUF);
	uint32_t taken;

	if (lost) /* main reads no more; its input is dropped */
		stn_bytes_drop(&agent->input, before);
	taken = (uint32_t)(before - stn_bytes_count(&agent->input));
	if (taken)
		agent_report(agent, STN_WIREUP_TAKEN, agent->reader, &taken,
			     sizeof(taken));
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

/*
 * Control-C reaches all processes that srun has started. Process 0, which is the
 * launcher, tells the agents what to do.
 */
static bool
leaves_to_launcher(const struct agent *agent, uint32_t signal)
{
	return signal == SIGINT && agent->here;
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
	if (leaves_to_launcher(agent, info.ssi_signo))
		return;
	if (info.ssi_signo != SIGCHLD) {
		stn_because(&why, STN_IO, "its agent was ended by signal %u",
			    info.ssi_signo);
		agent_fail(agent, why.text);
	}
	stn_process_group_reap(&agent->group, NULL, NULL);
}

/* Is there input to write to main, or must its pipe be closed? */
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

/*
 * An agent whose nodes have all ended needs none. If another launcher has
 * started it, its end would end the run.
 */
static bool
needs_lease(const struct agent *agent)
{
	return !agent->over && (agent->group.running || !agent->group.nodes);
}

/*
 * Without a lease, the launcher takes the nodes of this host for dead. If the
 * run can't go on without them, and the launcher can be reached again, it
 * learns the reason.
 */
static void
agent_lose_lease(struct agent *agent)
{
	struct stn_why why;

	if (stn_survival_wanted(&agent->config)) {
		agent_give_up(agent);
		return;
	}
	stn_because(&why, STN_LOST,
		    "the launcher has not answered its agent for %.1f s",
		    (double)agent->lease.silence_ns / STN_SECOND_NS);
	agent_fail(agent, why.text);
}

static void
keep_lease(struct agent *agent)
{
	uint64_t now = stn_machine_now(NULL);

	if (!needs_lease(agent))
		return;
	if (stn_lease_asks(&agent->lease, now))
		agent_report(agent, STN_WIREUP_LEASE, 0, &now, sizeof(now));
	if (stn_lease_ended(&agent->lease, now) && !agent->over)
		agent_lose_lease(agent);
}

/* Milliseconds until something is due; -1 if nothing is. */
static int
agent_poll_time(const struct agent *agent)
{
	return needs_lease(agent)
		       ? stn_lease_wait(&agent->lease, stn_machine_now(NULL))
		       : -1;
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
	count = AGENT_OWN_FDS +
		stn_process_group_fds(&agent->group, fds + AGENT_OWN_FDS);
	if (stn_descriptors_poll(fds, count, agent_poll_time(agent)) < 0)
		return;
	if (count > AGENT_OWN_FDS)
		stn_process_group_listen(&agent->group, fds + AGENT_OWN_FDS);
	if (fds[0].revents)
		agent_take_signal(agent);
	if (fds[2].revents)
		write_input(agent);
	if (fds[1].revents)
		agent_listen(agent);
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
						   .before = &agent->before,
						   .per = per,
						   .links = -1,
						   .live = &agent->live,
						   .replay = -1,
						   .piped = true,
						   .fed = true,
						   .input = -1,
						   .input_reader = -1 };
}

static int
agent_run(struct agent *agent)
{
	agent->fds = calloc(2 * AGENT_OWN_FDS, sizeof(agent->fds[0]));
	signal(SIGPIPE, SIG_IGN);
	agent->signals = stn_process_group_signals(&agent->before);
	if (!agent->fds || agent->signals < 0)
		return EXIT_FAILURE;
	agent_greet(agent, agent->group.per);
	stn_lease_begin(&agent->lease, agent->config.silence_ns,
			stn_machine_now(NULL));
	while (agent->fds && agent_goes_on(agent))
		agent_watch(agent);
	stn_process_group_fini(&agent->group);
	stn_live_pages_fini(&agent->live);
	stn_bytes_fini(&agent->orders);
	stn_bytes_fini(&agent->input);
	free(agent->start.settings);
	free(agent->start.program);
	free(agent->order);
	free(agent->fds);
	close(agent->signals);
	stn_signals_let_go(&agent->before);
	return agent->over && !agent->well ? EXIT_FAILURE : EXIT_SUCCESS;
}

int
stn_agent(int argc, char **argv)
{
	struct agent agent = { .from = STDIN_FILENO, .to = STDOUT_FILENO };

	if (isatty(STDIN_FILENO) ||
	    (argc > 2 &&
	     stn_parse_duration(argv[2], &agent.config.silence_ns))) {
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
