#include "launch/run/agent_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/plan/survival.h"
#include "launch/run/probe.h"
#include "launch/run/process_group_input.h"
#include "launch/settings.h"
#include "transport/clock.h"

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
	if (!err && stn_live_pages_init(&agent->live, agent->group.count, true))
		err = stn_because(&why, STN_NO_MEMORY, "out of memory");
	agent->group.heirs = !err && stn_survival_wanted(&agent->config);
	if (!err)
		err = stn_process_group_start(&agent->group, &why);
	if (err)
		agent_fail(agent, why.text);
}

/* Makes room for the descriptors of all nodes. */
static bool
make_ready(struct agent *agent)
{
	size_t count = AGENT_OWN_FDS +
		       STN_PROCESS_GROUP_FDS * (size_t)agent->start.count;
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
		agent_fail(agent, "the launcher has sent START twice");
		return;
	}
	agent->order = malloc(order->head.size);
	if (!agent->order) {
		agent_fail(agent, "out of memory");
		return;
	}
	kept.body = memcpy(agent->order, order->body, order->head.size);
	if (stn_agent_start_parse(&kept, &agent->start))
		agent_fail(agent, "the launcher's order is malformed");
	else if (!make_ready(agent))
		agent_fail(agent, "out of memory for its nodes");
	else
		agent_start(agent);
}

static void
agent_take_input(struct agent *agent, const struct stn_wireup_frame *order)
{
	if (!order->head.size)
		agent->input_ends = true;
	else if (!stn_bytes_add(&agent->input, order->body, order->head.size))
		agent_fail(agent, "out of memory");
}

/* The last root may have left some input. */
static void
take_replay(struct agent *agent, const struct stn_wireup_frame *order)
{
	agent->reader = order->head.rank;
	stn_bytes_drop(&agent->input, stn_bytes_count(&agent->input));
	agent->input_ends = false;
	stn_process_group_input_restart(&agent->group);
}

static void
take_renewal(struct agent *agent, const struct stn_wireup_frame *order)
{
	uint64_t asked;

	memcpy(&asked, order->body, sizeof(asked));
	stn_lease_renew(&agent->lease, asked, stn_machine_now(NULL));
}

/*
 * The host has no nodes yet, which would wait meanwhile. The launcher does not
 * expect requests for a lease during the measurement.
 */
static void
take_probe(struct agent *agent, const struct stn_wireup_frame *order)
{
	uint32_t count = order->head.size / sizeof(struct stn_host_port);
	struct stn_host_port *targets = calloc(count, sizeof(targets[0]));
	uint64_t *near = calloc(count, sizeof(near[0]));

	if (targets && near) {
		memcpy(targets, order->body, count * sizeof(targets[0]));
		stn_probe(targets, count, near);
		stn_lease_begin(&agent->lease, agent->config.silence_ns,
				stn_machine_now(NULL));
		agent_report(agent, STN_WIREUP_NEAR, 0, near,
			     count * sizeof(near[0]));
	} else {
		agent_fail(agent, "out of memory");
	}
	free(near);
	free(targets);
}

static void
send_live(struct agent *agent, uint32_t index)
{
	const struct stn_live *live = stn_live_pages_at(&agent->live, index);
	uint64_t words[STN_LIVE_WORDS];

	for (int i = 0; live && i < STN_LIVE_WORDS; i++)
		words[i] = stn_live_get(live, i);
	if (live && words[STN_LIVE_STORES])
		agent_report(agent, STN_WIREUP_LIVE, agent->group.first + index,
			     words, sizeof(words));
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
	case STN_WIREUP_REPLAY:
		take_replay(agent, order);
		break;
	case STN_WIREUP_KILL:
		stn_process_group_kill_node(&agent->group, order->head.rank);
		break;
	case STN_WIREUP_INTERRUPT:
		stn_process_group_interrupt(&agent->group, order->head.rank,
					    false);
		break;
	case STN_WIREUP_PROBE:
		take_probe(agent, order);
		break;
	case STN_WIREUP_WATCH:
		for (uint32_t i = 0; i < agent->group.count; i++)
			send_live(agent, i);
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

void
agent_listen(struct agent *agent)
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
			agent_fail(agent, "the launcher is of another version");
		if (err)
			return;
		take_order(agent, &order);
		stn_wireup_frame_drop(&agent->orders, &order);
	}
}
