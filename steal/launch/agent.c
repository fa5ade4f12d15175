#include "steal/launch/agent.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "steal/launch/control.h"
#include "steal/launch/crew.h"
#include "steal/join/place.h"

#define OWN_FDS 3 /* that are polled, besides the crew's */

struct agent {
	struct stn_config config;
	struct stn_crew crew;
	struct stn_control_start start;
	struct stn_bytes orders; /* from the launcher */
	struct stn_bytes input;	 /* for node 0 */
	bool input_ends;
	sigset_t old_mask;
	int signals;
	struct pollfd *fds;
	unsigned char *order; /* START, in which program and directory lie */
	bool over; /* the launcher is gone, or nothing can be done for it */
};

/* The end of the run: what is left to do is to see all nodes dead. */
static void
give_up(struct agent *agent)
{
	agent->over = true;
	stn_crew_kill(&agent->crew);
}

/* Blocks: the launcher always reads, or is gone. */
static void
report(struct agent *agent, enum stn_control_type type, uint32_t about,
       const void *body, size_t size)
{
	struct stn_bytes frame = { NULL };
	bool sent = stn_control_add(&frame, type, about, body, size);

	while (sent && stn_bytes_count(&frame))
		sent = !stn_bytes_write(&frame, STDOUT_FILENO, SIZE_MAX);
	stn_bytes_fini(&frame);
	if (!sent && !agent->over)
		give_up(agent);
}

static void
fail(struct agent *agent, const char *text)
{
	report(agent, STN_CONTROL_FAILED, 0, text, strlen(text));
	give_up(agent);
}

static void
node_said(void *arg, uint32_t rank, struct stn_frame_in *frame)
{
	uint32_t type = frame->head.type;
	struct stn_bytes body = { NULL };

	if (stn_bytes_add(&body, &type, sizeof(type)) &&
	    stn_bytes_add(&body, frame->body, frame->head.size))
		report(arg, STN_CONTROL_SAID, rank, stn_bytes_front(&body),
		       stn_bytes_count(&body));
	else
		fail(arg, "out of memory");
	stn_bytes_fini(&body);
}

static void
node_silent(void *arg, uint32_t rank, enum stn_err err)
{
	struct stn_why why;

	if (err == STN_LOST)
		return; /* its end will tell */
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
	report(arg, STN_CONTROL_OUTPUT, rank, lines, size);
}

static void
node_ended(void *arg, uint32_t rank, int status)
{
	report(arg, STN_CONTROL_ENDED, rank, &status, sizeof(uint32_t));
}

static const struct stn_crew_events events = {
	.said = node_said,
	.silent = node_silent,
	.printed = node_printed,
	.ended = node_ended,
};

/* Settings are variables; what we need of them, we read as nodes do. */
static enum stn_err
take_settings(struct agent *agent, struct stn_why *why)
{
	for (char **setting = agent->start.settings; *setting; setting++) {
		char *value = strchr(*setting, '=');

		if (value)
			*value++ = '\0';
		if (!value || setenv(*setting, value, 1))
			return stn_because(why, STN_INVALID,
					   "\"%.60s\" is no setting", *setting);
	}
	stn_config_defaults(&agent->config);
	return stn_config_environment(&agent->config, why);
}

static void
start(struct agent *agent)
{
	const char *directory = agent->start.directory;
	struct stn_why why;
	enum stn_err err;

	if (chdir(directory)) {
		stn_because(&why, STN_IO, "can't go to %.200s: %s", directory,
			    strerror(errno));
		fail(agent, why.text);
		return;
	}
	err = take_settings(agent, &why);
	agent->crew.first = agent->start.first;
	agent->crew.count = agent->start.count;
	agent->crew.program = agent->start.program;
	if (!err)
		err = stn_crew_start(&agent->crew, &why);
	if (err)
		fail(agent, why.text);
}

/* Room to listen to so many nodes. */
static bool
make_ready(struct agent *agent)
{
	size_t count = OWN_FDS + STN_CREW_FDS * (size_t)agent->start.count;
	struct pollfd *fds =
		reallocarray(agent->fds, 2 * count, sizeof(fds[0]));

	if (fds)
		agent->fds = fds;
	return fds;
}

static void
take_start(struct agent *agent, const struct stn_control *order)
{
	struct stn_control kept = *order;

	if (agent->order) {
		fail(agent, "the launcher starts it twice");
		return;
	}
	agent->order = malloc(order->size);
	if (!agent->order) {
		fail(agent, "out of memory");
		return;
	}
	kept.body = memcpy(agent->order, order->body, order->size);
	if (stn_control_start_parse(&kept, &agent->start))
		fail(agent, "the launcher's order is malformed");
	else if (!make_ready(agent))
		fail(agent, "out of memory for its nodes");
	else
		start(agent);
}

static void
take_input(struct agent *agent, const struct stn_control *order)
{
	if (!order->size)
		agent->input_ends = true;
	else if (!stn_bytes_add(&agent->input, order->body, order->size))
		fail(agent, "out of memory");
}

static void
obey(struct agent *agent, const struct stn_control *order)
{
	switch (order->type) {
	case STN_CONTROL_START:
		take_start(agent, order);
		break;
	case STN_CONTROL_TELL:
		stn_crew_tell(&agent->crew, order->about, order->body,
			      order->size);
		break;
	case STN_CONTROL_INPUT:
		take_input(agent, order);
		break;
	default:
		fail(agent, "the launcher is of another version");
	}
}

static void
listen_to_launcher(struct agent *agent)
{
	struct stn_control order;
	enum stn_err err;

	if (stn_bytes_read(&agent->orders, STDIN_FILENO)) {
		give_up(agent);
		return;
	}
	while (!agent->over) {
		err = stn_control_parse(stn_bytes_front(&agent->orders),
					stn_bytes_count(&agent->orders),
					&order);
		if (err == STN_MALFORMED)
			fail(agent, "the launcher is of another version");
		if (err)
			return;
		obey(agent, &order);
		stn_bytes_drop(&agent->orders, STN_CONTROL_BYTES + order.size);
	}
}

/* Passes input on to node 0, and its end, as far as the node takes it. */
static void
feed(struct agent *agent)
{
	size_t before = stn_bytes_count(&agent->input);
	bool lost = stn_bytes_write(&agent->input, agent->crew.input, PIPE_BUF);

	if (lost) /* it reads no more; what comes is as good as taken */
		stn_bytes_drop(&agent->input, before);
	before -= stn_bytes_count(&agent->input);
	if (before)
		report(agent, STN_CONTROL_TAKEN, (uint32_t)before, NULL, 0);
	if (agent->input_ends && !stn_bytes_count(&agent->input)) {
		close(agent->crew.input);
		agent->crew.input = -1;
	}
}

static void
take_signal(struct agent *agent)
{
	struct signalfd_siginfo info;
	struct stn_why why;

	if (read(agent->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo != SIGCHLD) {
		stn_because(&why, STN_IO, "its agent was ended by signal %u",
			    info.ssi_signo);
		fail(agent, why.text);
	}
	stn_crew_reap(&agent->crew, NULL, NULL);
}

/* Is there input to pass on, or its end? */
static bool
feeds(const struct agent *agent)
{
	return agent->crew.nodes && agent->crew.input >= 0 &&
	       (stn_bytes_count(&agent->input) || agent->input_ends);
}

/* Until the launcher is gone, or all nodes that were started have ended. */
static bool
goes_on(const struct agent *agent)
{
	return agent->crew.running || (!agent->over && !agent->crew.nodes);
}

static void
watch(struct agent *agent)
{
	struct pollfd *fds = agent->fds;
	int launcher = agent->over ? -1 : STDIN_FILENO;
	int input = feeds(agent) ? agent->crew.input : -1;
	uint32_t count;

	fds[0] = (struct pollfd){ agent->signals, POLLIN, 0 };
	fds[1] = (struct pollfd){ launcher, POLLIN, 0 };
	fds[2] = (struct pollfd){ input, POLLOUT, 0 };
	count = OWN_FDS + stn_crew_fds(&agent->crew, fds + OWN_FDS);
	if (stn_crew_poll(fds, count, -1) < 0)
		return;
	if (count > OWN_FDS)
		stn_crew_listen(&agent->crew, fds + OWN_FDS);
	if (fds[0].revents)
		take_signal(agent);
	if (fds[2].revents)
		feed(agent);
	if (fds[1].revents)
		listen_to_launcher(agent);
}

static void
greet(struct agent *agent, const char *per)
{
	char line[STN_CONTROL_HELLO];
	struct stn_bytes bytes = { NULL };
	bool sent;

	stn_control_hello(line, stn_place_nodes(per));
	sent = stn_bytes_add(&bytes, line, strlen(line));
	while (sent && stn_bytes_count(&bytes))
		sent = !stn_bytes_write(&bytes, STDOUT_FILENO, SIZE_MAX);
	stn_bytes_fini(&bytes);
	agent->over = !sent;
}

int
stn_agent(int argc, char **argv)
{
	const char *per = argc > 1 ? argv[1] : "host";
	struct agent agent = { .over = false };

	if (isatty(STDIN_FILENO)) {
		fputs("sateen: agents are started by `sateen run --hosts`\n",
		      stderr);
		return EXIT_FAILURE;
	}
	agent.crew = (struct stn_crew){ .config = &agent.config,
					.events = &events,
					.arg = &agent,
					.old_mask = &agent.old_mask,
					.per = per,
					.links = -1,
					.piped = true,
					.input = -1 };
	agent.fds = calloc(2 * OWN_FDS, sizeof(agent.fds[0]));
	signal(SIGPIPE, SIG_IGN);
	agent.signals = stn_crew_signals(&agent.old_mask);
	if (!agent.fds || agent.signals < 0)
		return EXIT_FAILURE;
	greet(&agent, per);
	while (agent.fds && goes_on(&agent))
		watch(&agent);
	stn_crew_fini(&agent.crew);
	stn_bytes_fini(&agent.orders);
	stn_bytes_fini(&agent.input);
	free(agent.start.settings);
	free(agent.start.program);
	free(agent.order);
	free(agent.fds);
	close(agent.signals);
	return agent.over ? EXIT_FAILURE : EXIT_SUCCESS;
}
