#include "node/trace/cut.h"

#include <stdlib.h>
#include <unistd.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "node/sleep.h"
#include "node/trace/trace.h"

/* How long the root waits for events, at most. */
#define CUT_NS 1000000000ull
#define CUT_LOOK_US 2000

void
stn_trace_take_cut(struct stn_trace *trace)
{
	struct stn_node *node = trace->node;

	if (trace->ended || trace->sending || trace->exchanges)
		return;
	free(trace->own.events);
	if (stn_trace_rings_copy(&trace->rings, &trace->own))
		stn_node_fail(node, "out of memory for a trace");
	stn_trace_add_main(node, &trace->own);
	stn_trace_report(trace);
}

/* The run has failed already, so an error needs no more than its message. */
static void
write_parts(struct stn_trace *trace, const struct stn_trace_part *parts)
{
	if (stn_trace_file_write(&trace->file, trace->node, parts))
		stn_trace_file_fini(&trace->file);
}

static void
tell_cut(struct stn_trace *trace)
{
	const struct stn_node *node = trace->node;

	for (uint32_t i = 0; i < node->topology->nodes; i++)
		if (i != node->rank && stn_members_has(&node->members, i))
			stn_node_say(trace->node, i, STN_CUT, NULL, 0);
	stn_trace_take_cut(trace);
}

/* A node whose workers have ended does not answer. */
static void
await_parts(const struct stn_trace *trace)
{
	struct stn_node *node = trace->node;
	uint64_t end = stn_node_now(node) + CUT_NS;

	while (!trace->ended && !stn_trace_has_all(trace, trace->cut) &&
	       stn_node_now(node) < end) {
		stn_node_leave(node);
		usleep(CUT_LOOK_US);
		stn_node_enter(node);
	}
}

/* Leaves a node whose transport may be closed, or will be at once. */
static void
unlock(struct stn_node *node)
{
	pthread_mutex_unlock(&node->net);
}

/* The file is written without the net lock: the run may go on. */
void
stn_trace_cut(void *state)
{
	struct stn_trace *trace = state;
	struct stn_trace_part *parts;
	struct stn_node *node;

	if (!trace)
		return;
	node = trace->node;
	stn_node_enter(node);
	if (!stn_node_is_root(node) || !node->began_main || trace->ended) {
		unlock(node);
		return;
	}
	trace->cutting = true;
	stn_trace_make_parts(trace, &trace->cut);
	tell_cut(trace);
	await_parts(trace);
	parts = trace->cut;
	trace->cut = NULL;
	stn_node_leave(node);
	write_parts(trace, parts);
	stn_trace_free_parts(trace, parts);
	stn_node_enter(node);
	trace->cutting = false;
	unlock(node);
	stn_node_wake(node);
}

void
stn_trace_interrupted(struct stn_node *const *nodes, uint32_t count)
{
	struct stn_trace *root = NULL;

	for (uint32_t i = 0; i < count; i++) {
		struct stn_trace *trace =
			nodes[i] ? stn_node_state(nodes[i], &stn_trace_service)
				 : NULL;

		if (!trace)
			continue;
		if (!root)
			root = trace;
		stn_trace_make_parts(root, &root->parts);
		if (!trace->ended &&
		    stn_trace_rings_copy(&trace->rings, &trace->own))
			return;
		if (!trace->ended)
			stn_trace_add_main(nodes[i], &trace->own);
		if (trace->own.events) {
			stn_trace_keep(root->parts, i, &trace->own);
			trace->own.events = NULL;
		}
	}
	if (root)
		write_parts(root, root->parts);
}
