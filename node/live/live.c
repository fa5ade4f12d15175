#include "node/live/live.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "node/worker.h"

/* between two times that all words are stored */
#define STORE_NS 500000000ull

/* The header of PROGRESS. */
struct progress {
	uint64_t done, known;
};

struct live {
	struct stn_node *node;
	struct stn_live
		*own;	  /* memory, if no other process reads it; or NULL */
	uint64_t next_ns; /* when to store the words again */
	uint64_t stores;
	struct progress told; /* what the root was told last */
	struct progress *all; /* what other nodes have told, by rank; or NULL */
	bool closed;	      /* workers have ended: nothing is sent any more */
};

static const struct stn_kind kinds[] = {
	{ .number = STN_PROGRESS_TOLD, .name = "progress" },
};

static void
live_close(void *state)
{
	struct live *live = state;

	free(live->all);
	free(live->own);
	free(live);
}

/* In a simulation the service has no state. */
static enum stn_err
live_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	struct live *live;

	if (node->sim)
		return STN_OK;
	live = calloc(1, sizeof(*live));
	if (live && !node->start.live)
		live->own = aligned_alloc(_Alignof(struct stn_live),
					  sizeof(*live->own));
	if (!live || (!node->start.live && !live->own)) {
		free(live);
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	}
	live->node = node;
	node->live = live->own ? live->own : node->start.live;
	for (int i = 0; i < STN_LIVE_WORDS; i++)
		stn_live_set(node->live, i, 0);
	*state_p = live;
	return STN_OK;
}

/*
 * The workers store their times and these hints relaxed, without a lock. A
 * worker that waits counts its time when it looks or wakes up, so the time of
 * the present wait is added here, to the sum to which the worker will add it.
 */
static void
add_worker(const struct stn_worker *worker, uint64_t now, uint64_t *working,
	   uint64_t *communicating, uint64_t *idle)
{
	const struct stn_times *times = &worker->times;
	uint64_t begin = __atomic_load_n(&worker->begin_ns, __ATOMIC_RELAXED);
	uint64_t since =
		atomic_load_explicit(&worker->since_ns, memory_order_relaxed);
	uint64_t talked =
		__atomic_load_n(&times->communicating_ns, __ATOMIC_RELAXED);
	uint64_t idled = __atomic_load_n(&times->idle_ns, __ATOMIC_RELAXED);

	if (!begin || begin > now)
		return; /* its thread has not begun */
	if (atomic_load_explicit(&worker->seeking, memory_order_relaxed) &&
	    since < now) {
		if (atomic_load_explicit(&worker->owed, memory_order_relaxed))
			talked += now - since;
		else
			idled += now - since;
	}
	*communicating += talked;
	*idle += idled;
	if (talked + idled < now - begin)
		*working += now - begin - talked - idled;
}

/*
 * A sum may be smaller than before, because the worker may store its times and
 * its hints between the loads of them. Readers would take that for a restart.
 */
static void
store_time(struct stn_live *live, enum stn_live_word word, uint64_t ns)
{
	if (ns > stn_live_get(live, word))
		stn_live_set(live, word, ns);
}

static void
store_workers(const struct stn_node *node, uint64_t now)
{
	uint64_t working = 0, communicating = 0, idle = 0;

	for (uint32_t i = 0; i < node->worker_count; i++)
		add_worker(&node->workers[i], now, &working, &communicating,
			   &idle);
	store_time(node->live, STN_LIVE_WORKING_NS, working);
	store_time(node->live, STN_LIVE_COMMUNICATING_NS, communicating);
	store_time(node->live, STN_LIVE_IDLE_NS, idle);
}

static void
store_mails(const struct stn_node *node)
{
	struct stn_mail sum[2] = { { 0 } };

	for (int wide = 0; wide < 2; wide++)
		for (uint8_t i = 0; i < node->mails.room[wide]; i++) {
			const struct stn_mail *sent =
				&node->mails.kinds[wide][i].sent;

			sum[wide].messages += sent->messages;
			sum[wide].bytes += sent->bytes;
		}
	stn_live_set(node->live, STN_LIVE_SENT_LAN, sum[0].messages);
	stn_live_set(node->live, STN_LIVE_SENT_WAN, sum[1].messages);
	stn_live_set(node->live, STN_LIVE_SENT_BYTES_LAN, sum[0].bytes);
	stn_live_set(node->live, STN_LIVE_SENT_BYTES_WAN, sum[1].bytes);
}

/* Adds up the progress of all nodes. A node that has died did its part. */
static void
store_progress(const struct live *live, const struct progress *own)
{
	const struct stn_node *node = live->node;
	struct progress sum = *own;

	for (uint32_t i = 0; live->all && i < node->topology->nodes; i++) {
		sum.done += live->all[i].done;
		sum.known += live->all[i].known;
	}
	stn_live_set(node->live, STN_LIVE_ALL_DONE, sum.done);
	stn_live_set(node->live, STN_LIVE_ALL_KNOWN, sum.known);
	if (node->start.host.progress &&
	    !stn_live_get(node->live, STN_LIVE_ENDED) &&
	    !stn_live_get(node->live, STN_LIVE_BOUND_SHOWN))
		node->start.host.progress(node->start.host.progress_arg,
					  sum.done, sum.known);
}

static void
tell_progress(struct live *live)
{
	struct stn_node *node = live->node;
	const struct progress own = { stn_live_get(node->live, STN_LIVE_DONE),
				      stn_live_get(node->live,
						   STN_LIVE_KNOWN) };

	if (stn_node_is_root(node)) {
		store_progress(live, &own);
		return;
	}
	if (!memcmp(&own, &live->told, sizeof(own)))
		return;
	live->told = own;
	stn_node_say(node, node->members.root, STN_PROGRESS_TOLD, &own,
		     sizeof(own));
}

static void
store_all(struct live *live, uint64_t now)
{
	struct stn_node *node = live->node;

	stn_live_set(node->live, STN_LIVE_RANK, node->rank);
	stn_live_set(node->live, STN_LIVE_CLUSTER, node->cluster);
	stn_live_set(node->live, STN_LIVE_WORKERS, node->worker_count);
	store_workers(node, now);
	store_mails(node);
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->show && node->states[i])
			node->services[i]->show(node->states[i], node->live);
	tell_progress(live);
	stn_live_set(node->live, STN_LIVE_STORES, ++live->stores);
}

static uint64_t
live_look_after(void *state, uint64_t now)
{
	struct live *live = state;

	if (!live || live->closed)
		return STN_AT_REST;
	if (now < live->next_ns)
		return live->next_ns;
	live->next_ns = now + STORE_NS;
	store_all(live, now);
	return live->next_ns;
}

static enum stn_err
live_handle(void *state, const struct stn_message *message)
{
	struct live *live = state;

	if (!live || message->header_bytes != sizeof(live->all[0]) ||
	    message->payload_bytes)
		return STN_MALFORMED;
	if (!live->all)
		live->all = calloc(live->node->topology->nodes,
				   sizeof(live->all[0]));
	if (!live->all)
		stn_node_fail(live->node, "out of memory");
	memcpy(&live->all[message->from], message->header,
	       sizeof(live->all[0]));
	return STN_OK;
}

/* The next root knows nothing yet. */
static void
live_died(void *state, uint32_t rank)
{
	struct live *live = state;

	if (live && rank < live->node->members.root)
		live->told = (struct progress){ 0 };
}

static enum stn_err
live_finish(void *state)
{
	struct live *live = state;

	if (!live)
		return STN_OK;
	stn_node_enter(live->node);
	live->closed = true;
	stn_node_leave(live->node);
	return STN_OK;
}

const struct stn_service stn_live_service = {
	.name = "live",
	.kinds = kinds,
	.kind_count = sizeof(kinds) / sizeof(kinds[0]),
	.open = live_open,
	.close = live_close,
	.handle = live_handle,
	.look_after = live_look_after,
	.died = live_died,
	.finish = live_finish,
};
