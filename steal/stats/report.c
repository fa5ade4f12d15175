/*
 * report.c: the statistics of a run: each node adds up its own, tells node 0,
 * and node 0 shows them.
 */
#include <errno.h>
#include <stdlib.h>

#include "steal/stats/price.h"
#include "steal/stats/summary.h"

enum stn_err
stn_report_open(struct stn_node *node, struct stn_why *why)
{
	const char *json = node->config.stats.json;

	if (node->config.stats.wanted && !node->sim) {
		node->price = stn_price(node, true);
		node->plain_price = stn_price(node, node->balancer->longer);
	}
	if (node->rank)
		return STN_OK;
	node->all_stats =
		calloc(node->topology.nodes, sizeof(node->all_stats[0]));
	if (!node->all_stats)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	if (!*json)
		return STN_OK;
	node->stats_file = fopen(json, "we");
	if (node->stats_file)
		return STN_OK;
	free(node->all_stats);
	return stn_because(why, STN_IO, "can't write statistics to %.100s: %s",
			   json, strerror(errno));
}

void
stn_report_close(struct stn_node *node)
{
	if (node->stats_file)
		fclose(node->stats_file);
	node->stats_file = NULL;
	free(node->all_stats);
}

static uint64_t
results(const struct stn_stats *stats, bool wide)
{
	return stats->sent[wide][STN_RESULT].messages;
}

static struct stn_mail
all_kinds(const struct stn_mail mails[STN_STATS_KINDS])
{
	struct stn_mail sum = { 0 };

	for (int i = 0; i < STN_STATS_KINDS; i++) {
		sum.messages += mails[i].messages;
		sum.bytes += mails[i].bytes;
	}
	return sum;
}

/* What follows from what was counted. */
static void
finish_stats(const struct stn_node *node, struct stn_stats *stats)
{
	const struct stn_mail lan = all_kinds(stats->sent[false]);
	const struct stn_mail wan = all_kinds(stats->sent[true]);
	uint64_t plain = stats->spawned * node->plain_price / STN_PRICE_CALLS;

	stats->executed = stats->executed_here + stats->executed_elsewhere;
	stats->results_lan = results(stats, false);
	stats->results_wan = results(stats, true);
	stats->messages_lan = lan.messages;
	stats->bytes_lan = lan.bytes;
	stats->messages_wan = wan.messages;
	stats->bytes_wan = wan.bytes;
	stats->overhead_ns = stats->spawned * node->price / STN_PRICE_CALLS;
	if (stats->overhead_ns > plain)
		stats->counting_ns = stats->overhead_ns - plain;
}

/* Adds up what this node's workers and its network side have counted. */
static void
sum_stats(struct stn_node *node)
{
	struct stn_stats *sum = &node->stats;

	for (uint32_t i = 0; i < node->worker_count; i++) {
		stn_stats_add(sum, &node->workers[i].stats);
		sum->work_units += node->workers[i].deque.work;
	}
	sum->held = node->held_count;
	sum->bytes_copied = stn_transport_traffic(node->transport).bytes_copied;
	finish_stats(node, sum);
	node->summed = true;
}

static void
report_left(void *arg, enum stn_err err)
{
	struct stn_node *node = arg;

	if (err && err != STN_CANCELLED)
		stn_node_miss(node, 0, "node 0 is gone");
	node->reports++;
	stn_node_wake(node);
}

/* Waits until it is so; whatever makes it so wakes the node. */
static void
await(struct stn_node *node, bool (*is_so)(struct stn_node *))
{
	node->sleepers++;
	for (;;) {
		uint32_t generation = node->generation;

		if (is_so(node))
			break;
		stn_node_doze(node, generation, STN_FOREVER);
	}
	node->sleepers--;
}

/* What was asked at the very end, too. */
static bool
answered(struct stn_node *node)
{
	return !node->asking;
}

static bool
reported(struct stn_node *node)
{
	return node->reports >= (node->rank ? 1 : node->topology.nodes - 1);
}

/* Of all nodes; so far, if that is all there will be. */
static enum stn_err
show(struct stn_node *node, bool interrupted)
{
	const struct stn_summary summary = {
		.config = &node->config,
		.topology = &node->topology,
		.workers = node->worker_count,
		.argc = node->argc,
		.argv = node->argv,
		.run_ns = node->run_ns,
		.nodes = node->all_stats,
		.interrupted = interrupted,
	};
	FILE *json = node->stats_file;
	bool failed;

	node->shown = true;
	if (json)
		stn_summary_json(&summary, json);
	else
		stn_summary_table(&summary, stderr);
	if (!interrupted)
		stn_summary_complain(&summary, stderr);
	if (!json)
		return STN_OK;
	failed = ferror(json);
	node->stats_file = NULL;
	if (!fclose(json) && !failed)
		return STN_OK;
	fprintf(stderr, "sateen: can't write statistics to %s: %s\n",
		node->config.stats.json, strerror(errno));
	return STN_IO;
}

enum stn_err
stn_report(struct stn_node *node)
{
	struct iovec piece = { &node->report, sizeof(node->report) };

	await(node, answered);
	stn_node_enter(node);
	sum_stats(node);
	node->report = node->stats;
	if (node->rank)
		stn_node_send(node, 0, STN_STATS, NULL, 0, &piece, 1,
			      report_left, node);
	else
		node->all_stats[0] = node->stats;
	stn_node_leave(node);
	await(node, reported);
	if (node->rank || !node->config.stats.wanted)
		return STN_OK;
	return show(node, false);
}

/* Between two events all locks are free, and nobody counts. */
void
stn_report_broken(struct stn_node *const *nodes, uint32_t count)
{
	struct stn_node *first = nodes[0];

	if (!first || !first->config.stats.wanted || first->shown)
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct stn_node *node = nodes[i];

		if (!node)
			continue;
		if (!node->summed) {
			stn_worker_tally(&node->workers[0]);
			sum_stats(node);
		}
		first->all_stats[i] = node->stats;
	}
	if (!first->run_ns)
		first->run_ns =
			stn_node_now(first) - first->workers[0].begin_ns;
	(void)show(first, true); /* the run has failed anyway */
}
