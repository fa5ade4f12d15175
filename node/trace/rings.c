#include "node/trace/rings.h"

#include <stdlib.h>

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
 * The ring of the net lock gets half of the node's memory; the workers share
 * the rest.
 */
enum stn_err
stn_trace_rings_init(struct stn_trace_rings *rings, struct stn_node *node)
{
	uint64_t events = node->config->trace_bytes /
			  sizeof(struct stn_trace_event) /
			  node->topology->nodes / 2;
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

static size_t
kept(const struct stn_trace_ring *ring)
{
	return ring->count <= ring->mask ? ring->count : ring->mask + 1;
}

/* Copies the events from the oldest to the newest. */
static void
ring_take(const struct stn_trace_ring *ring, struct stn_trace_part *part)
{
	size_t count = kept(ring);

	for (uint64_t i = ring->count - count; i < ring->count; i++)
		part->events[part->count++] = ring->events[i & ring->mask];
	part->lost += ring->count - count;
}

/* Adds what the workers have measured of the graph of tasks. */
static void
measure(const struct stn_node *node, struct stn_trace_part *part)
{
	bool tasks = node->sim || stn_config_traces_tasks(node->config);

	for (uint32_t i = 0; i < node->worker_count; i++) {
		const struct stn_graph *graph = &node->workers[i].graph;

		tasks = tasks && !graph->partial;
		part->work_ns += graph->work_ns;
		part->span_ns += graph->span_ns;
	}
	if (!tasks)
		part->work_ns = STN_FOREVER;
}

enum stn_err
stn_trace_rings_take(struct stn_trace_rings *rings, struct stn_node *node,
		     struct stn_trace_part *part)
{
	size_t count = kept(&rings->net);

	stop_recording(node);
	for (uint32_t i = 0; i < rings->workers; i++)
		count += kept(&rings->each[i]);
	*part = (struct stn_trace_part){ .workers = rings->workers };
	part->events = malloc((count + 1) * sizeof(part->events[0]));
	if (!part->events)
		return STN_NO_MEMORY;
	measure(node, part);
	ring_take(&rings->net, part);
	for (uint32_t i = 0; i < rings->workers; i++)
		ring_take(&rings->each[i], part);
	stn_trace_rings_fini(rings);
	return STN_OK;
}
