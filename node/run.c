/*
 * run.c: the life of a node, from the start of its threads to the closing of
 * its transport.
 */
#include <assert.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "emul/sim.h"
#include "node/attend.h"
#include "node/membership.h"
#include "node/node.h"
#include "node/progress.h"
#include "node/sleep.h"
#include "node/stack_guard.h"
#include "node/stats/message_log.h"
#include "node/worker.h"

#define CLOSE_PATIENCE_NS (2 * STN_SECOND_NS)

/*
 * A thread holds the net lock for a microsecond or so. Another thread that
 * waits for it spins for a while before it sleeps, because to wake a thread
 * takes longer than that.
 */
static void
init_net_lock(pthread_mutex_t *net)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
#ifdef __GLIBC__
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
	pthread_mutex_init(net, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

static void
init_locks(struct stn_node *node)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&node->awake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&node->event, NULL);
	init_net_lock(&node->net);
}

static enum stn_err
open_services(struct stn_node *node, struct stn_why *why)
{
	enum stn_err err = STN_OK;

	for (uint8_t i = 0; !err && node->services[i]; i++) {
		const struct stn_service *service = node->services[i];

		for (uint8_t j = 0; j < service->kind_count; j++) {
			assert(!node->service_of[service->kinds[j].number]);
			node->service_of[service->kinds[j].number] = i + 1;
		}
		if (service->look_after)
			node->attended |= UINT32_C(1) << i;
		err = service->open(node, &node->states[i], why);
	}
	return err;
}

/* Also of a node that was opened halfway. */
static void
close_services(struct stn_node *node)
{
	for (size_t i = 0; node->services[i]; i++)
		if (node->states[i])
			node->services[i]->close(node->states[i]);
}

/* The workers follow the node in the same piece of memory. */
static struct stn_node *
allocate_node(const struct stn_start *start)
{
	size_t own = (sizeof(struct stn_node) + 127) & ~(size_t)127;
	size_t bytes = own + start->workers * sizeof(struct stn_worker);
	struct stn_node *node = aligned_alloc(128, bytes);
	uint32_t late;

	if (!node)
		return NULL;
	memset(node, 0, bytes);
	node->workers = (struct stn_worker *)((char *)node + own);
	node->start = *start;
	node->config = start->config;
	node->topology = start->topology;
	node->rank = start->rank;
	node->cluster = stn_cluster_of(start->topology, start->rank);
	node->cluster_first = stn_cluster_first(start->topology, node->cluster);
	node->cluster_early =
		stn_cluster_size(start->topology, node->cluster) -
		stn_cluster_late(start->topology, node->cluster, &late);
	node->sim = start->sim;
	node->services = start->services;
	init_locks(node);
	return node;
}

enum stn_err
stn_node_create(const struct stn_start *start, struct stn_node **node_p,
		struct stn_why *why)
{
	struct stn_node *node = allocate_node(start);
	enum stn_err err =
		node ? stn_members_begin(&node->members, node->topology)
		     : STN_NO_MEMORY;

	if (err) {
		stn_node_destroy(node);
		return stn_because(why, err,
				   "no memory for so many nodes; lower "
				   "--nodes");
	}
	err = stn_message_log_open(node->config->message_log, node->rank,
				   &node->message_log, why);
	stn_workers_init(node);
	if (!err)
		err = open_services(node, why);
	if (err)
		stn_node_destroy(node);
	else
		*node_p = node;
	return err;
}

void
stn_node_destroy(struct stn_node *node)
{
	if (!node)
		return;
	close_services(node);
	stn_members_fini(&node->members);
	stn_mails_fini(&node->mails);
	/* An error was reported, if the node has run. */
	(void)stn_message_log_close(node->message_log);
	pthread_cond_destroy(&node->awake);
	pthread_mutex_destroy(&node->event);
	pthread_mutex_destroy(&node->net);
	free(node);
}

/* Not inlined, as meet_at_end below. */
static __attribute__((noinline)) void
start_workers(struct stn_node *node)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setguardsize(&attributes, STN_STACK_GUARD_BYTES);
	if (pthread_attr_setstacksize(&attributes,
				      node->config->stack_bytes & ~4095ull))
		stn_node_fail(node,
			      "no stack can have %" PRIu64 " bytes; change "
			      "--stack",
			      node->config->stack_bytes);
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
join_workers(struct stn_node *node)
{
	for (uint32_t i = 0; i < node->worker_count; i++)
		pthread_join(node->workers[i].thread, NULL);
}

static uint64_t
node_look_after(void *node)
{
	return stn_attend_look(node, stn_node_now(node));
}

/* Runs the node's workers until all have ended. */
static void
node_work(struct stn_node *node)
{
	if (node->sim) {
		stn_sim_attend(node->sim, node->rank, node_look_after, node);
		stn_node_hint(node, node,
			      offsetof(struct stn_node, mails.places[32]));
		stn_node_hint(node, node->workers, sizeof(node->workers[0]));
		stn_membership_await(node);
		stn_worker_main(&node->workers[0]);
		return;
	}
	stn_progress_start(node);
	stn_membership_await(node);
	start_workers(node);
	join_workers(node);
}

enum stn_err
stn_node_attach(struct stn_node *node, struct stn_transport *transport,
		struct stn_why *why)
{
	enum stn_err err = STN_OK;

	node->transport = transport;
	for (size_t i = 0; !err && node->services[i]; i++)
		if (node->services[i]->begin)
			err = node->services[i]->begin(node->states[i], why);
	return err;
}

struct settling {
	struct stn_node *node;
	size_t service;
};

static bool
is_settled(void *arg)
{
	const struct settling *settling = arg;
	const struct stn_node *node = settling->node;
	const struct stn_service *service = node->services[settling->service];

	return !service->settled ||
	       service->settled(node->states[settling->service]);
}

static enum stn_err
finish_services(struct stn_node *node)
{
	struct settling settling = { .node = node };
	enum stn_err first = STN_OK;

	for (size_t i = 0; node->services[i]; i++) {
		enum stn_err err = STN_OK;

		if (node->services[i]->finish)
			err = node->services[i]->finish(node->states[i]);
		settling.service = i;
		stn_node_await(node, is_settled, &settling);
		if (!first)
			first = err;
	}
	return first;
}

static enum stn_err
end_services(struct stn_node *node)
{
	enum stn_err first = STN_OK;

	for (size_t i = 0; node->services[i]; i++) {
		enum stn_err err = STN_OK;

		if (node->services[i]->ended)
			err = node->services[i]->ended(node->states[i]);
		if (!first)
			first = err;
	}
	return first;
}

/*
 * Drives the transport until all messages sent have arrived, as far as closing
 * needs that, or until a deadline.
 */
static void
settle_transport(struct stn_node *node)
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

/* Not inlined: @why would be on the stack while the node runs. */
static __attribute__((noinline)) enum stn_err
meet_at_end(struct stn_node *node)
{
	struct stn_why why; /* the host has been told */

	return node->start.host.barrier(node->start.host.arg, &why);
}

/* Not inlined, as meet_at_end: the node's stack would be larger. */
static __attribute__((noinline)) enum stn_err
end_node(struct stn_node *node, int *status_p)
{
	enum stn_err err, finished, ended, logged;

	finished = finish_services(node);
	settle_transport(node);
	err = meet_at_end(node);
	if (!node->sim)
		stn_progress_stop(node);
	ended = end_services(node);
	stn_transport_close(node->transport, CLOSE_PATIENCE_NS);
	logged = stn_message_log_close(node->message_log);
	node->message_log = NULL;
	*status_p = (finished || ended || logged) && !node->status
			    ? EXIT_FAILURE
			    : node->status;
	return err;
}

enum stn_err
stn_node_run(struct stn_node *node, int *status_p)
{
	node_work(node);
	return end_node(node, status_p);
}
