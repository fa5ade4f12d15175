/*
 * run.c: the life of a node, from opening its transport to closing it.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "steal/guard.h"
#include "steal/join/meet.h"
#include "steal/join/share.h"

#define CLOSE_PATIENCE_NS (2 * STN_SECOND_NS)

static void
init_locks(struct stn_node *node)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&node->awake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&node->event, NULL);
	pthread_mutex_init(&node->inbox, NULL);
	pthread_mutex_init(&node->net, NULL);
	TAILQ_INIT(&node->homeward);
	TAILQ_INIT(&node->foreign);
}

static void
fini_locks(struct stn_node *node)
{
	pthread_cond_destroy(&node->awake);
	pthread_mutex_destroy(&node->event);
	pthread_mutex_destroy(&node->inbox);
	pthread_mutex_destroy(&node->net);
}

static void
free_workers(struct stn_node *node)
{
	for (uint32_t i = 0; i < node->worker_count; i++) {
		stn_overflow_fini(&node->workers[i].overflow);
		stn_deque_fini(&node->workers[i].deque);
	}
	free(node->workers);
	stn_places_destroy(node->places);
}

/* In a simulation a node is a worker, and none has a place. */
static struct stn_share
find_share(const struct stn_node *node)
{
	if (node->sim)
		return (struct stn_share){ .workers = 1 };
	return stn_share_here(&node->config, &node->plan);
}

static void
init_places(struct stn_node *node, const struct stn_share *share)
{
	const char *pin = node->config.pin;

	if (!node->sim && strcmp(pin, "no"))
		node->places =
			stn_places_create(share->all, !strcmp(pin, "yes"));
	node->place = share->first;
}

static enum stn_err
init_workers(struct stn_node *node, struct stn_why *why)
{
	struct stn_share share = find_share(node);
	size_t bytes = share.workers * sizeof(node->workers[0]);

	if (share.workers * node->config.slots > UINT32_MAX)
		return stn_because(why, STN_INVALID,
				   "%" PRIu32 " workers of %" PRIu64 " slots "
				   "are too many; lower --slots",
				   share.workers, node->config.slots);
	node->workers = aligned_alloc(128, bytes);
	if (!node->workers)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	memset(node->workers, 0, bytes);
	for (; node->worker_count < share.workers; node->worker_count++) {
		struct stn_worker *worker = &node->workers[node->worker_count];

		worker->node = node;
		worker->number = node->worker_count;
		/* Also before its thread has begun; but one runs main. */
		worker->seeking = node->rank || worker->number;
		stn_random_seed(&worker->random, node->config.seed,
				(uint64_t)node->rank << 16 | worker->number);
		if (!stn_deque_init(&worker->deque, node->config.slots)) {
			if (stn_node_counts(node))
				stn_deque_offer_all(&worker->deque);
			continue;
		}
		free_workers(node);
		return stn_because(why, STN_NO_MEMORY,
				   "no memory for %" PRIu64 " slots; lower "
				   "--slots",
				   node->config.slots);
	}
	init_places(node, &share);
	return STN_OK;
}

static enum stn_err
init_balancer(struct stn_node *node, struct stn_why *why)
{
	node->balancer = stn_balancer_find(node->config.balancer);
	node->balance = calloc(
		1, node->balancer->state_bytes +
			   stn_cluster_size(&node->topology, node->cluster) *
				   node->balancer->member_bytes +
			   node->topology.clusters *
				   node->balancer->cluster_bytes +
			   1);
	if (!node->balance)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	stn_random_seed(&node->random, node->config.seed,
			UINT32_MAX - (uint64_t)node->rank);
	return STN_OK;
}

static void
fini_balancer(struct stn_node *node)
{
	free(node->balance);
}

static enum stn_err
open_transport(struct stn_node *node, struct stn_why *why)
{
	const struct stn_config *config = &node->config;
	struct stn_opening opening =
		stn_meet_opening(config, &node->topology, node->rank);

	opening.handler = stn_node_handle;
	opening.news = stn_node_news;
	opening.sim = node->sim;
	opening.arg = node;
	return stn_meet_open(config, node->plan.index, &opening,
			     &node->transport, why);
}

static void
start_workers(struct stn_node *node)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setguardsize(&attributes, STN_GUARD_BYTES);
	if (pthread_attr_setstacksize(&attributes,
				      node->config.stack_bytes & ~4095ull))
		stn_node_fail(node, "no such --stack: %" PRIu64 " bytes",
			      node->config.stack_bytes);
	for (uint32_t i = 0; i < node->worker_count; i++) {
		int err = pthread_create(&node->workers[i].thread, &attributes,
					 stn_worker_main, &node->workers[i]);

		if (err)
			stn_node_fail(node,
				      "can't start worker %" PRIu32 ": %s; "
				      "lower --workers or --stack",
				      i, strerror(err));
	}
	pthread_attr_destroy(&attributes);
}

static void
settle(struct stn_node *node)
{
	uint64_t end = stn_node_now(node) + CLOSE_PATIENCE_NS;
	bool settled = false;

	while (!settled && stn_node_now(node) < end) {
		stn_node_enter(node);
		stn_transport_progress(node->transport);
		settled = stn_transport_settle(node->transport);
		stn_node_leave(node);
		sched_yield();
	}
}

/* What was chosen stands in the node's settings from then on. */
static enum stn_err
make_plan(struct stn_node *node, struct stn_why *why)
{
	if (!node->sim)
		return stn_plan_make(node->wireup, &node->topology, node->rank,
				     &node->config, &node->plan, why);
	node->plan = stn_plan_alone(node->topology.nodes, node->rank);
	return STN_OK;
}

static enum stn_err
prepare(struct stn_node *node, struct stn_why *why)
{
	enum stn_err err = init_balancer(node, why);

	if (err)
		return err;
	err = stn_trace_open(node->config.trace, node->rank, &node->trace, why);
	if (err)
		goto undo_balancer;
	err = make_plan(node, why);
	if (!err)
		err = init_workers(node, why);
	if (err)
		goto undo_trace;
	err = open_transport(node, why);
	if (err)
		goto undo_workers;
	err = stn_report_open(node, why);
	if (err)
		goto undo_transport;
	if (!node->sim)
		err = stn_meet(node->wireup, &node->topology, node->rank,
			       &node->table, node->transport, why);
	if (err)
		goto undo_report;
	stn_plan_say(&node->plan);
	return STN_OK;

undo_report:
	stn_report_close(node);
undo_transport:
	stn_transport_close(node->transport, 0);
undo_workers:
	free_workers(node);
undo_trace:
	stn_plan_fini(&node->plan);
	stn_trace_close(node->trace);
undo_balancer:
	fini_balancer(node);
	return err;
}

static void
join_workers(struct stn_node *node)
{
	for (uint32_t i = 0; i < node->worker_count; i++)
		pthread_join(node->workers[i].thread, NULL);
}

static uint64_t
look_after(void *node)
{
	return stn_node_look_after(node);
}

/* Until all of the node's workers have ended. */
static void
work(struct stn_node *node)
{
	if (node->sim) {
		stn_sim_attend(node->sim, node->rank, look_after, node);
		stn_worker_main(&node->workers[0]);
		return;
	}
	stn_progress_start(node);
	start_workers(node);
	join_workers(node);
}

enum stn_err
stn_node_run(struct stn_node *node, int *status_p)
{
	struct stn_why why;
	enum stn_err err, reported, traced;

	init_locks(node);
	err = prepare(node, &why);
	if (err) {
		fini_locks(node);
		stn_node_abort(node, why.text);
		return err;
	}
	work(node);
	reported = stn_report(node);
	settle(node);
	err = stn_wireup_barrier(node->wireup, &why);
	if (!node->sim)
		stn_progress_stop(node);
	stn_transport_close(node->transport, CLOSE_PATIENCE_NS);
	stn_report_close(node);
	free_workers(node);
	stn_plan_fini(&node->plan);
	traced = stn_trace_close(node->trace);
	fini_balancer(node);
	fini_locks(node);
	*status_p = (reported || traced) && !node->status ? EXIT_FAILURE
							  : node->status;
	return err;
}
