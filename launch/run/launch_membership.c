#include "launch/run/launch_membership.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "launch/join_far.h"
#include "launch/plan/survival.h"
#include "launch/run/launch_fence.h"
#include "launch/run/launch_gateway.h"
#include "launch/run/launch_input.h"
#include "launch/run/launch_summary.h"
#include "launch/run/launch_wait.h"

/*
 * Sends a view. All nodes get it, and the root in it acts on it. In a run of
 * several clusters the views come from the gateways; the sequencer here only
 * knows which nodes of this cluster live.
 */
static void
launch_send_view(void *arg, uint32_t root, const struct stn_change *changes,
		 uint32_t count)
{
	struct launch *launch = arg;
	size_t bytes = count * sizeof(changes[0]);
	unsigned char *body;

	if (stn_join_far_offered())
		return;
	body = malloc(sizeof(root) + bytes);

	if (!body) {
		launch_complain(launch, "out of memory");
		launch_kill(launch);
		return;
	}
	memcpy(body, &root, sizeof(root));
	memcpy(body + sizeof(root), changes, bytes);
	launch->server.send_all(launch->server.arg, STN_WIREUP_VIEW, body,
				sizeof(root) + bytes);
	free(body);
}

/* Kills a node that others miss. Its end is then its death. */
static void
launch_fence(void *arg, uint32_t rank)
{
	struct launch *launch = arg;

	stn_process_group_kill_node(&launch->group, rank);
	stn_agents_kill(&launch->agents, rank);
}

/* The gateway wants a node killed. */
static void
launch_kill_node(struct launch *launch, uint32_t rank)
{
	stn_sequencer_suspect(&launch->sequencer, rank);
}

enum stn_err
launch_membership_init(struct launch *launch, struct stn_why *why)
{
	const struct stn_sequencer_host host = { launch_send_view, launch_fence,
						 launch };
	enum stn_err err;

	if (!stn_survival_wanted(&launch->config) ||
	    (launch->topology.nodes < 2 && !stn_join_far_offered()))
		return STN_OK;
	launch->leavers = calloc(launch->ranks, sizeof(launch->leavers[0]));
	if (!launch->leavers || launch_fence_init(launch))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = stn_sequencer_init(&launch->sequencer, &launch->topology, host);
	if (err)
		return stn_because(why, err, "out of memory");
	launch->survives = true;
	return stn_join_far_offered() ? launch_gateway_open(launch, why)
				      : STN_OK;
}

void
launch_membership_fini(struct launch *launch)
{
	if (launch->survives)
		stn_sequencer_fini(&launch->sequencer);
	free(launch->leavers);
	launch_fence_fini(launch);
	stn_echo_fini(&launch->echo);
	launch_gateway_close(launch);
}

/* @frame  MISS or SUSPECT */
static enum stn_err
take_suspicion(struct launch *launch, const struct stn_wireup_frame *frame)
{
	struct stn_why how;
	uint32_t rank = stn_wireup_frame_missed(frame, &how);

	if (rank >= launch->topology.nodes)
		return STN_MALFORMED;
	/* At the end of the run nodes leave one after the other. */
	if (launch->server.finished)
		return STN_OK;
	/*
	 * Two nodes that lose each other suspect each other. Only one of them
	 * is to end, so a node that is being fenced has no say any more.
	 */
	if (stn_sequencer_suspects(&launch->sequencer, frame->head.rank))
		return STN_OK;
	launch_fence_note(launch, rank, frame->head.rank, how.text);
	stn_sequencer_suspect(&launch->sequencer, rank);
	return STN_OK;
}

bool
launch_membership_begun(const struct launch *launch)
{
	return launch->survives && launch->watching >= launch->processes;
}

static void
note_applied(struct launch *launch, uint32_t view)
{
	if (view)
		stn_sequencer_applied(&launch->sequencer, view);
	else
		launch->watching++;
}

/* Does a node stay? Otherwise the run ends. */
static bool
one_stays(struct launch *launch)
{
	const struct stn_members *members = &launch->sequencer.members;

	if (members->leavers < members->living || stn_join_far_offered())
		return true;
	launch_complain(launch, "all nodes that live have been told to leave");
	launch_kill(launch);
	return false;
}

/* Does the end of a node change the membership, rather than end the run? */
static bool
goes_on(const struct launch *launch)
{
	return launch->survives && !launch->failed && !launch->server.aborted &&
	       launch_membership_begun(launch);
}

/*
 * At the end of the run nodes leave anyway. In a run of several clusters the
 * gateways know whether nodes stay.
 */
void
launch_membership_leave(struct launch *launch, uint32_t rank)
{
	if (launch->server.finished)
		return;
	stn_sequencer_leave(&launch->sequencer, rank);
	if (stn_join_far_offered())
		launch_gateway_leave(launch, rank);
	else
		one_stays(launch);
}

bool
launch_membership_leave_all(struct launch *launch)
{
	if (!launch->gateway.open || !goes_on(launch) ||
	    launch->server.finished)
		return false;
	for (uint32_t i = 0; i < launch->processes; i++)
		launch_membership_leave(launch, i);
	return true;
}

const struct stn_change *
launch_membership_change(const struct launch *launch, uint32_t rank)
{
	const struct stn_sequencer *sequencer = &launch->sequencer;

	for (uint32_t i = sequencer->count; i-- > 0;)
		if (sequencer->changes[i].rank == rank)
			return &sequencer->changes[i];
	return NULL;
}

static void
take_returned(struct launch *launch, uint32_t rank, int status)
{
	if (rank != launch->root)
		return;
	launch->returned = true;
	launch->returned_status = status;
}

/* An agent has got SIGTERM in a run that can't go on without its nodes. */
static enum stn_err
refuse_leaving(struct launch *launch, uint32_t rank)
{
	char place[LAUNCH_ON_HOST];

	launch_complain(launch,
			"node %" PRIu32 "%s was ended by SIGTERM, and this run "
			"does not survive that",
			rank, launch_on_host(launch, rank, place));
	launch_kill(launch);
	return STN_OK;
}

enum stn_err
launch_membership_received(struct launch *launch,
			   const struct stn_wireup_frame *frame)
{
	uint32_t rank = frame->head.rank;
	enum stn_err err;

	if (!launch->survives && frame->head.type == STN_WIREUP_LEAVING)
		return refuse_leaving(launch, rank);
	if (!launch->survives)
		return STN_MISSING;
	switch (frame->head.type) {
	case STN_WIREUP_LEAVING:
		launch_membership_leave(launch, rank);
		return STN_OK;
	case STN_WIREUP_LEFT:
		launch->leavers[rank] = true;
		return STN_OK;
	case STN_WIREUP_SUSPECT:
		return take_suspicion(launch, frame);
	case STN_WIREUP_APPLIED:
		note_applied(launch, stn_wireup_frame_number(frame));
		return STN_OK;
	case STN_WIREUP_RETURNED:
		take_returned(launch, rank,
			      (int)stn_wireup_frame_number(frame));
		return STN_OK;
	case STN_WIREUP_SUMMARY:
		launch_summary_take(launch, frame);
		return STN_OK;
	case STN_WIREUP_MISS: /* the sender ends, but the run can go on */
		if (!launch_membership_begun(launch))
			return STN_MISSING;
		err = take_suspicion(launch, frame);
		stn_sequencer_suspect(&launch->sequencer, rank);
		return err;
	}
	return STN_MISSING;
}

/*
 * Others may miss the node already. A node that learns of that ends with
 * EXIT_FAILURE; with another status, the root's main has called exit().
 */
static bool
is_survivable(const struct launch *launch, uint32_t rank, int status)
{
	if (WIFSIGNALED(status))
		return !stn_survival_is_crash(WTERMSIG(status));
	if (launch->leavers[rank])
		return true;
	if (rank == launch->root && WEXITSTATUS(status) != EXIT_FAILURE)
		return false;
	return stn_sequencer_suspects(&launch->sequencer, rank);
}

static void
tell_death(struct launch *launch, uint32_t rank, int status)
{
	const char *more = rank == launch->root && launch->input.is_lost
				   ? ", and without standard input"
				   : "";
	char place[LAUNCH_ON_HOST], how[80];

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
	    launch_fence_tell(launch, rank, more))
		return;
	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "signal %d, %s", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(how, sizeof(how), "status %d", WEXITSTATUS(status));
	launch_say(launch,
		   "node %" PRIu32 "%s%s died: %s; the run goes on "
		   "without it%s",
		   rank, stn_join_far_offered() ? " of this cluster" : "",
		   launch_on_host(launch, rank, place), how, more);
}

static void
tell_left(struct launch *launch, uint32_t rank)
{
	bool input = rank == launch->root && launch->input.is_lost;
	char place[LAUNCH_ON_HOST];

	launch_say(launch, "node %" PRIu32 "%s%s left the run%s", rank,
		   stn_join_far_offered() ? " of this cluster" : "",
		   launch_on_host(launch, rank, place),
		   input ? ", which goes on without standard input" : "");
}

/* The root has died: the next one runs main again. */
static void
follow_root(struct launch *launch)
{
	uint32_t root = launch->sequencer.members.root;

	if (root == launch->root)
		return;
	launch->root = root;
	stn_echo_restart(&launch->echo);
	launch_input_follow(launch);
}

static void
note_death(struct launch *launch, uint32_t rank)
{
	stn_sequencer_gone(&launch->sequencer, rank,
			   launch->leavers[rank] ? STN_LEFT : STN_DIED);
	if (!one_stays(launch))
		return;
	launch_summary_await(launch);
	if (rank == launch->root) {
		launch->status = EXIT_FAILURE; /* until the next root ends */
		follow_root(launch); /* before it knows */
		/* That one may be at the barrier: before it opens, it must
		 * know. */
		stn_sequencer_issue(&launch->sequencer);
	}
	stn_wireup_server_died(&launch->server, rank);
	if (launch->server.finished)
		launch_wait(launch, 1000 * LAUNCH_LEAVE_SECONDS);
}

/*
 * At the end of the run the root may be lost. All nodes have come to the
 * barrier, so main has returned: on this root, or else on an earlier one.
 */
static void
note_late_death(struct launch *launch, uint32_t rank)
{
	if (rank == launch->root && launch->returned)
		launch->status = launch->returned_status;
}

/* No node would be left without the @count that have died. */
static bool
all_have_died(struct launch *launch, uint32_t count)
{
	if (launch->sequencer.members.living > count)
		return false;
	/* The gateway, if there is one, tells that to the user. */
	launch->failed = launch->failed || stn_join_far_offered();
	launch_complain(launch, "all nodes have died");
	launch_kill(launch);
	return true;
}

/* The last node of this cluster leaves a run that goes on elsewhere. */
static bool
is_last_leaver(const struct launch *launch, uint32_t rank)
{
	return launch->leavers[rank] && stn_join_far_offered() &&
	       launch->sequencer.members.living == 1;
}

static void
end_part(struct launch *launch, uint32_t rank)
{
	tell_left(launch, rank);
	stn_sequencer_gone(&launch->sequencer, rank, STN_LEFT);
	launch->status = EXIT_SUCCESS;
	launch->left = true; /* the gateway tells the rest */
}

bool
launch_membership_ended(struct launch *launch, uint32_t rank, int status)
{
	launch_gateway_ended(launch, rank, status);
	if (!goes_on(launch) || !is_survivable(launch, rank, status))
		return false;
	if (launch->server.finished) {
		note_late_death(launch, rank);
	} else if (is_last_leaver(launch, rank)) {
		end_part(launch, rank);
	} else if (!all_have_died(launch, 1)) {
		if (launch->leavers[rank])
			tell_left(launch, rank);
		else
			tell_death(launch, rank, status);
		note_death(launch, rank);
		launch_fence_check(launch, rank);
	}
	return true;
}

/* The number of nodes from rank @first on that live, of @count. */
static uint32_t
count_living(const struct launch *launch, uint32_t first, uint32_t count)
{
	uint32_t living = 0;

	for (uint32_t i = first; i < first + count; i++)
		living += stn_members_has(&launch->sequencer.members, i);
	return living;
}

static void
tell_loss(struct launch *launch, uint32_t first, uint32_t lost)
{
	bool input = launch->root == first && launch->input.is_lost;
	char place[LAUNCH_ON_HOST];

	if (launch->muster) /* a host may have several agents */
		launch_say(launch,
			   "node %" PRIu32 "%s is lost with its agent; "
			   "the run goes on without it%s",
			   first, launch_on_host(launch, first, place),
			   input ? ", and without standard input" : "");
	else
		launch_say(launch,
			   "host %s is lost, and %" PRIu32
			   " node%s with it; the "
			   "run goes on without it%s",
			   stn_agents_host(&launch->agents, first), lost,
			   lost == 1 ? "" : "s",
			   input ? ", and without standard input" : "");
}

bool
launch_membership_lost(struct launch *launch, uint32_t first, uint32_t count)
{
	uint32_t lost;

	if (!goes_on(launch))
		return false;
	lost = count_living(launch, first, count);
	for (uint32_t i = first; i < first + count; i++)
		launch_gateway_ended(launch, i, SIGKILL); /* their lease is up */
	if (!launch->server.finished && (!lost || all_have_died(launch, lost)))
		return true;
	if (!launch->server.finished)
		tell_loss(launch, first, lost);
	for (uint32_t i = first; i < first + count; i++) {
		if (launch->server.finished)
			note_late_death(launch, i);
		else if (stn_members_has(&launch->sequencer.members, i))
			note_death(launch, i);
	}
	return true;
}

void
launch_membership_printed(struct launch *launch, uint32_t rank,
			  const unsigned char *bytes, size_t size)
{
	bool differs = false;
	struct stn_why how;
	size_t old = 0;

	if (launch->survives && rank == launch->root)
		old = stn_echo_take(&launch->echo, bytes, size, &differs);
	if (differs) {
		stn_echo_explain(&launch->echo, rank, &how);
		launch_say(launch, "%s", how.text);
	}
	if (stn_output_add(&launch->output, bytes + old, size - old))
		return;
	launch_complain(launch, "out of memory for the nodes' output");
	launch_kill(launch);
}

void
launch_membership_issue(struct launch *launch)
{
	if (launch->survives && !launch->killed && !launch->server.finished &&
	    launch_membership_begun(launch))
		stn_sequencer_issue(&launch->sequencer);
}

void
launch_membership_listen(struct launch *launch)
{
	if (launch_gateway_listen(launch, launch_kill_node) ||
	    launch->server.finished)
		return;
	launch->failed = true; /* the gateway has told the user why */
	launch_kill(launch);
}
