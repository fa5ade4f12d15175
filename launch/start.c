#include "launch/join.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/config_check.h"
#include "launch/end.h"
#include "launch/interrupt.h"
#include "launch/leave_signal.h"
#include "launch/live/bar.h"
#include "launch/meet.h"
#include "launch/plan/plan.h"
#include "launch/plan/survival.h"
#include "launch/plan/worker_share.h"
#include "launch/services.h"
#include "emul/speeds.h"
#include "launch/wireup/wireup.h"
#include "node/attend.h"
#include "node/cores.h"
#include "node/dispatch.h"
#include "node/membership.h"
#include "node/node.h"
#include "node/progress.h"
#include "steal/program.h"
#include "transport/clock.h"
#include "transport/units.h"

static void
start_fail(void *wireup, uint32_t missed, const char *text)
{
	if (missed == STN_NOBODY)
		stn_wireup_abort(wireup, text);
	else
		stn_wireup_miss(wireup, missed, text);
	stn_end_process(EXIT_FAILURE);
}

static void
start_suspect(void *wireup, uint32_t rank, const char *how)
{
	stn_wireup_suspect(wireup, rank, how);
}

/* In a simulation the wire-up ends the node. */
static void
start_left_sim(void *wireup, uint32_t rank)
{
	stn_wireup_left(wireup, rank);
}

/* The run goes on without this process. */
static void
start_left(void *wireup, uint32_t rank)
{
	fflush(stdout);
	stn_wireup_left(wireup, rank);
	stn_end_process(EXIT_SUCCESS);
}

static void
start_applied(void *wireup, uint32_t view)
{
	stn_wireup_applied(wireup, view);
}

static void
start_returned(void *wireup, int status)
{
	stn_wireup_returned(wireup, status);
}

static void
start_summary(void *wireup, uint32_t view, const char *line)
{
	stn_wireup_summary(wireup, view, line);
}

/* The progress bar of a process that has no launcher to draw it. */
struct start_bar {
	struct stn_meter meter;
	struct stn_bar bar;
};

static void
start_progress(void *arg, uint64_t done, uint64_t known)
{
	struct start_bar *shown = arg;

	stn_meter_look(&shown->meter, stn_machine_now(NULL), done, known);
	stn_bar_draw(&shown->bar, &shown->meter);
}

/* What stn_wireup_greet needs, from the start to the end of the node. */
struct start_greeting {
	struct stn_node *node;
	const struct stn_table *table;
	bool *met; /* by rank: nodes that have joined */
	int input; /* the pipe of main's input, if this node is not node 0; -1 */
};

/* This node is the root, and runs main again. */
static void
take_input(struct start_greeting *greeting)
{
	if (greeting->input < 0)
		return;
	dup2(greeting->input, STDIN_FILENO);
	close(greeting->input);
	greeting->input = -1;
	clearerr(stdin);
}

/* The root gets the views, and passes them on. */
static void
start_view(void *arg, const struct stn_change *changes, uint32_t count)
{
	struct start_greeting *greeting = arg;
	struct stn_node *node = greeting->node;

	take_input(greeting);
	stn_node_enter(node);
	stn_membership_view(node, changes, count);
	stn_attend_look(node, stn_node_now(node));
	stn_progress_kick(node);
	stn_node_leave(node);
}

static enum stn_err
start_meet(void *arg, uint32_t rank, const struct stn_card *card,
	   struct stn_why *why)
{
	struct start_greeting *greeting = arg;
	struct stn_node *node = greeting->node;
	enum stn_err err;

	if (rank >= node->topology->nodes)
		return stn_because(why, STN_MALFORMED,
				   "there is no rank %" PRIu32, rank);
	if (greeting->met[rank])
		return STN_OK;
	stn_node_enter(node);
	err = stn_meet_late(rank, card, greeting->table, node->transport, why);
	greeting->met[rank] = !err;
	stn_progress_kick(node);
	stn_node_leave(node);
	return err;
}

static enum stn_err
start_barrier(void *wireup, struct stn_why *why)
{
	return stn_wireup_barrier(wireup, why);
}

/* The run can't begin: tells all its nodes. */
static void
start_abort(const struct stn_joined *joined, const struct stn_why *why)
{
	struct stn_why told;

	if (joined->topology->nodes > 1)
		stn_because(&told, STN_IO, "node %" PRIu32 ": %s", joined->rank,
			    why->text);
	else
		told = *why;
	stn_wireup_abort(joined->wireup, told.text);
}

static struct stn_start
start_of(struct stn_program *program, const struct stn_joined *joined,
	 const struct stn_config *config)
{
	bool survives = joined->topology->nodes > 1 &&
			stn_survival_wanted(config) &&
			stn_wireup_survives(joined->wireup);
	bool told = survives && stn_wireup_sums_up(joined->wireup);
	bool leaves = survives && stn_wireup_leaves(joined->wireup);

	return (struct stn_start){
		.config = config,
		.topology = joined->topology,
		.rank = joined->rank,
		.services = stn_services,
		.host = { .fail = start_fail,
			  .barrier = start_barrier,
			  .suspect = survives ? start_suspect : NULL,
			  .left = !leaves	? NULL
				  : joined->sim ? start_left_sim
						: start_left,
			  .applied = start_applied,
			  .returned = survives ? start_returned : NULL,
			  .summary = told ? start_summary : NULL,
			  .arg = joined->wireup },
		.sim = joined->sim,
		.nodes = joined->nodes,
		.grace_ns = config->grace_ns,
		.speed = joined->speeds ? &joined->speeds->nodes[joined->rank]
					: NULL,
		.live = joined->live,
		.local_nodes = joined->topology->nodes,
		.workers = 1,
		.main = stn_program_main,
		.flush = stn_program_flush,
		.program = program,
		.argc = program->argc,
		.argv = program->argv,
	};
}

static enum stn_err
open_transport(struct stn_node *node, uint32_t index, struct stn_why *why)
{
	struct stn_opening opening =
		stn_meet_opening(node->config, node->topology, node->rank);
	struct stn_transport *transport;
	enum stn_err err;

	opening.handler = stn_dispatch;
	opening.peer_event = stn_dispatch_peer;
	opening.arg = node;
	err = stn_meet_open(node->config, index, node->sim, &opening,
			    &transport, why);
	if (err)
		return err;
	err = stn_node_attach(node, transport, why);
	if (err)
		stn_transport_close(transport, 0);
	return err;
}

/*
 * The nodes of a simulation need no plan and no cards: all are in this process.
 * On failure *node_p stays NULL.
 */
static enum stn_err
begin_virtual(struct stn_program *program, const struct stn_joined *joined,
	      struct stn_node **node_p, struct stn_why *why)
{
	struct stn_start start = start_of(program, joined, joined->config);
	enum stn_err err = stn_node_create(&start, node_p, why);

	if (err)
		return err;
	err = open_transport(*node_p, joined->rank, why);
	if (!err)
		return STN_OK;
	stn_node_destroy(*node_p);
	*node_p = NULL;
	return err;
}

/*
 * A node's stack never shrinks, and a simulation has many: what only the start
 * of a node needs is on it before the node runs, not below the node.
 */
static __attribute__((noinline)) enum stn_err
begin_or_abort(struct stn_program *program, const struct stn_joined *joined,
	       struct stn_node **node_p)
{
	struct stn_why why = { "" };
	enum stn_err err = begin_virtual(program, joined, node_p, &why);

	if (err && why.text[0])
		start_abort(joined, &why);
	return err;
}

static enum stn_err
start_virtual(struct stn_program *program, const struct stn_joined *joined,
	      int *status_p)
{
	struct stn_node *node = NULL;
	enum stn_err err = begin_or_abort(program, joined, &node);

	if (err)
		return err;
	joined->nodes[joined->rank] = node;
	err = stn_node_run(node, status_p); /* reports its errors */
	joined->nodes[joined->rank] = NULL;
	stn_node_destroy(node);
	return err;
}

/* Meets the other nodes, when the transport is open, and runs the node. */
static enum stn_err
meet_and_run(struct stn_program *program, const struct stn_joined *joined,
	     const struct stn_plan *plan, struct start_greeting *greeting,
	     int *status_p, struct stn_why *why)
{
	struct stn_node *node = greeting->node;
	enum stn_err err = stn_meet(joined->wireup, joined->rank,
				    &program->table, node->transport, why);

	if (!err && node->start.host.suspect) {
		stn_wireup_greet(joined->wireup, start_meet, greeting);
		err = stn_wireup_watch(joined->wireup, joined->rank, start_view,
				       greeting, why);
	}
	if (err) {
		stn_transport_close(node->transport, 0);
		return err;
	}
	stn_plan_print(plan);
	why->text[0] = '\0'; /* the node reports errors from here on */
	return stn_node_run(node, status_p);
}

/* Other programs don't inherit the pipe. */
static int
find_input(void)
{
	const char *text = getenv(STN_JOIN_INPUT);
	uint64_t fd;

	if (!text || stn_parse_count(text, STDERR_FILENO + 1, INT32_MAX, &fd) ||
	    fcntl((int)fd, F_SETFD, FD_CLOEXEC))
		return -1;
	return (int)fd;
}

static enum stn_err
run_planned(struct stn_program *program, const struct stn_joined *joined,
	    const struct stn_config *config, const struct stn_plan *plan,
	    int *status_p, struct stn_why *why)
{
	struct stn_start start = start_of(program, joined, config);
	struct stn_worker_share share = stn_worker_share_here(config, plan);
	struct start_greeting greeting = { .table = &program->table,
					   .input = find_input() };
	struct start_bar shown = { .meter = { 0 } };
	struct stn_node *node = NULL;
	enum stn_err err;
	struct stn_interrupt interrupt;
	struct stn_leave_signal term;

	greeting.met = calloc(joined->topology->nodes, sizeof(bool));
	if (!greeting.met)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	stn_leave_signal_hold(&term, start.host.left);
	stn_interrupt_hold(&interrupt, config);
	if (!joined->live && !joined->rank && isatty(STDERR_FILENO)) {
		start.host.progress = start_progress;
		start.host.progress_arg = &shown;
	}
	start.local_nodes = plan->local_nodes;
	start.workers = share.workers;
	start.first_core = share.first;
	if (strcmp(config->pin, "no"))
		start.cores = stn_cores_create(share.all,
					       !strcmp(config->pin, "yes"));
	err = stn_node_create(&start, &node, why);
	greeting.node = node;
	if (!err)
		err = open_transport(node, plan->local_rank, why);
	if (!err) {
		stn_interrupt_begin(&interrupt, node);
		err = meet_and_run(program, joined, plan, &greeting, status_p,
				   why);
	}
	stn_interrupt_end(&interrupt);
	stn_node_destroy(node);
	stn_bar_end(&shown.bar);
	stn_cores_destroy(start.cores);
	if (greeting.input >= 0)
		close(greeting.input);
	free(greeting.met);
	stn_leave_signal_end(&term);
	return err;
}

static enum stn_err
run_real(struct stn_program *program, const struct stn_joined *joined,
	 int *status_p, struct stn_why *why)
{
	struct stn_config config = *joined->config; /* the plan changes it */
	struct stn_plan plan = { 0 };
	enum stn_err err = stn_plan_make(joined->wireup, joined->topology,
					 joined->rank, &config, &plan, why);

	if (!err)
		err = run_planned(program, joined, &config, &plan, status_p,
				  why);
	stn_plan_fini(&plan);
	return err;
}

static __attribute__((noinline)) enum stn_err
start_real(struct stn_program *program, const struct stn_joined *joined,
	   int *status_p)
{
	struct stn_why why = { "" };
	enum stn_err err = run_real(program, joined, status_p, &why);

	if (err && why.text[0])
		start_abort(joined, &why);
	return err;
}

enum stn_err
stn_start_node(void *program, const struct stn_joined *joined, int *status_p)
{
	return joined->sim ? start_virtual(program, joined, status_p)
			   : start_real(program, joined, status_p);
}
