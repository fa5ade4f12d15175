#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "node/trace/chrome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "node/stats/json.h"
#include "node/trace/arrows.h"

#define FLAT 2 /* in the file, each event is one line */

struct chrome {
	const struct stn_node *node;
	const struct stn_trace_part *parts;
	uint64_t first_ns; /* on the root's clock */
	struct stn_json json;
};

/* The file's times are in us. */
static void
write_time(struct chrome *chrome, uint32_t rank, uint64_t ns)
{
	stn_json_thousandths(&chrome->json, "ts",
			     stn_trace_on_root(&chrome->parts[rank], ns) -
				     chrome->first_ns);
}

static enum stn_err
number_arrows(const struct stn_trace_part *parts, uint32_t nodes)
{
	struct stn_trace_arrow *arrows;
	size_t count;

	if (stn_trace_arrows(parts, nodes, &arrows, &count))
		return STN_NO_MEMORY;
	for (uint32_t i = 0; i < nodes; i++)
		for (size_t j = 0; j < parts[i].count; j++)
			parts[i].events[j].arrow = 0;
	for (size_t i = 0; i < count; i++) {
		arrows[i].from.event->arrow = (uint32_t)i + 1;
		arrows[i].to.event->arrow = (uint32_t)i + 1;
	}
	free(arrows);
	return STN_OK;
}

static void
find_origin(struct chrome *chrome)
{
	chrome->first_ns = UINT64_MAX;
	for (uint32_t i = 0; i < chrome->node->topology->nodes; i++) {
		const struct stn_trace_part *part = &chrome->parts[i];

		for (size_t j = 0; j < part->count; j++) {
			uint64_t ns = stn_trace_on_root(
				part, part->events[j].begin_ns);

			if (ns < chrome->first_ns)
				chrome->first_ns = ns;
		}
	}
}

/* Has a node with this rank lived? A reserved rank has none until one joins. */
static bool
has_begun(const struct stn_node *node, uint32_t rank)
{
	return stn_members_has(&node->members, rank) ||
	       stn_members_lost(&node->members, rank);
}

/* Begins an event; the caller adds members and closes it. */
static void
open_event(struct chrome *chrome, const char *phase, uint32_t rank,
	   uint32_t thread)
{
	struct stn_json *json = &chrome->json;

	stn_json_open(json, NULL, '{');
	stn_json_text(json, "ph", phase);
	stn_json_integer(json, "pid", rank + 1);
	stn_json_integer(json, "tid", thread + 1);
}

/* Perfetto shows a name for each process and thread. */
static void
write_name(struct chrome *chrome, uint32_t rank, uint32_t thread,
	   const char *what, const char *name)
{
	struct stn_json *json = &chrome->json;

	open_event(chrome, "M", rank, thread);
	stn_json_text(json, "name", what);
	stn_json_open(json, "args", '{');
	stn_json_text(json, "name", name);
	stn_json_close(json, '}');
	stn_json_close(json, '}');
}

static void
write_clock(struct chrome *chrome, uint32_t rank)
{
	const struct stn_trace_part *part = &chrome->parts[rank];
	char text[80];

	if (!part->offset_ns)
		return;
	snprintf(text, sizeof(text),
		 "clock %+" PRId64 " ns, error %" PRIu64 " ns", part->offset_ns,
		 part->error_ns);
	open_event(chrome, "M", rank, 0);
	stn_json_text(&chrome->json, "name", "process_labels");
	stn_json_open(&chrome->json, "args", '{');
	stn_json_text(&chrome->json, "labels", text);
	stn_json_close(&chrome->json, '}');
	stn_json_close(&chrome->json, '}');
}

static void
write_names(struct chrome *chrome, uint32_t rank)
{
	const struct stn_topology *topology = chrome->node->topology;
	uint32_t cluster = stn_cluster_of(topology, rank);
	const char *name = stn_topology_name(topology, cluster);
	char text[160];

	snprintf(text, sizeof(text),
		 "node %" PRIu32 ", cluster %" PRIu32 "%s%s%s", rank, cluster,
		 name ? " (" : "", name ? name : "", name ? ")" : "");
	write_name(chrome, rank, 0, "process_name", text);
	write_clock(chrome, rank);
	for (uint32_t i = 0; i < chrome->parts[rank].workers; i++) {
		snprintf(text, sizeof(text), "worker %" PRIu32, i);
		write_name(chrome, rank, i, "thread_name", text);
	}
	write_name(chrome, rank, STN_TRACE_NET, "thread_name", "messages");
}

static const char *
event_name(const struct chrome *chrome, const struct stn_trace_event *event,
	   const struct stn_trace_kind *kind)
{
	const struct stn_node *node = chrome->node;
	const char *name = NULL;

	if (event->kind <= STN_TRACE_TAKE)
		return stn_node_kind(node, event->message)->name;
	for (size_t i = 0; !name && node->services[i]; i++)
		if (node->services[i]->trace_name)
			name = node->services[i]->trace_name(node->states[i],
							     event);
	return name ? name : kind->name;
}

static void
write_arguments(struct chrome *chrome, const struct stn_trace_event *event,
		const struct stn_trace_kind *kind)
{
	struct stn_json *json = &chrome->json;

	stn_json_open(json, "args", '{');
	if (event->other != STN_NOBODY)
		stn_json_integer(json, "node", event->other);
	if (kind->number_name)
		stn_json_signed(json, kind->number_name, event->number);
	if (event->bytes)
		stn_json_integer(json, "bytes", event->bytes);
	stn_json_close(json, '}');
}

static void
write_event_as(struct chrome *chrome, uint32_t rank,
	       const struct stn_trace_event *event,
	       const struct stn_trace_kind *kind, const char *phase)
{
	struct stn_json *json = &chrome->json;

	open_event(chrome, phase, rank, event->thread);
	stn_json_text(json, "name", event_name(chrome, event, kind));
	stn_json_text(json, "cat", kind->name);
	write_time(chrome, rank,
		   *phase == 'e' ? event->end_ns : event->begin_ns);
}

/*
 * Spans that overlap others are shown by two events with the same id. The id is
 * local: Perfetto shows spans with a global one outside the nodes.
 */
static void
write_apart(struct chrome *chrome, uint32_t rank, size_t place,
	    const struct stn_trace_event *event,
	    const struct stn_trace_kind *kind)
{
	char id[20];

	snprintf(id, sizeof(id), "0x%" PRIx32 "%08" PRIx32, rank + 1,
		 (uint32_t)place);
	for (const char *const *phase = (const char *const[]){ "b", "e", NULL };
	     *phase; phase++) {
		write_event_as(chrome, rank, event, kind, *phase);
		stn_json_open(&chrome->json, "id2", '{');
		stn_json_text(&chrome->json, "local", id);
		stn_json_close(&chrome->json, '}');
		if (**phase == 'b')
			write_arguments(chrome, event, kind);
		stn_json_close(&chrome->json, '}');
	}
}

/*
 * An arrow leads from one span to another. Events of their own for its ends
 * ("s" and "f") would name only a thread and a time, at which a simulated
 * thread may have several spans; viewers would choose the wrong one.
 */
static void
write_arrow(struct chrome *chrome, const struct stn_trace_event *event)
{
	char id[20];

	if (!event->arrow)
		return;
	snprintf(id, sizeof(id), "0x%" PRIx32, event->arrow);
	stn_json_text(&chrome->json, "bind_id", id);
	stn_json_bool(&chrome->json,
		      event->kind == STN_TRACE_SEND ? "flow_out" : "flow_in",
		      true);
}

static void
write_event(struct chrome *chrome, uint32_t rank, size_t place,
	    const struct stn_trace_event *event)
{
	const struct stn_trace_kind *kind =
		stn_trace_kind(chrome->node, event->kind);
	uint64_t span_ns = event->end_ns - event->begin_ns;

	if (kind->shape == STN_TRACE_APART) {
		write_apart(chrome, rank, place, event, kind);
		return;
	}
	write_event_as(chrome, rank, event, kind,
		       kind->shape == STN_TRACE_MOMENT ? "i" : "X");
	if (kind->shape == STN_TRACE_MOMENT)
		stn_json_text(&chrome->json, "s", "p");
	else
		/* Viewers attach arrows only to spans longer than 0. */
		stn_json_thousandths(&chrome->json, "dur",
				     span_ns ? span_ns : 1);
	write_arrow(chrome, event);
	write_arguments(chrome, event, kind);
	stn_json_close(&chrome->json, '}');
}

/* Work and span of the tasks, if the trace has the work of all nodes. */
static void
write_graph(struct chrome *chrome)
{
	const struct stn_node *node = chrome->node;
	uint64_t work_ns = 0, span_ns = 0;

	if (!node->ran_main)
		return;
	for (uint32_t i = 0; i < node->topology->nodes; i++) {
		const struct stn_trace_part *part = &chrome->parts[i];

		if (part->work_ns == STN_FOREVER)
			return;
		work_ns += part->work_ns;
		span_ns += part->span_ns;
	}
	if (node->members.begun != node->members.living)
		return;
	stn_json_integer(&chrome->json, "work_ns", work_ns);
	stn_json_integer(&chrome->json, "span_ns", span_ns);
}

/* If the clusters have names, a list with the names of all. */
static void
write_cluster_list(struct chrome *chrome)
{
	const struct stn_topology *topology = chrome->node->topology;
	struct stn_json *json = &chrome->json;

	if (!topology->name_count)
		return;
	stn_json_open(json, "cluster_names", '[');
	for (uint32_t i = 0; i < topology->clusters; i++) {
		const char *name = stn_topology_name(topology, i);

		stn_json_text(json, NULL, name ? name : "");
	}
	stn_json_close(json, ']');
}

static void
write_about(struct chrome *chrome)
{
	const struct stn_node *node = chrome->node;
	struct stn_json *json = &chrome->json;
	uint64_t lost = 0, error_ns = 0;

	for (uint32_t i = 0; i < node->topology->nodes; i++) {
		lost += chrome->parts[i].lost;
		if (chrome->parts[i].error_ns > error_ns)
			error_ns = chrome->parts[i].error_ns;
	}
	stn_json_open(json, "otherData", '{');
	stn_json_text(json, "sateen", PACKAGE_VERSION);
	stn_json_open(json, "command", '[');
	for (int i = 0; i < node->start.argc; i++)
		stn_json_text(json, NULL, node->start.argv[i]);
	stn_json_close(json, ']');
	stn_json_text(json, "balancer", node->config->balancer);
	stn_json_integer(json, "nodes", node->topology->nodes);
	stn_json_integer(json, "nodes_begun", node->members.begun);
	stn_json_integer(json, "clusters", node->topology->clusters);
	write_cluster_list(chrome);
	stn_json_bool(json, "simulated", node->sim);
	stn_json_bool(json, "interrupted", !node->ran_main);
	stn_json_integer(json, "lost_events", lost);
	stn_json_integer(json, "clock_error_ns", error_ns);
	write_graph(chrome);
	stn_json_close(json, '}');
}

enum stn_err
stn_trace_chrome(const struct stn_node *node,
		 const struct stn_trace_part *parts, FILE *out)
{
	struct chrome chrome = { .node = node,
				 .parts = parts,
				 .json = { .out = out, .flat = FLAT } };

	if (number_arrows(parts, node->topology->nodes))
		return STN_NO_MEMORY;
	find_origin(&chrome);
	stn_json_open(&chrome.json, NULL, '{');
	stn_json_text(&chrome.json, "displayTimeUnit", "ns");
	write_about(&chrome);
	stn_json_open(&chrome.json, "traceEvents", '[');
	/* The names come first: a reader needs the clusters of all nodes. */
	for (uint32_t i = 0; i < node->topology->nodes; i++)
		if (has_begun(node, i))
			write_names(&chrome, i);
	for (uint32_t i = 0; i < node->topology->nodes; i++)
		for (size_t j = 0; j < parts[i].count; j++)
			write_event(&chrome, i, j, &parts[i].events[j]);
	stn_json_close(&chrome.json, ']');
	stn_json_close(&chrome.json, '}');
	return STN_OK;
}
