#include "launch/gateway/gateway_nodes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "launch/gateway/gateway_private.h"
#include "launch/plan/survival.h"

/* For the command to end, after the connection of its node. */
#define COMMAND_NS (STN_SECOND_NS / 2)

/* The connection of the cluster's launcher. */
struct launcher {
	struct watch watch; /* first */
	struct stn_stream stream;
	struct stn_bytes received; /* frames, as of an agent */
};

static uint32_t
run_rank(const struct gateway *gateway, uint32_t index)
{
	return gateway->hub.first[gateway->mine] + index;
}

void
gateway_nodes_open(struct gateway *gateway)
{
	gateway->nodes.list =
		calloc(gateway->members.size, sizeof(gateway->nodes.list[0]));
	if (!gateway->nodes.list)
		gateway_fail(gateway, "out of memory");
}

static void
drop_launcher(struct gateway *gateway)
{
	struct launcher *launcher = gateway->nodes.launcher;

	gateway->nodes.launcher = NULL;
	gateway_unwatch(&gateway->loop, launcher->stream.fd);
	stn_bytes_fini(&launcher->received);
	stn_stream_fini(&launcher->stream);
	gateway_free_later(&gateway->loop, &launcher->watch);
}

void
gateway_nodes_close(struct gateway *gateway)
{
	if (gateway->nodes.launcher)
		drop_launcher(gateway);
	free(gateway->nodes.list);
	stn_bytes_fini(&gateway->nodes.suspicions);
}

static void
watch_launcher(struct gateway *gateway, struct launcher *launcher)
{
	uint32_t events = EPOLLIN;

	stn_stream_flush(&launcher->stream);
	if (stn_stream_unsent(&launcher->stream))
		events |= EPOLLOUT;
	gateway_rewatch(&gateway->loop, &launcher->watch, launcher->stream.fd,
			events);
}

/* The launcher kills the node, unless that has ended already. */
static void
tell_launcher(struct gateway *gateway, uint32_t index)
{
	struct launcher *launcher = gateway->nodes.launcher;
	struct stn_wireup_head head = { STN_WIREUP_KILL, index, 0 };

	stn_stream_put(&launcher->stream, &head, sizeof(head));
	watch_launcher(gateway, launcher);
}

static uint32_t
count_own(const struct gateway *gateway, bool left)
{
	const struct own_node *list = gateway->nodes.list;
	uint32_t count = 0;

	for (uint32_t i = 0; i < gateway->members.size; i++)
		count += left ? list[i].left : !list[i].gone;
	return count;
}

uint32_t
gateway_nodes_living(const struct gateway *gateway)
{
	return count_own(gateway, false);
}

static void
node_gone(struct gateway *gateway, uint32_t index)
{
	struct own_node *node = &gateway->nodes.list[index];

	node->gone = true;
	gateway_summary_hold(gateway);
	stn_wireup_server_died(&gateway->members.server, index);
	gateway_report_tell(gateway,
			    node->left ? STN_TRUNK_LEFT : STN_TRUNK_GONE,
			    run_rank(gateway, index));
	if (gateway_nodes_living(gateway))
		return;
	if (count_own(gateway, true))
		gateway->membership.parting = true;
	else
		gateway_end_part(gateway, "all nodes of this cluster have "
					  "died; the run goes on without it");
}

/*
 * A program that has crashed would crash again on the next node. Other nodes
 * may have noticed the crash before, and had the node fenced: a node that is
 * fenced is killed, which is no crash.
 */
static bool
has_crashed(const struct own_node *node, int status)
{
	if (node->left)
		return false;
	return WIFSIGNALED(status) ? stn_survival_is_crash(WTERMSIG(status))
				   : !node->fenced;
}

static void
own_node_ended(struct gateway *gateway, uint32_t index, int status)
{
	struct own_node *node = &gateway->nodes.list[index];

	gateway_read_members(gateway, run_rank(gateway, index));
	if (!gateway_survives(gateway) || node->gone)
		return;
	if (has_crashed(node, status)) {
		gateway_attribute_node(gateway, run_rank(gateway, index),
				       index);
		return;
	}
	gateway_cut_member(gateway, index);
	node_gone(gateway, index);
}

static void
take_launchers_frame(struct gateway *gateway,
		     const struct stn_wireup_frame *frame)
{
	uint32_t index = frame->head.rank;

	if (frame->head.type == STN_WIREUP_FAILED)
		gateway_fail(gateway, "%.*s", (int)frame->head.size,
			     (const char *)frame->body);
	if (!gateway->members.layout_known || index >= gateway->members.size)
		return;
	if (frame->head.type == STN_WIREUP_ENDED)
		own_node_ended(gateway, index,
			       (int)stn_wireup_frame_number(frame));
	else if (frame->head.type == STN_WIREUP_LEAVING)
		gateway_nodes_leave(gateway, index);
}

/* Returns false if the connection has ended. */
static bool
read_launcher(struct gateway *gateway, struct launcher *launcher)
{
	struct stn_bytes *received = &launcher->received;
	struct stn_wireup_frame frame;
	enum stn_err err;
	size_t before;

	do {
		before = stn_bytes_count(received);
		if (stn_bytes_read(received, launcher->stream.fd))
			return false;
		while (!(err = stn_wireup_frame_parse(
				 received, STN_WIREUP_FROM_AGENT, &frame))) {
			take_launchers_frame(gateway, &frame);
			stn_wireup_frame_drop(received, &frame);
		}
		if (err != STN_MISSING)
			return false;
	} while (stn_bytes_count(received) != before);
	return true;
}

/*
 * When the launcher has ended, so has the command, or it will: that decides
 * what happens.
 */
static void
launcher_ready(struct gateway *gateway, struct watch *watch, uint32_t events)
{
	struct launcher *launcher = (struct launcher *)watch;

	if (events & EPOLLOUT)
		watch_launcher(gateway, launcher);
	if (events & ~(uint32_t)EPOLLOUT && !read_launcher(gateway, launcher))
		drop_launcher(gateway);
}

void
gateway_nodes_launch(struct gateway *gateway, struct pending *pending)
{
	struct stn_handshake_answer answer = { false, 0 };
	unsigned char bytes[STN_HANDSHAKE_ANSWER_BYTES];
	struct launcher *launcher = calloc(1, sizeof(*launcher));

	if (!launcher ||
	    !gateway_take_stream(gateway, pending, &launcher->stream)) {
		gateway_fail(gateway, "out of memory");
		free(launcher);
		return;
	}
	launcher->watch.ready = launcher_ready;
	gateway->nodes.launcher = launcher;
	stn_handshake_answer_write(bytes, &answer);
	stn_stream_put(&launcher->stream, bytes, sizeof(bytes));
	watch_launcher(gateway, launcher);
}

static void
take_met(struct gateway *gateway, uint32_t index,
	 const struct stn_wireup_frame *frame)
{
	gateway->nodes.list[index].owes = false;
	if (stn_wireup_frame_number(frame) != STN_NOBODY)
		stn_wireup_frame_missed(frame, &gateway->nodes.refused);
}

void
gateway_nodes_meet(struct gateway *gateway)
{
	gateway->nodes.refused.text[0] = '\0';
	for (uint32_t i = 0; i < gateway->members.size; i++)
		gateway->nodes.list[i].owes = true;
}

bool
gateway_nodes_have_met(const struct gateway *gateway)
{
	for (uint32_t i = 0; i < gateway->members.size; i++)
		if (gateway->members.by_rank[i] && gateway->nodes.list[i].owes)
			return false;
	return true;
}

/* Counts a node once: it is not to stand for one that does not read views. */
static void
note_watching(struct gateway *gateway, uint32_t index)
{
	if (gateway->nodes.list[index].watches)
		return;
	gateway->nodes.list[index].watches = true;
	gateway_membership_watched(gateway);
}

enum stn_err
gateway_nodes_take(struct gateway *gateway, uint32_t index,
		   const struct stn_wireup_frame *frame)
{
	switch (frame->head.type) {
	case STN_WIREUP_SUSPECT:
		return gateway_suspicion_take(gateway, index,
					      stn_wireup_frame_number(frame));
	case STN_WIREUP_APPLIED:
		if (!stn_wireup_frame_number(frame))
			note_watching(gateway, index);
		return STN_OK;
	case STN_WIREUP_RETURNED:
		return STN_OK;
	case STN_WIREUP_SUMMARY:
		gateway_summary_take(gateway, index, frame);
		return STN_OK;
	case STN_WIREUP_LEAVING:
		gateway_nodes_leave(gateway, index);
		return STN_OK;
	case STN_WIREUP_MET:
		take_met(gateway, index, frame);
		return STN_OK;
	case STN_WIREUP_LEFT:
		gateway->nodes.list[index].left = true;
		return STN_OK;
	}
	return STN_MISSING;
}

/* Without a launcher that would tell the user. */
static void
tell_end(struct gateway *gateway, uint32_t index, const char *how)
{
	if (gateway->members.size > 1)
		gateway_say(gateway,
			    "node %" PRIu32 " of this cluster (node %" PRIu32
			    " of the run) has %s",
			    index, run_rank(gateway, index), how);
}

static void
node_left(struct gateway *gateway, uint32_t index)
{
	if (gateway->nodes.list[index].gone)
		return;
	tell_end(gateway, index, "left the run");
	node_gone(gateway, index);
}

bool
gateway_nodes_lost(struct gateway *gateway, uint32_t index)
{
	struct nodes *nodes = &gateway->nodes;

	if (!gateway_survives(gateway))
		return false;
	nodes->list[index].lost = true;
	if (nodes->launcher)
		tell_launcher(gateway, index);
	else if (nodes->list[index].left)
		node_left(gateway, index);
	else if (!nodes->list[index].gone)
		nodes->due_ns = gateway_now() + COMMAND_NS;
	return true;
}

/* Many launchers return 128 + the signal that has killed a node. */
static int
signal_of(int status)
{
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	return WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
}

/*
 * A node that is fenced while it leaves may end before it has said that it left.
 * Returns whether no node of this cluster is left.
 */
static bool
fenced_have_ended(struct gateway *gateway)
{
	struct own_node *list = gateway->nodes.list;
	bool some = false;

	for (uint32_t i = 0; i < gateway->members.size; i++) {
		if (!list[i].fenced || list[i].gone)
			continue;
		some = true;
		node_gone(gateway, i);
	}
	return some && !gateway_nodes_living(gateway);
}

bool
gateway_nodes_command_ended(struct gateway *gateway, int status)
{
	int signal = signal_of(status);

	if (gateway->nodes.launcher &&
	    !read_launcher(gateway, gateway->nodes.launcher))
		drop_launcher(gateway);
	if (gateway->membership.parting)
		return true;
	if (!status && !gateway->nodes.launcher && gateway_survives(gateway) &&
	    fenced_have_ended(gateway))
		return true;
	if (!gateway_survives(gateway) || !signal ||
	    stn_survival_is_crash(signal))
		return false;
	gateway_end_part(gateway,
			 "%s was killed by signal %d, %s; the run goes on "
			 "without this cluster",
			 gateway->options->command[0], signal,
			 strsignal(signal));
	return true;
}

/*
 * Without a launcher that can kill it, the node is told to end by the end of
 * its connection, unless it has said that it left. Other clusters get nothing
 * from it any more.
 */
void
gateway_nodes_fence(struct gateway *gateway, uint32_t rank)
{
	uint32_t index = rank - gateway->hub.first[gateway->mine];
	struct own_node *node = &gateway->nodes.list[index];

	if (gateway->late.joining)
		gateway_suspicion_keep(gateway, index, STN_NOBODY);
	if (!gateway_survives(gateway) || node->fenced || node->gone)
		return;
	node->fenced = true;
	if (gateway->nodes.launcher) {
		tell_launcher(gateway, index);
	} else {
		gateway_read_members(gateway, rank);
		gateway_cut_member(gateway, index);
	}
}

void
gateway_nodes_leave(struct gateway *gateway, uint32_t index)
{
	struct own_node *node = &gateway->nodes.list[index];

	if (node->leaves || node->gone)
		return;
	node->leaves = true;
	gateway->nodes.leave = true;
}

/* A node may be told to leave before the run has begun. */
static void
report_leavers(struct gateway *gateway)
{
	struct nodes *nodes = &gateway->nodes;

	nodes->leave = false;
	for (uint32_t i = 0; i < gateway->members.size; i++)
		if (nodes->list[i].leaves && !nodes->list[i].gone)
			gateway_report_tell(gateway, STN_TRUNK_LEAVING,
					    run_rank(gateway, i));
}

void
gateway_nodes_hang_up(struct gateway *gateway)
{
	if (gateway->nodes.launcher) {
		drop_launcher(gateway); /* it kills its nodes */
		return;
	}
	if (!gateway->members.layout_known)
		return; /* nodes would try again, and SIGTERM still ends them */
	for (uint32_t i = 0; i < gateway->members.size; i++)
		gateway_cut_member(gateway, i);
}

void
gateway_nodes_attend(struct gateway *gateway, uint64_t now)
{
	struct nodes *nodes = &gateway->nodes;

	gateway_suspicions_attend(gateway);
	if (nodes->leave && gateway_survives(gateway))
		report_leavers(gateway);
	/* Perhaps the command's end was a failure. */
	if (!nodes->due_ns || now < nodes->due_ns ||
	    !gateway_survives(gateway) || *gateway->failure.cause.text)
		return;
	nodes->due_ns = 0;
	for (uint32_t i = 0; i < gateway->members.size; i++) {
		if (!nodes->list[i].lost || nodes->list[i].gone)
			continue;
		tell_end(gateway, i, "died; the run goes on without it");
		node_gone(gateway, i);
	}
}
