#include "launch/run/process_group.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/card.h"
#include "launch/plan/placement.h"
#include "launch/run/descriptors.h"
#include "launch/run/process_group_input.h"
#include "launch/run/process_group_node.h"
#include "launch/signals.h"
#include "transport/transport.h"

#define REAPED 64 /* children at a time */

int
stn_process_group_signals(struct stn_signals_before *before)
{
	sigset_t mask;

	stn_signals_block(&mask, before);
	return signalfd(-1, &mask, SFD_CLOEXEC);
}

static struct stn_process_group_node *
node_of(struct stn_process_group *group, uint32_t rank)
{
	return &group->nodes[rank - group->first];
}

enum stn_err
stn_process_group_start(struct stn_process_group *group, struct stn_why *why)
{
	enum stn_err err = STN_OK;

	stn_descriptors_raise_limit(STN_PROCESS_GROUP_FDS *
				    (size_t)group->count);
	group->self = getpid();
	group->input = group->input_reader = -1;
	group->running = 0;
	if (group->count > STN_PLACEMENT_NODES)
		return stn_because(why, STN_INVALID,
				   "%" PRIu32 " nodes are too many for one "
				   "host, which takes %d; `sateen sim` "
				   "simulates more",
				   group->count, STN_PLACEMENT_NODES);
	group->nodes = calloc(group->count, sizeof(group->nodes[0]));
	if (!group->nodes)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	for (uint32_t i = 0; i < group->count; i++)
		group->nodes[i].socket = group->nodes[i].output = -1;
	err = process_group_input_open(group, why);
	for (uint32_t i = 0; !err && i < group->count - group->later; i++)
		err = process_group_node_start(group, group->first + i, why);
	process_group_input_started(group);
	return err;
}

enum stn_err
stn_process_group_add(struct stn_process_group *group, uint32_t rank,
		      struct stn_why *why)
{
	return process_group_node_start(group, rank, why);
}

void
stn_process_group_fini(struct stn_process_group *group)
{
	if (!group->nodes)
		return;
	for (uint32_t i = 0; i < group->count; i++) {
		struct stn_process_group_node *node = &group->nodes[i];

		stn_descriptor_close(&node->socket);
		stn_descriptor_close(&node->output);
		stn_bytes_fini(&node->received);
		stn_bytes_fini(&node->lines);
		stn_bytes_fini(&node->address);
	}
	process_group_input_close(group);
	free(group->nodes);
	group->nodes = NULL;
}

uint32_t
stn_process_group_fds(const struct stn_process_group *group, struct pollfd *fds)
{
	for (uint32_t i = 0; group->nodes && i < group->count; i++) {
		const struct stn_process_group_node *node = &group->nodes[i];

		*fds++ = (struct pollfd){ node->socket, POLLIN, 0 };
		*fds++ = (struct pollfd){ group->paused ? -1 : node->output,
					  POLLIN, 0 };
	}
	return group->nodes ? STN_PROCESS_GROUP_FDS * group->count : 0;
}

/* Keeps the node's address, whose files are removed after its end. */
static void
note_address(struct stn_process_group_node *node,
	     const struct stn_wireup_frame *frame)
{
	struct stn_card card = { frame->body, frame->head.size };
	struct stn_card_content content;

	if (frame->head.type != STN_WIREUP_CARD ||
	    stn_bytes_count(&node->address) ||
	    stn_card_read(&card, frame->head.rank, &content, NULL))
		return;
	stn_bytes_add(&node->address, content.address, content.address_bytes);
	free(content.tasks);
}

/* Reads frames of a node; false if no more will come. */
static bool
group_read_frames(struct stn_process_group *group, uint32_t rank)
{
	struct stn_process_group_node *node = node_of(group, rank);
	enum stn_err err = stn_bytes_read(&node->received, node->socket);
	struct stn_wireup_frame frame;

	while (!err &&
	       !(err = stn_wireup_frame_parse(&node->received,
					      STN_WIREUP_FROM_NODE, &frame))) {
		frame.head.rank = rank;
		note_address(node, &frame);
		group->events->received(group->arg, &frame);
		stn_wireup_frame_drop(&node->received, &frame);
	}
	if (!stn_bytes_count(&node->received))
		stn_bytes_fini(
			&node->received); /* saves memory with many nodes */
	if (err == STN_MISSING)
		return true;
	stn_descriptor_close(&node->socket);
	group->events->closed(group->arg, rank, err);
	return false;
}

/*
 * Passes on the first @size bytes in pieces of STN_LINE_BYTES at most, which
 * end between lines. Only a line longer than STN_LINE_BYTES is split.
 */
static void
group_print(struct stn_process_group *group, uint32_t rank, size_t size)
{
	struct stn_bytes *lines = &node_of(group, rank)->lines;

	while (size) {
		size_t part = size;

		if (part > STN_LINE_BYTES) {
			part = stn_bytes_lines(lines, STN_LINE_BYTES);
			part = part ? part : STN_LINE_BYTES;
		}
		group->events->printed(group->arg, rank, stn_bytes_front(lines),
				       part);
		stn_bytes_drop(lines, part);
		size -= part;
	}
}

/* Passes on complete lines, and a line that has reached STN_LINE_BYTES. */
static void
group_print_lines(struct stn_process_group *group, uint32_t rank)
{
	const struct stn_bytes *lines = &node_of(group, rank)->lines;
	size_t count = stn_bytes_count(lines);
	size_t whole = stn_bytes_lines(lines, count);

	group_print(group, rank,
		    whole || count < STN_LINE_BYTES ? whole : count);
}

/* Reads output of a node; false at its end. */
static bool
group_read_output(struct stn_process_group *group, uint32_t rank)
{
	struct stn_process_group_node *node = node_of(group, rank);

	if (stn_bytes_read(&node->lines, node->output)) {
		group_print(group, rank, stn_bytes_count(&node->lines));
		stn_descriptor_close(&node->output);
		return false;
	}
	group_print_lines(group, rank);
	return true;
}

void
stn_process_group_listen(struct stn_process_group *group,
			 const struct pollfd *fds)
{
	for (uint32_t i = 0; group->nodes && i < group->count; i++) {
		const struct stn_process_group_node *node = &group->nodes[i];

		if (fds[STN_PROCESS_GROUP_FDS * i].revents && node->socket >= 0)
			group_read_frames(group, group->first + i);
		if (fds[STN_PROCESS_GROUP_FDS * i + 1].revents &&
		    node->output >= 0)
			group_read_output(group, group->first + i);
	}
}

/*
 * Reads the last frames and output of a node that has ended. Does not wait for
 * the end of file, because processes that the node started may keep the socket
 * and the pipe open. They may also write without pause.
 */
static void
group_read_rest(struct stn_process_group *group, uint32_t rank)
{
	struct stn_process_group_node *node = node_of(group, rank);
	size_t frames = stn_descriptor_reads(node->socket);
	size_t output = stn_descriptor_reads(node->output);

	while (frames-- && stn_descriptor_is_readable(node->socket) &&
	       group_read_frames(group, rank))
		continue;
	while (output-- && stn_descriptor_is_readable(node->output) &&
	       group_read_output(group, rank))
		continue;
	group_print(group, rank, stn_bytes_count(&node->lines));
	stn_descriptor_close(&node->socket);
	stn_descriptor_close(&node->output);
}

/*
 * Kills a node and the processes it has started, which share a POSIX process
 * group. A node that reads the terminal is killed alone, because this process
 * is in its POSIX group, too.
 */
static void
kill_node(const struct stn_process_group *group, uint32_t rank, pid_t pid)
{
	if (pid > 0)
		kill(!rank && group->terminal ? pid : -pid, SIGKILL);
}

static bool
group_ended(struct stn_process_group *group, uint32_t rank, int status)
{
	struct stn_process_group_node *node = node_of(group, rank);

	kill_node(group, rank, node->pid); /* processes that it started */
	node->pid = 0;
	group_read_rest(group, rank);
	group->running--;
	group->events->ended(group->arg, rank, status);
	if (stn_bytes_count(&node->address))
		stn_transport_sweep(stn_config_transport(group->config),
				    stn_bytes_front(&node->address),
				    stn_bytes_count(&node->address));
	return true;
}

static bool
group_reaped(struct stn_process_group *group, pid_t pid, int status)
{
	for (uint32_t i = 0; group->nodes && i < group->count; i++)
		if (group->nodes[i].pid == pid)
			return group_ended(group, group->first + i, status);
	return false;
}

/*
 * If several children have ended, those that a signal ended come first: their
 * deaths are the reason why the others gave up.
 */
void
stn_process_group_reap(struct stn_process_group *group,
		       stn_process_group_other *other, void *arg)
{
	struct end {
		pid_t pid;
		int status;
	} ends[REAPED];
	size_t count;

	do {
		for (count = 0; count < REAPED; count++) {
			struct end *end = &ends[count];

			end->pid = waitpid(-1, &end->status, WNOHANG);
			if (end->pid <= 0)
				break;
		}
		for (size_t i = 0; i < 2 * count; i++) {
			const struct end *end = &ends[i % count];

			if (WIFSIGNALED(end->status) == (i < count) &&
			    !group_reaped(group, end->pid, end->status) &&
			    other)
				other(arg, end->pid, end->status);
		}
	} while (count == REAPED);
}

/*
 * A node that has not read for SO_SNDTIMEO has perhaps got a part of the frame.
 * It gets no more frames, and ends when it reads the end of file.
 */
static void
send_to_node(const struct stn_process_group_node *node,
	     enum stn_wireup_frame_type type, const void *body, size_t size)
{
	if (stn_wireup_frame_send(node->socket, type, body, size) == STN_LOST)
		shutdown(node->socket, SHUT_WR);
}

void
stn_process_group_send(struct stn_process_group *group,
		       enum stn_wireup_frame_type type, const void *body,
		       size_t size)
{
	for (uint32_t i = 0; group->nodes && i < group->count; i++)
		send_to_node(&group->nodes[i], type, body, size);
}

void
stn_process_group_send_one(struct stn_process_group *group, uint32_t rank,
			   enum stn_wireup_frame_type type, const void *body,
			   size_t size)
{
	if (group->nodes && rank - group->first < group->count)
		send_to_node(node_of(group, rank), type, body, size);
}

void
stn_process_group_kill_node(struct stn_process_group *group, uint32_t rank)
{
	if (group->nodes && rank - group->first < group->count)
		kill_node(group, rank, node_of(group, rank)->pid);
}

bool
stn_process_group_interrupt(struct stn_process_group *group, uint32_t rank,
			    bool typed)
{
	pid_t pid = group->nodes && rank - group->first < group->count
			    ? node_of(group, rank)->pid
			    : 0;

	return pid && ((typed && !rank && group->terminal) ||
		       !kill(pid, SIGINT));
}

void
stn_process_group_kill(struct stn_process_group *group)
{
	for (uint32_t i = 0; group->nodes && i < group->count; i++)
		kill_node(group, group->first + i, group->nodes[i].pid);
}
