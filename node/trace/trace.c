/*
 * trace.c: the end of a traced run. A node first compares its clock with the
 * root's, then sends its events. If the root dies, it does both again with the
 * next root.
 */
#include "node/trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "node/sleep.h"
#include "node/trace/cut.h"

#define EXCHANGES 8 /* of times; the fastest one counts */

/* The headers; see trace.h. */
struct clock_header {
	uint64_t asked_ns;
};

struct time_header {
	uint64_t asked_ns, root_ns;
};

struct trace_header {
	int64_t offset_ns;
	uint64_t error_ns, lost, workers, work_ns, span_ns;
	uint64_t final; /* 0: the events until an interruption */
};

static const struct stn_kind kinds[] = {
	{ .number = STN_CLOCK, .name = "clock" },
	{ .number = STN_TIME, .name = "time" },
	{ .number = STN_TRACE, .name = "trace" },
	{ .number = STN_CUT, .name = "cut" },
};

static void
trace_close(void *state)
{
	struct stn_trace *trace = state;

	stn_trace_free_parts(trace, trace->parts);
	stn_trace_free_parts(trace, trace->cut);
	free(trace->own.events);
	stn_trace_rings_fini(&trace->rings);
	stn_trace_file_fini(&trace->file);
	free(trace);
}

/* In a run without a trace there is no state. */
static enum stn_err
trace_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	struct stn_trace *trace;

	if (!stn_config_traces(node->config))
		return STN_OK;
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	trace->node = node;
	if (stn_trace_rings_init(&trace->rings, node)) {
		trace_close(trace);
		return stn_because(why, STN_NO_MEMORY,
				   "no memory for a trace; lower "
				   "--trace-memory");
	}
	*state_p = trace;
	return STN_OK;
}

static enum stn_err
trace_begin(void *state, struct stn_why *why)
{
	struct stn_trace *trace = state;

	return trace && !trace->node->rank
		       ? stn_trace_file_open(&trace->file, trace->node, why)
		       : STN_OK;
}

void
stn_trace_make_parts(const struct stn_trace *trace,
		     struct stn_trace_part **parts_p)
{
	if (!*parts_p)
		*parts_p =
			calloc(trace->node->topology->nodes, sizeof(**parts_p));
	if (!*parts_p)
		stn_node_fail(trace->node, "out of memory for a trace");
}

void
stn_trace_free_parts(const struct stn_trace *trace,
		     struct stn_trace_part *parts)
{
	for (uint32_t i = 0; parts && i < trace->node->topology->nodes; i++)
		free(parts[i].events);
	free(parts);
}

void
stn_trace_keep(struct stn_trace_part *parts, uint32_t rank,
	       const struct stn_trace_part *part)
{
	free(parts[rank].events);
	parts[rank] = *part;
}

static void
keep_own_events(struct stn_trace *trace)
{
	struct stn_trace_part **parts_p =
		trace->ended ? &trace->parts : &trace->cut;

	stn_trace_make_parts(trace, parts_p);
	stn_trace_keep(*parts_p, trace->node->rank, &trace->own);
	trace->own.events = NULL;
}

/* A TRACE that is leaving. */
struct leaving {
	struct stn_trace *trace;
	struct trace_header header;
	struct stn_trace_event *events;
};

static void
trace_left(void *arg, enum stn_err err)
{
	struct leaving *leaving = arg;
	struct stn_trace *trace = leaving->trace;
	struct stn_trace_event *events = leaving->events;
	struct stn_node *node = trace->node;
	bool last = events == trace->own.events;

	free(leaving);
	stn_node_must_arrive(node, "a trace", err);
	if (err && err != STN_CANCELLED && !node->start.host.suspect)
		stn_node_miss(node, node->members.root,
			      "node %" PRIu32 " is gone", node->members.root);
	trace->sending--;
	trace->sent |= last && !err;
	if (!last) { /* of an interruption */
		free(events);
	} else if (!node->start.host.suspect) { /* no other root will ask */
		free(events);
		trace->own.events = NULL;
	}
	stn_node_wake(node);
}

static void
send_events(struct stn_trace *trace)
{
	const struct stn_trace_part *own = &trace->own;
	struct leaving *leaving = malloc(sizeof(*leaving));
	struct iovec piece = { own->events,
			       own->count * sizeof(own->events[0]) };

	if (!leaving)
		stn_node_fail(trace->node, "out of memory for a trace");
	leaving->trace = trace;
	leaving->events = own->events;
	leaving->header = (struct trace_header){ own->offset_ns, own->error_ns,
						 own->lost,	 own->workers,
						 own->work_ns,	 own->span_ns,
						 trace->ended };
	trace->sending++;
	stn_node_send(trace->node, trace->node->members.root, STN_TRACE,
		      &leaving->header, sizeof(leaving->header), &piece,
		      piece.iov_len != 0, trace_left, leaving);
}

static void
ask_time(struct stn_trace *trace)
{
	const struct clock_header header = { stn_node_now(trace->node) };

	stn_node_say(trace->node, trace->node->members.root, STN_CLOCK, &header,
		     sizeof(header));
}

void
stn_trace_report(struct stn_trace *trace)
{
	struct stn_node *node = trace->node;

	trace->sent = false;
	trace->trip_ns = UINT64_MAX;
	trace->exchanges = 0;
	trace->own.offset_ns = 0;
	trace->own.error_ns = 0;
	if (stn_node_is_root(node)) {
		keep_own_events(trace);
	} else if (node->sim || stn_transport_same_host(node->transport,
							node->members.root)) {
		send_events(trace);
	} else {
		trace->exchanges = EXCHANGES;
		ask_time(trace);
	}
}

static void
take_time(struct stn_trace *trace, const struct time_header *header)
{
	uint64_t now = stn_node_now(trace->node);
	uint64_t trip = now - header->asked_ns;

	if (trip < trace->trip_ns) {
		trace->trip_ns = trip;
		trace->own.offset_ns = (int64_t)(header->root_ns -
						 header->asked_ns - trip / 2);
		trace->own.error_ns = trip / 2 + 1;
	}
	if (--trace->exchanges)
		ask_time(trace);
	else
		send_events(trace);
}

void
stn_trace_add_main(const struct stn_node *node, struct stn_trace_part *part)
{
	bool ran = atomic_load_explicit(&node->ran_main, memory_order_acquire);

	if (node->began_main)
		part->events[part->count++] = (struct stn_trace_event){
			.begin_ns = node->main_begin_ns,
			.end_ns = ran ? node->main_begin_ns + node->run_ns
				      : stn_node_now(node),
			.other = STN_NOBODY,
			.thread = (uint16_t)node->main_worker,
			.kind = STN_TRACE_MAIN
		};
}

/* Events that are arriving. */
struct landing {
	struct stn_trace *trace;
	uint32_t from;
	struct stn_trace_part part;
	bool final; /* see struct trace_header */
};

/* Events of an interruption that come after its end are dropped. */
static void
keep_landed(struct stn_trace *trace, const struct landing *landing)
{
	if (landing->final)
		stn_trace_make_parts(trace, &trace->parts);
	if (landing->final)
		stn_trace_keep(trace->parts, landing->from, &landing->part);
	else if (trace->cut)
		stn_trace_keep(trace->cut, landing->from, &landing->part);
	else
		free(landing->part.events);
}

static void
events_landed(void *arg, enum stn_err err)
{
	struct landing *landing = arg;
	struct stn_trace *trace = landing->trace;
	struct stn_node *node = trace->node;

	stn_node_must_arrive(node, "a trace", err);
	if (err && !node->start.host.suspect)
		stn_node_fail(node, "a trace was lost: %s", stn_err_text(err));
	if (!err && stn_trace_parse(node, &landing->part))
		stn_node_fail(node, "node %" PRIu32 " sent a malformed trace",
			      landing->from);
	if (err)
		free(landing->part.events);
	else
		keep_landed(trace, landing);
	free(landing);
	stn_node_wake(node);
}

static void
take_trace(struct stn_trace *trace, const struct stn_message *message)
{
	struct stn_node *node = trace->node;
	struct landing *landing = calloc(1, sizeof(*landing));
	struct stn_trace_part *part;
	struct trace_header header;

	if (!landing)
		stn_node_fail(node, "out of memory for a trace");
	memcpy(&header, message->header, sizeof(header));
	landing->trace = trace;
	landing->from = message->from;
	landing->final = header.final;
	part = &landing->part;
	part->count = message->payload_bytes / sizeof(part->events[0]);
	part->events = malloc(message->payload_bytes + 1);
	part->offset_ns = header.offset_ns;
	part->error_ns = header.error_ns;
	part->lost = header.lost;
	part->workers = (uint32_t)header.workers;
	part->work_ns = header.work_ns;
	part->span_ns = header.span_ns;
	if (!part->events)
		stn_node_fail(node, "out of memory for a trace");
	stn_transport_take(
		node->transport, message,
		&(struct iovec){ part->events, message->payload_bytes }, 1,
		events_landed, landing);
}

/* The bytes of headers, from CLOCK on. */
static const size_t header_bytes[] = { sizeof(struct clock_header),
				       sizeof(struct time_header),
				       sizeof(struct trace_header) };

static bool
has_sizes(const struct stn_trace *trace, const struct stn_message *message)
{
	size_t bytes = message->kind == STN_CUT
			       ? 0
			       : header_bytes[message->kind - STN_CLOCK];

	if (!trace || message->header_bytes != bytes)
		return false;
	if (message->kind != STN_TRACE)
		return !message->payload_bytes;
	return message->payload_bytes % sizeof(struct stn_trace_event) == 0;
}

static void
answer_clock(struct stn_trace *trace, const struct stn_message *message)
{
	struct time_header header;

	memcpy(&header.asked_ns, message->header, sizeof(header.asked_ns));
	header.root_ns = stn_node_now(trace->node);
	stn_node_say(trace->node, message->from, STN_TIME, &header,
		     sizeof(header));
}

static enum stn_err
trace_handle(void *state, const struct stn_message *message)
{
	struct stn_trace *trace = state;
	struct time_header time;

	if (!has_sizes(trace, message))
		return STN_MALFORMED;
	switch (message->kind) {
	case STN_CLOCK:
		answer_clock(trace, message);
		break;
	case STN_TIME:
		memcpy(&time, message->header, sizeof(time));
		/* The answer of a root that has died counts for nothing. */
		if (trace->exchanges &&
		    message->from == trace->node->members.root)
			take_time(trace, &time);
		break;
	case STN_TRACE:
		take_trace(trace, message);
		break;
	case STN_CUT:
		stn_trace_take_cut(trace);
		break;
	}
	return STN_OK;
}

/* A node has died or left. */
static void
trace_died(void *state, uint32_t rank)
{
	struct stn_trace *trace = state;
	struct stn_node *node;

	if (!trace)
		return;
	node = trace->node;
	stn_trace_moment(node,
			 node->members.left > trace->left ? STN_TRACE_LEFT
							  : STN_TRACE_DIED,
			 0, rank);
	trace->left = node->members.left;
	if (rank < node->members.root) { /* it was the root */
		trace->exchanges = 0;
		if (trace->ended)
			stn_trace_report(trace);
	}
	stn_node_wake(node);
}

static void
trace_joined(void *state, uint32_t rank)
{
	struct stn_trace *trace = state;

	if (trace)
		stn_trace_moment(trace->node, STN_TRACE_JOINED, 0, rank);
}

bool
stn_trace_has_all(const struct stn_trace *trace,
		  const struct stn_trace_part *parts)
{
	const struct stn_node *node = trace->node;

	for (uint32_t i = 0; i < node->topology->nodes; i++)
		if (stn_members_has(&node->members, i) &&
		    (!parts || !parts[i].events))
			return false;
	return true;
}

static bool
trace_settled(void *state)
{
	struct stn_trace *trace = state;
	bool settled;

	if (!trace)
		return true;
	stn_node_enter(trace->node);
	settled = stn_node_is_root(trace->node)
			  ? stn_trace_has_all(trace, trace->parts)
			  : trace->sent && !trace->sending;
	settled &= !trace->cutting;
	stn_node_leave(trace->node);
	return settled;
}

static enum stn_err
trace_finish(void *state)
{
	struct stn_trace *trace = state;
	struct stn_node *node;

	if (!trace)
		return STN_OK;
	node = trace->node;
	stn_node_enter(node);
	if (!trace->sending)
		free(trace->own.events); /* else trace_left frees them */
	if (stn_trace_rings_take(&trace->rings, node, &trace->own))
		stn_node_fail(node, "out of memory for a trace");
	stn_trace_add_main(node, &trace->own);
	trace->ended = true;
	stn_trace_report(trace);
	stn_node_leave(node);
	return STN_OK;
}

/* All nodes have ended, and no message is under way. */
static enum stn_err
trace_ended(void *state)
{
	struct stn_trace *trace = state;

	if (!trace || !stn_node_is_root(trace->node) || !trace->parts)
		return STN_OK;
	return stn_trace_file_write(&trace->file, trace->node, trace->parts);
}

const struct stn_service stn_trace_service = {
	.name = "trace",
	.kinds = kinds,
	.kind_count = sizeof(kinds) / sizeof(kinds[0]),
	.open = trace_open,
	.begin = trace_begin,
	.close = trace_close,
	.handle = trace_handle,
	.died = trace_died,
	.joined = trace_joined,
	.finish = trace_finish,
	.settled = trace_settled,
	.ended = trace_ended,
	.cut = stn_trace_cut,
	.interrupted = stn_trace_interrupted,
};
