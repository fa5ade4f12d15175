#include "steal/node.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define LOOK_AGAIN_NS 10000000ull /* where there is no membarrier */

uint64_t
stn_node_now(const struct stn_node *node)
{
	return stn_transport_now(node->transport);
}

void
stn_node_count(struct stn_node *node, struct stn_mail mails[2][STN_STATS_KINDS],
	       uint32_t peer, unsigned kind, uint64_t bytes)
{
	bool wide = stn_cluster_of(&node->topology, peer) != node->cluster;

	mails[wide][kind].messages++;
	mails[wide][kind].bytes += bytes;
}

struct stn_steals *
stn_node_steals(struct stn_node *node, const struct stn_ask *ask)
{
	bool wide =
		stn_cluster_of(&node->topology, ask->victim) != node->cluster;

	return &node->stats.steals[ask->asynchronous][wide];
}

void
stn_node_send(struct stn_node *node, uint32_t to, enum stn_kind kind,
	      const void *header, size_t header_bytes,
	      const struct iovec *pieces, size_t count, stn_done *done,
	      void *arg)
{
	uint64_t bytes = header_bytes;

	for (size_t i = 0; i < count; i++)
		bytes += pieces[i].iov_len;
	stn_node_count(node, node->stats.sent, to, kind, bytes);
	if (node->trace)
		stn_trace(node->trace, stn_node_now(node), "send", kind, to,
			  header);
	stn_transport_send(node->transport, to, kind, header, header_bytes,
			   pieces, count, done, arg);
}

/*
 * Who wakes changes the generation, and then looks for sleepers; who sleeps
 * says so, and then looks whether the generation is still the one from before
 * it looked for work. Both are sequentially consistent, so one sees the other.
 */
void
stn_node_wake(struct stn_node *node)
{
	node->generation++;
	if (!node->sleepers)
		return;
	if (node->sim)
		stn_sim_wake(node->sim, node->rank);
	pthread_mutex_lock(&node->event);
	pthread_cond_broadcast(&node->awake);
	pthread_mutex_unlock(&node->event);
}

static void
doze_virtually(struct stn_node *node, uint32_t generation, uint64_t until_ns)
{
	while (node->generation == generation && stn_node_now(node) < until_ns)
		stn_sim_wait(node->sim, until_ns);
}

void
stn_node_doze(struct stn_node *node, uint32_t generation, uint64_t until_ns)
{
	struct timespec until = { (time_t)(until_ns / STN_SECOND_NS),
				  (long)(until_ns % STN_SECOND_NS) };
	int err = 0;

	if (node->sim) {
		doze_virtually(node, generation, until_ns);
		return;
	}
	pthread_mutex_lock(&node->event);
	while (node->generation == generation && !err) {
		if (until_ns == STN_FOREVER)
			pthread_cond_wait(&node->awake, &node->event);
		else
			err = pthread_cond_timedwait(&node->awake, &node->event,
						     &until);
	}
	pthread_mutex_unlock(&node->event);
}

uint32_t
stn_node_seeking(const struct stn_node *node, const struct stn_record *spawned)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < node->worker_count; i++) {
		const struct stn_worker *worker = &node->workers[i];
		const struct stn_deque *deque = &worker->deque;

		if (!spawned || spawned < deque->slots || spawned >= deque->end)
			count += atomic_load_explicit(&worker->seeking,
						      memory_order_relaxed);
	}
	return count;
}

static bool
no_records(struct stn_node *node)
{
	for (uint32_t i = 0; i < node->worker_count; i++)
		if (stn_deque_maybe(&node->workers[i].deque))
			return false;
	return true;
}

/*
 * A spawn changes no generation, and may lie in its processor's store buffer.
 * The membarrier gets it out, so that it is seen here; or else it comes later,
 * and the spawn, which looks at the limit once more after its push, finds that
 * lowered, and wakes. tests/sleep.pml is a model of it.
 */
void
stn_node_sleep(struct stn_node *node, uint32_t generation, uint64_t until_ns,
	       bool records)
{
	uint64_t look_again = stn_node_now(node) + LOOK_AGAIN_NS;

	node->sleepers++;
	if (!records || node->sim) {
		stn_node_doze(node, generation, until_ns);
		node->sleepers--;
		return;
	}
	/* Who sees a lowered limit must see the sleeper: spawn.c. */
	atomic_thread_fence(memory_order_seq_cst);
	for (uint32_t i = 0; i < node->worker_count; i++)
		stn_deque_lower(&node->workers[i].deque);
	if (!stn_fence_process() && until_ns > look_again)
		until_ns = look_again; /* a spawn may go unseen: don't rely */
	if (no_records(node))
		stn_node_doze(node, generation, until_ns);
	node->sleepers--;
}

static void
give_up(struct stn_node *node, uint32_t missed, const char *text)
{
	struct stn_why why;

	if (node->topology.nodes > 1)
		stn_because(&why, STN_IO, "node %" PRIu32 ": %s", node->rank,
			    text);
	else
		stn_because(&why, STN_IO, "%s", text);
	if (missed == STN_NOBODY)
		stn_wireup_abort(node->wireup, why.text);
	else
		stn_wireup_miss(node->wireup, missed, why.text);
}

void
stn_node_abort(struct stn_node *node, const char *text)
{
	give_up(node, STN_NOBODY, text);
}

void
stn_node_fail(struct stn_node *node, const char *format, ...)
{
	char text[300];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	stn_node_abort(node, text);
	_exit(EXIT_FAILURE);
}

void
stn_node_miss(struct stn_node *node, uint32_t missed, const char *format, ...)
{
	char text[300];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	give_up(node, missed, text);
	_exit(EXIT_FAILURE);
}
