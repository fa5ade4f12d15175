/*
 * fuzz_trace.c: arbitrary events of two nodes are either rejected, or the trace
 * of the run is written, with pairs of ends for its arrows.
 *
 * Input: offset and error of node 1's clock (64 bits each), events. Node 0 has
 * the first half of the events.
 */
#include <stdio.h>
#include <string.h>

#include "node/trace/arrows.h"
#include "node/trace/chrome.h"
#include "node/trace/trace.h"
#include "steal/traced.h"
#include "tests/fuzz/fuzz.h"

#define NODES 2
#define EVENTS 64

static const struct stn_topology topology = { .nodes = NODES, .clusters = 1 };

/* The kinds of stealing without its state, which names tasks. */
static const struct stn_service stealing = {
	.name = "steal",
	.traced = stn_steal_traced,
	.traced_count = STN_STEAL_TRACED,
};

static const struct stn_service *const services[] = { &stn_trace_service,
						      &stealing, NULL };

static void
make_node(struct stn_node *node, struct stn_config *config)
{
	memset(node, 0, sizeof(*node));
	memset(config, 0, sizeof(*config));
	node->config = config;
	node->topology = &topology;
	node->services = services;
	for (uint8_t i = 0; i < stn_trace_service.kind_count; i++) {
		node->service_of[stn_trace_service.kinds[i].number] = 1;
	}
}

static void
check_arrows(const struct stn_trace_part parts[NODES])
{
	struct stn_trace_arrow *arrows;
	size_t count;

	require(!stn_trace_arrows(parts, NODES, &arrows, &count));
	for (size_t i = 0; i < count; i++) {
		const struct stn_trace_end *from = &arrows[i].from;
		const struct stn_trace_end *to = &arrows[i].to;

		require(from->event->kind == STN_TRACE_SEND &&
			to->event->kind == STN_TRACE_TAKE);
		require(from->event->other == to->node &&
			to->event->other == from->node &&
			from->event->message == to->event->message);
	}
	free(arrows);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stn_trace_event events[EVENTS];
	struct stn_trace_part parts[NODES];
	struct stn_config config;
	struct stn_node node;
	char *text = NULL;
	size_t bytes, count;
	FILE *out;

	if (size < 16)
		return 0;
	count = (size - 16) / sizeof(events[0]);
	count = count < EVENTS ? count : EVENTS;
	memcpy(events, data + 16, count * sizeof(events[0]));
	parts[0] = (struct stn_trace_part){ events, count / 2, 0, 0, 0 };
	parts[1] = (struct stn_trace_part){ events + count / 2,
					    count - count / 2, 0, 0, 0 };
	memcpy(&parts[1].offset_ns, data, 8);
	memcpy(&parts[1].error_ns, data + 8, 8);
	make_node(&node, &config);
	if (stn_trace_parse(&node, &parts[0]) ||
	    stn_trace_parse(&node, &parts[1]))
		return 0;
	check_arrows(parts);
	out = open_memstream(&text, &bytes);
	require(out && !stn_trace_chrome(&node, parts, out));
	require(!fclose(out) && bytes > 2 && text[bytes - 2] == '}');
	free(text);
	return 0;
}
