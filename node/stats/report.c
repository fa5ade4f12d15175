#include "node/stats/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "node/sleep.h"
#include "node/stats/summary_show.h"
#include "node/worker.h"

struct report {
	struct stn_node *node;
	struct stn_tally_layout layout;
	struct stn_tally own;
	bool summed;		   /* own has been computed */
	struct stn_tally *all;	   /* on node 0: the tallies by rank */
	bool shown;		   /* they have been shown */
	_Atomic(uint32_t) reports; /* STATS messages that arrived, or left */
	FILE *json;		   /* on node 0: the file, or NULL */
};

static const struct stn_kind kinds[] = {
	{ .number = STN_EXIT, .name = "exit" },
	{ .number = STN_STATS, .name = "stats" },
};

static void
report_close(void *state)
{
	struct report *report = state;

	if (report->json)
		fclose(report->json);
	free(report->all);
	free(report);
}

static enum stn_err
report_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	report->node = node;
	report->layout = stn_tally_layout(node->services);
	if (!node->rank) {
		report->all =
			calloc(node->topology->nodes, sizeof(report->all[0]));
		if (!report->all) {
			report_close(report);
			return stn_because(why, STN_NO_MEMORY, "out of memory");
		}
	}
	*state_p = report;
	return STN_OK;
}

/*
 * On node 0: opens the JSON file if one is wanted; not before, so that a run
 * whose transport can't be opened leaves the file as it was.
 */
static enum stn_err
report_begin(void *state, struct stn_why *why)
{
	struct report *report = state;
	const char *json = report->node->config->stats.json;

	if (report->node->rank || !*json)
		return STN_OK;
	report->json = fopen(json, "we");
	if (report->json)
		return STN_OK;
	return stn_because(why, STN_IO, "can't write statistics to %.100s: %s",
			   json, strerror(errno));
}

/* Tells all other nodes that main has returned. */
static void
report_over(void *state)
{
	struct report *report = state;
	struct stn_node *node = report->node;

	for (uint32_t i = 0; i < node->topology->nodes; i++)
		if (i != node->rank)
			stn_node_say(node, i, STN_EXIT, NULL, 0);
}

static void
stats_landed(void *arg, enum stn_err err)
{
	struct report *report = arg;

	if (err)
		stn_node_fail(report->node, "statistics were lost: %s",
			      stn_err_text(err));
	report->reports++;
	stn_node_wake(report->node);
}

static void
take_stats(struct report *report, const struct stn_message *message)
{
	struct iovec piece = { NULL, report->layout.bytes };

	if (!report->all)
		stn_node_fail(report->node,
			      "node %" PRIu32 " reports to the wrong node",
			      message->from);
	piece.iov_base = &report->all[message->from];
	stn_transport_take(report->node->transport, message, &piece, 1,
			   stats_landed, report);
}

static enum stn_err
report_handle(void *state, const struct stn_message *message)
{
	struct report *report = state;
	bool exits = message->kind == STN_EXIT;

	if (message->header_bytes ||
	    message->payload_bytes != (exits ? 0 : report->layout.bytes))
		return STN_MALFORMED;
	if (exits)
		stn_workers_stop(report->node);
	else
		take_stats(report, message);
	return STN_OK;
}

/*
 * Adds up the counts of the node's workers, of the node, and of its services.
 */
static void
sum_counts(struct report *report)
{
	struct stn_node *node = report->node;
	struct stn_counts *core = &report->own.core;

	memset(&report->own, 0, sizeof(report->own));
	*core = node->counts;
	for (uint32_t i = 0; i < node->worker_count; i++) {
		const struct stn_counts *worker = &node->workers[i].counts;

		core->working_ns += worker->working_ns;
		core->communicating_ns += worker->communicating_ns;
		core->idle_ns += worker->idle_ns;
		core->sync_ns += worker->sync_ns;
	}
	core->bytes_copied =
		stn_transport_traffic(node->transport).bytes_copied;
	stn_counts_finish(core);
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->count)
			node->services[i]->count(node->states[i], &report->own);
	report->summed = true;
}

static void
report_left(void *arg, enum stn_err err)
{
	struct report *report = arg;

	if (err && err != STN_CANCELLED)
		stn_node_miss(report->node, 0, "node 0 is gone");
	report->reports++;
	stn_node_wake(report->node);
}

static bool
is_reported(void *arg)
{
	const struct report *report = arg;
	const struct stn_node *node = report->node;

	return report->reports >= (node->rank ? 1 : node->topology->nodes - 1);
}

static enum stn_err
close_json(struct report *report)
{
	bool failed = ferror(report->json);

	failed |= fclose(report->json);
	report->json = NULL;
	if (!failed)
		return STN_OK;
	fprintf(stderr, "sateen: can't write statistics to %s: %s\n",
		report->node->config->stats.json, strerror(errno));
	return STN_IO;
}

/* Shows the counts of all nodes; if the run was @interrupted, those so far. */
static enum stn_err
report_show(struct report *report, bool interrupted)
{
	const struct stn_node *node = report->node;
	const struct stn_summary summary = {
		.config = node->config,
		.topology = node->topology,
		.layout = &report->layout,
		.workers = node->worker_count,
		.argc = node->start.argc,
		.argv = node->start.argv,
		.run_ns = node->run_ns,
		.nodes = report->all,
		.interrupted = interrupted,
	};

	report->shown = true;
	if (report->json)
		stn_summary_json(&summary, report->json);
	else
		stn_summary_table(&summary, stderr);
	if (!interrupted)
		stn_summary_complain(&summary, stderr);
	return report->json ? close_json(report) : STN_OK;
}

static enum stn_err
report_finish(void *state)
{
	struct report *report = state;
	struct stn_node *node = report->node;
	struct iovec piece = { &report->own, report->layout.bytes };

	stn_node_enter(node);
	sum_counts(report);
	if (node->rank)
		stn_node_send(node, 0, STN_STATS, NULL, 0, &piece, 1,
			      report_left, report);
	else
		report->all[0] = report->own;
	stn_node_leave(node);
	stn_node_await(node, is_reported, report);
	if (node->rank || !node->config->stats.wanted)
		return STN_OK;
	return report_show(report, false);
}

/* Runs between two events of a simulation, when no node counts. */
static void
report_interrupted(struct stn_node *const *nodes, uint32_t count)
{
	struct stn_node *first = nodes[0];
	struct report *report;

	if (!first || !first->config->stats.wanted)
		return;
	report = stn_node_state(first, &stn_report_service);
	if (report->shown)
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct report *part;

		if (!nodes[i])
			continue;
		part = stn_node_state(nodes[i], &stn_report_service);
		if (!part->summed) {
			stn_worker_tally(&nodes[i]->workers[0]);
			sum_counts(part);
		}
		report->all[i] = part->own;
	}
	if (!first->run_ns)
		first->run_ns =
			stn_node_now(first) - first->workers[0].begin_ns;
	(void)report_show(report, true); /* the run has failed already */
}

const struct stn_service stn_report_service = {
	.name = "report",
	.kinds = kinds,
	.kind_count = sizeof(kinds) / sizeof(kinds[0]),
	.open = report_open,
	.begin = report_begin,
	.close = report_close,
	.handle = report_handle,
	.over = report_over,
	.finish = report_finish,
	.interrupted = report_interrupted,
};
