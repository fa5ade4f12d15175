#include "node/trace/rings.h"

#include <stdlib.h>
#include <string.h>

#define LEAST 16 /* events of a ring */

/* The largest power of two that is not above the number of events, less 1. */
static uint64_t
mask_for(uint64_t events)
{
	uint64_t room = LEAST;

	while (2 * room <= events)
		room *= 2;
	return room - 1;
}

/* The kernel gives memory only to the part that is used. */
static enum stn_err
ring_init(struct stn_trace_ring *ring, uint64_t events)
{
	ring->mask = mask_for(events);
	ring->events = calloc(ring->mask + 1, sizeof(ring->events[0]));
	return ring->events ? STN_OK : STN_NO_MEMORY;
}

/*
 * The node's share of the memory of all nodes. If nodes may join, those with
 * which the run begins have one half, as most of the others may never join.
 */
static uint64_t
trace_share(const struct stn_node *node)
{
	const struct stn_topology *topology = node->topology;
	bool joins = stn_topology_reserved(topology, node->rank);
	uint32_t alike = 0;

	for (uint32_t i = 0; i < topology->nodes; i++)
		alike += stn_topology_reserved(topology, i) == joins;
	if (alike < topology->nodes)
		alike *= 2;
	return node->config->trace_bytes / alike;
}

/*
 * The ring of the net lock gets half of the node's memory; the workers share
 * the rest.
 */
enum stn_err
stn_trace_rings_init(struct stn_trace_rings *rings, struct stn_node *node)
{
	uint64_t events = trace_share(node) / sizeof(struct stn_trace_event) / 2;
	enum stn_err err = ring_init(&rings->net, events);

	rings->workers = node->worker_count;
	rings->each = calloc(rings->workers, sizeof(rings->each[0]));
	if (err || !rings->each)
		return STN_NO_MEMORY;
	for (uint32_t i = 0; !err && i < rings->workers; i++) {
		err = ring_init(&rings->each[i], events / rings->workers);
		node->workers[i].trace = &rings->each[i];
	}
	node->trace = &rings->net;
	return err;
}

void
stn_trace_rings_fini(struct stn_trace_rings *rings)
{
	for (uint32_t i = 0; rings->each && i < rings->workers; i++)
		free(rings->each[i].events);
	free(rings->each);
	free(rings->net.events);
	*rings = (struct stn_trace_rings){ .workers = 0 };
}

/* The owners of the rings record no more. */
static void
stop_recording(struct stn_node *node)
{
	node->trace = NULL;
	for (uint32_t i = 0; i < node->worker_count; i++)
		node->workers[i].trace = NULL;
}

/*
 * Copies the events from the oldest to the newest. A worker that records more
 * meanwhile, if @live, overwrites the oldest ones: these are dropped
 * afterwards, and with them the one in whose place it may be writing now. For
 * the language the two race; words that are copied one by one with relaxed
 * atomics would not, but stn_trace_put would then cost each event more.
 */
__attribute__((no_sanitize("thread"))) static void
ring_copy(const struct stn_trace_ring *ring, bool live,
	  struct stn_trace_part *part)
{
	uint64_t end = atomic_load_explicit(&ring->count, memory_order_acquire);
	uint64_t room = ring->mask + 1, now;
	uint64_t first = end > room ? end - room : 0, oldest = first;
	struct stn_trace_event *copies = part->events + part->count;

	for (uint64_t i = first; i < end; i++)
		copies[i - first] = ring->events[i & ring->mask];
	/* The events were read before this count. */
	atomic_thread_fence(memory_order_acquire);
	now = atomic_load_explicit(&ring->count, memory_order_relaxed);
	if (live && now >= room)
		oldest = now - room + 1 < end ? now - room + 1 : end;
	if (oldest > first)
		memmove(copies, copies + (oldest - first),
			(end - oldest) * sizeof(copies[0]));
	part->count += end - oldest;
	part->lost += oldest;
}

/* Adds what the workers have measured of the graph of tasks. */
static void
measure(const struct stn_node *node, struct stn_trace_part *part)
{
	bool tasks = node->sim || stn_config_traces_tasks(node->config);

	part->work_ns = 0;
	for (uint32_t i = 0; i < node->worker_count; i++) {
		const struct stn_graph *graph = &node->workers[i].graph;

		tasks = tasks && !graph->partial;
		part->work_ns += graph->work_ns;
		part->span_ns += graph->span_ns;
	}
	if (!tasks)
		part->work_ns = STN_FOREVER;
}

static enum stn_err
rings_copy(const struct stn_trace_rings *rings, bool live,
	   struct stn_trace_part *part)
{
	size_t count = rings->net.mask + 1;

	/* The kernel gives memory only to the part that is used. */
	for (uint32_t i = 0; i < rings->workers; i++)
		count += rings->each[i].mask + 1;
	*part = (struct stn_trace_part){ .workers = rings->workers,
					 .work_ns = STN_FOREVER };
	part->events = malloc((count + 1) * sizeof(part->events[0])); /* main */
	if (!part->events)
		return STN_NO_MEMORY;
	ring_copy(&rings->net, live, part);
	for (uint32_t i = 0; i < rings->workers; i++)
		ring_copy(&rings->each[i], live, part);
	return STN_OK;
}

enum stn_err
stn_trace_rings_copy(const struct stn_trace_rings *rings,
		     struct stn_trace_part *part)
{
	return rings_copy(rings, true, part);
}

enum stn_err
stn_trace_rings_take(struct stn_trace_rings *rings, struct stn_node *node,
		     struct stn_trace_part *part)
{
	stop_recording(node);
	if (rings_copy(rings, false, part))
		return STN_NO_MEMORY;
	measure(node, part);
	stn_trace_rings_fini(rings);
	return STN_OK;
}

void
stn_trace_span(struct stn_worker *worker, uint8_t kind, uint64_t began,
	       int64_t number, uint32_t other)
{
	const struct stn_trace_event event = {
		.begin_ns = began,
		.end_ns = stn_node_now(worker->node),
		.number = number,
		.other = other,
		.thread = (uint16_t)worker->number,
		.kind = kind,
	};

	stn_trace_put(worker->trace, &event);
}
