#include "node/stats/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "node/attend.h"
#include "node/dispatch.h"
#include "node/membership.h"
#include "node/progress.h"
#include "node/sleep.h"
#include "node/stats/report_gather.h"
#include "node/stats/report_show.h"
#include "node/worker.h"

struct report {
	struct stn_node *node;
	struct stn_report_show show;
	struct stn_report_gather gather; /* on the root */
	struct stn_tally_packed *own;	 /* NULL: not computed yet */
	bool over;	    /* on the root: main has returned on it */
	bool told;	    /* the user has been told about the run */
	int status;	    /* main's, as the root has told it */
	uint64_t run_ns;    /* main's duration, likewise */
	uint32_t sending;   /* STATS messages that are leaving */
	bool sent;	    /* the last one has arrived or left */
	uint32_t view;	    /* the last one that all nodes have applied, */
	uint32_t summed_up; /* and of which the host knows the deaths */
};

static const struct stn_kind kinds[] = {
	{ .number = STN_EXIT, .name = "exit" },
	{ .number = STN_STATS, .name = "stats" },
};

static void
report_close(void *state)
{
	struct report *report = state;

	stn_report_show_fini(&report->show);
	stn_report_gather_fini(&report->gather);
	free(report->own);
	free(report);
}

static enum stn_err
report_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	report->node = node;
	stn_report_show_init(&report->show, node);
	report->gather.node = node;
	if (!node->rank && !stn_report_gather_room(&report->gather)) {
		report_close(report);
		return stn_because(why, STN_NO_MEMORY, "out of memory");
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

	return report->node->rank ? STN_OK
				  : stn_report_show_open(&report->show, why);
}

/* The header of an EXIT. */
struct exit_header {
	int32_t status;
	uint32_t unused;
	uint64_t run_ns;
};

static void
say_exit(const struct report *report, uint32_t rank)
{
	struct stn_node *node = report->node;
	const struct exit_header header = { node->status, 0, node->run_ns };

	stn_node_say(node, rank, STN_EXIT, &header, sizeof(header));
}

/* Tells all other nodes that main has returned. */
static void
report_over(void *state)
{
	struct report *report = state;
	struct stn_node *node = report->node;

	report->over = true;
	for (uint32_t i = 0; i < node->topology->nodes; i++)
		if (i != node->rank && stn_members_has(&node->members, i))
			say_exit(report, i);
}

static enum stn_err
take_exit(struct report *report, const struct stn_message *message)
{
	struct stn_node *node = report->node;
	struct exit_header header;

	if (message->header_bytes != sizeof(header) || message->payload_bytes)
		return STN_MALFORMED;
	memcpy(&header, message->header, sizeof(header));
	report->status = header.status;
	report->run_ns = header.run_ns;
	node->succeeded = !header.status;
	stn_workers_stop(node);
	return STN_OK;
}

static enum stn_err
report_handle(void *state, const struct stn_message *message)
{
	struct report *report = state;

	if (message->kind == STN_EXIT)
		return take_exit(report, message);
	return stn_report_gather_take(&report->gather, message);
}

/*
 * Adds up the counts of the node's workers, of the node, and of its services.
 */
static void
sum_counts(struct stn_node *node, struct stn_tally *tally)
{
	struct stn_counts *core = &tally->core;

	stn_mails_sum(&node->mails, core);
	core->answering_ns = node->answering_ns;
	for (uint32_t i = 0; i < node->worker_count; i++) {
		const struct stn_times *times = &node->workers[i].times;

		core->times.working_ns += times->working_ns;
		core->times.communicating_ns += times->communicating_ns;
		core->times.idle_ns += times->idle_ns;
		core->times.sync_ns += times->sync_ns;
		core->times.on_core_ns += times->on_core_ns;
		core->times.core_wait_ns += times->core_wait_ns;
	}
	core->bytes_copied =
		stn_transport_traffic(node->transport).bytes_copied;
	stn_counts_finish(core);
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->count)
			node->services[i]->count(node->states[i], tally);
}

/* Computes this node's own tally. */
static void
report_sum(struct report *report)
{
	struct stn_tally *tally = calloc(1, sizeof(*tally));

	if (!tally)
		stn_node_fail(report->node, "out of memory");
	sum_counts(report->node, tally);
	report->own = stn_tally_pack(tally);
	if (!report->own)
		stn_node_fail(report->node, "out of memory");
	free(tally);
	stn_attend_to(report->node, report);
}

/* On the root: keeps its own tally. Net lock held. */
static void
report_own(struct report *report)
{
	struct stn_node *node = report->node;

	stn_report_gather_own(&report->gather, node->rank, report->own);
	if (report->run_ns) { /* another root ran main */
		node->status = report->status;
		node->run_ns = report->run_ns;
	}
}

static void
report_left(void *arg, enum stn_err err)
{
	struct report *report = arg;

	stn_node_must_arrive(report->node, "a table of statistics", err);
	if (err && err != STN_CANCELLED && !report->node->start.host.suspect)
		stn_node_miss(report->node, report->node->members.root,
			      "node %" PRIu32 " is gone",
			      report->node->members.root);
	report->sending--;
	report->sent |= !err;
	/* Only another root would need it again. */
	if (!err && !report->node->start.host.suspect) {
		free(report->own);
		report->own = NULL;
	}
	stn_node_wake(report->node);
}

/* Sends this node's tally to the root. Net lock held. */
static void
send_stats(struct report *report)
{
	struct stn_node *node = report->node;
	struct iovec piece = { report->own->words,
			       report->own->count *
				       sizeof(report->own->words[0]) };

	report->sent = false;
	report->sending++;
	stn_node_send(node, node->members.root, STN_STATS, NULL, 0, &piece, 1,
		      report_left, report);
}

/* The tally goes to the new root; the old one may have had it. */
static void
report_died(void *state, uint32_t rank)
{
	struct report *report = state;
	struct stn_node *node = report->node;

	if (rank >= node->members.root || !report->own)
		return;
	if (stn_node_is_root(node))
		report_own(report);
	else
		send_stats(report);
}

/* The node has joined after main has returned. */
static void
report_joined(void *state, uint32_t rank)
{
	struct report *report = state;

	if (report->over && stn_node_is_root(report->node) &&
	    rank != report->node->rank)
		say_exit(report, rank);
}

/*
 * The root may have died when some nodes knew that main had returned, and
 * others did not. All learn it with the notices about that death, before the
 * next root would run main.
 */
static void
report_notices(void *state)
{
	struct report *report = state;
	struct stn_node *node = report->node;
	bool other = report->run_ns; /* another node has run main */
	const uint64_t words[2] = { other ? report->run_ns : node->run_ns,
				    (uint32_t)(other ? report->status
						     : node->status) };

	if (node->stopping)
		stn_membership_notice(node, STN_EXIT, words, 0);
}

static void
report_noticed(void *state, const struct stn_notice *notices, size_t count)
{
	struct report *report = state;

	report->view = stn_membership_applied(report->node);
	for (size_t i = 0; i < count && !report->node->stopping; i++) {
		if (notices[i].kind != STN_EXIT)
			continue;
		report->run_ns = notices[i].words[0];
		report->status = (int)notices[i].words[1];
		report->node->succeeded = !report->status;
		stn_workers_stop(report->node);
	}
}

/* Net lock held. */
static bool
has_all(struct report *report)
{
	const struct stn_node *node = report->node;

	if (!stn_node_is_root(node))
		return report->sent && !report->sending;
	return stn_report_gather_complete(&report->gather);
}

static bool
is_reported(void *arg)
{
	struct report *report = arg;
	bool reported;

	stn_node_enter(report->node);
	reported = has_all(report);
	stn_node_leave(report->node);
	return reported;
}

/*
 * The host prints the line about deaths, because this node may die before the
 * run ends: other nodes may be at the barrier already, or this one.
 */
static uint64_t
report_look_after(void *state, uint64_t now)
{
	struct report *report = state;
	struct stn_node *node = report->node;
	struct stn_report_show show; /* a worker may use the report's */
	char line[STN_SUMMARY_LINE];

	(void)now;
	if (!report->own)
		return STN_AT_REST;
	if (report->summed_up == report->view || !node->start.host.summary ||
	    !stn_node_is_root(node) || !has_all(report))
		return STN_FOREVER;
	report->summed_up = report->view;
	stn_report_show_init(&show, node);
	stn_report_show_members(&show);
	stn_report_show_deaths(&show, report->gather.tallies, line);
	node->start.host.summary(node->start.host.arg, report->view, line);
	return STN_FOREVER;
}

/* One write, so that output of other nodes does not split the line. */
static void
tell_deaths(const struct report *report)
{
	char line[STN_SUMMARY_LINE];

	if (report->node->start.host.summary)
		return;
	stn_report_show_deaths(&report->show, report->gather.tallies, line);
	if (*line)
		fprintf(stderr, "%s\n", line);
}

/* If this node is the root, tells the user about the run; once. */
static enum stn_err
report_tell(struct report *report)
{
	struct stn_node *node = report->node;
	struct stn_tally_packed *const *all;
	bool root;

	stn_node_enter(node);
	root = stn_node_is_root(node) && !report->told;
	stn_report_show_members(&report->show);
	stn_node_leave(node);
	if (!root)
		return STN_OK;
	report->told = true;
	all = report->gather.tallies;
	tell_deaths(report);
	return node->config->stats.wanted
		       ? stn_report_show_counts(&report->show, all, false)
		       : STN_OK;
}

static enum stn_err
report_finish(void *state)
{
	struct report *report = state;
	struct stn_node *node = report->node;

	stn_node_enter(node);
	report_sum(report);
	if (stn_node_is_root(node))
		report_own(report);
	else
		send_stats(report);
	stn_node_leave(node);
	stn_node_await(node, is_reported, report);
	return report_tell(report);
}

/*
 * The root may have died when this node, the next one, was at the barrier. Then
 * the counts of other nodes that were there may have arrived, or not.
 */
static enum stn_err
report_ended(void *state)
{
	return report_tell(state);
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
	if (report->show.shown)
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct report *part;

		if (!nodes[i] || report->gather.tallies[i])
			continue;
		part = stn_node_state(nodes[i], &stn_report_service);
		if (!part->own) {
			stn_worker_tally(&nodes[i]->workers[0]);
			report_sum(part);
		}
		stn_report_gather_own(&report->gather, i, part->own);
	}
	if (!first->run_ns)
		first->run_ns =
			stn_node_now(first) - first->workers[0].begin_ns;
	stn_report_show_members(&report->show);
	(void)stn_report_show_counts(&report->show, report->gather.tallies,
				     true); /* the run has failed already */
}

const struct stn_service stn_report_service = {
	.name = "report",
	.kinds = kinds,
	.kind_count = sizeof(kinds) / sizeof(kinds[0]),
	.open = report_open,
	.begin = report_begin,
	.close = report_close,
	.handle = report_handle,
	.look_after = report_look_after,
	.died = report_died,
	.joined = report_joined,
	.notices = report_notices,
	.noticed = report_noticed,
	.over = report_over,
	.finish = report_finish,
	.ended = report_ended,
	.interrupted = report_interrupted,
};
