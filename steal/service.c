/*
 * service.c: the table of the stealing service, and the life of its state.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "node/cores.h"
#include "node/setting.h"
#include "steal/balancers.h"
#include "steal/adopt.h"
#include "steal/deposit.h"
#include "steal/fence.h"
#include "steal/keep.h"
#include "steal/loan.h"
#include "steal/owners.h"
#include "steal/price.h"
#include "steal/redo.h"
#include "steal/result.h"
#include "steal/show.h"
#include "steal/traced.h"
#include "steal/worker.h"

#define LOOK_AGAIN_NS 10000000ull /* without membarrier */

static const struct stn_setting_table *
steal_settings(size_t number)
{
	const struct stn_balancer *balancer;

	for (size_t i = 0; (balancer = stn_balancer_at(i)); i++)
		if (balancer->settings && !number--)
			return balancer->settings;
	return NULL;
}

static enum stn_err
open_balancer(struct stn_steal *steal, struct stn_why *why)
{
	const struct stn_node *node = steal->node;
	const struct stn_balancer *balancer = steal->deciding.balancer;
	size_t members = stn_cluster_size(node->topology, node->cluster);

	if (balancer->settings)
		steal->deciding.settings =
			stn_config_own(node->config, balancer->settings);
	steal->deciding.state = calloc(
		1, balancer->state_bytes + members * balancer->member_bytes +
			   node->topology->clusters * balancer->cluster_bytes +
			   1);
	stn_random_seed(&steal->random, node->config->seed,
			UINT32_MAX - (uint64_t)node->rank);
	return steal->deciding.state
		       ? STN_OK
		       : stn_because(why, STN_NO_MEMORY, "out of memory");
}

/*
 * The owners come first, because they are aligned. Each aligned piece of memory
 * leaves a gap in the heap, and a simulation has many nodes; so all are one
 * piece.
 */
static struct stn_steal *
steal_create(struct stn_node *node)
{
	const struct stn_balancer *balancer =
		stn_balancer_find(node->config->balancer);
	size_t owners = node->worker_count * sizeof(struct stn_owner);
	size_t receivers = node->sim ? 0 : node->topology->nodes;
	size_t bytes = owners + sizeof(struct stn_steal) +
		       balancer->requests * sizeof(struct stn_request) +
		       receivers * sizeof(uint32_t);
	struct stn_steal *steal;
	void *memory;

	if (posix_memalign(&memory, 128, bytes))
		return NULL;
	memset(memory, 0, bytes);
	steal = (struct stn_steal *)((char *)memory + owners);
	steal->owners = memory;
	steal->requests.all = (struct stn_request *)(steal + 1);
	steal->requests.room = balancer->requests;
	if (receivers)
		steal->in_transit_to =
			(uint32_t *)(steal->requests.all + balancer->requests);
	steal->deciding.balancer = balancer;
	steal->node = node;
	return steal;
}

static enum stn_err
steal_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	struct stn_steal *steal = steal_create(node);
	enum stn_err err;

	if (!steal)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	steal->search = stn_search_of(node);
	steal->constants = stn_constants_of(node);
	steal->program = node->start.program;
	steal->survives = node->start.host.suspect;
	steal->checks_pure = !strcmp(node->config->check_pure, "yes");
	LIST_INIT(&steal->jobs);
	LIST_INIT(&steal->spare_jobs);
	stn_inbox_init(&steal->inbox);
	err = open_balancer(steal, why);
	if (!err && steal->survives &&
	    stn_orphans_init(&steal->orphans, &STN_ORPHANS_BOUNDS))
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	if (!err)
		err = stn_keep_open(steal, why);
	if (!err)
		err = stn_owners_open(steal, why);
	if (!err) {
		*state_p = steal;
		return STN_OK;
	}
	stn_keep_close(steal);
	stn_orphans_fini(&steal->orphans);
	free(steal->deciding.state);
	stn_inbox_fini(&steal->inbox);
	free(steal->owners);
	return err;
}

static enum stn_err
steal_begin(void *state, struct stn_why *why)
{
	struct stn_steal *steal = state;

	(void)why;
	if (!steal->node->config->stats.wanted || steal->node->sim)
		return STN_OK;
	steal->price = stn_spawn_price(steal, true);
	steal->plain_price =
		stn_spawn_price(steal, steal->deciding.balancer->longer);
	return STN_OK;
}

static void
steal_close(void *state)
{
	struct stn_steal *steal = state;

	for (uint32_t i = 0; i < steal->node->worker_count; i++)
		stn_returns_fini(&steal->owners[i].returns);
	stn_jobs_fini(steal);
	stn_owners_close(steal);
	stn_keep_close(steal);
	stn_inbox_fini(&steal->inbox);
	stn_parked_fini(&steal->parked);
	if (steal->survives)
		stn_orphans_fini(&steal->orphans);
	stn_handover_fini(&steal->handover);
	stn_claims_fini(&steal->claims);
	free(steal->deciding.state);
	free(steal->argv);
	free(steal->owners);
}

static void
take_load(struct stn_steal *steal, uint32_t from, uint32_t load)
{
	if (!steal->deciding.balancer->told ||
	    stn_node_is_wide(steal->node, from) ||
	    (!stn_decide_told(steal, from, load) && !steal->survives))
		stn_node_fail(steal->node,
			      "node %" PRIu32 " tells its load to the wrong "
			      "node",
			      from);
}

static enum stn_err
steal_handle(void *state, const struct stn_message *message)
{
	struct stn_steal *steal = state;
	struct stn_wire wire;
	enum stn_err err =
		stn_wire_parse(message, &steal->program->table, &wire);

	if (err)
		return err;
	switch (wire.kind) {
	case STN_REQUEST:
		stn_parked_ask(steal, message->from, &wire.request);
		break;
	case STN_GRANT:
		stn_thief_granted(steal, message, &wire);
		break;
	case STN_REFUSE:
		stn_thief_refused(steal, message, wire.refusal.number);
		break;
	case STN_CANCEL:
		stn_parked_cancel(steal, message->from, wire.refusal.number);
		break;
	case STN_PUSH:
		stn_thief_pushed(steal, message, &wire);
		break;
	case STN_TAKEN:
		stn_loan_arrived(steal, message->from);
		break;
	case STN_MOVED:
		if (wire.moved.to >= steal->node->topology->nodes)
			return STN_MALFORMED;
		stn_holders_moved(steal, message->from, &wire.moved);
		stn_redo_moved(steal, &wire.moved);
		break;
	case STN_WHERE:
		stn_redo_where(steal, message->from, &wire.result);
		break;
	case STN_GONE:
		stn_redo_gone(steal, message->from, &wire.result);
		break;
	case STN_FETCH:
		stn_adopt_fetch(steal, message->from, &wire.fetch);
		break;
	case STN_DEPOSIT:
		if (wire.deposit.of >= steal->node->topology->nodes)
			return STN_MALFORMED;
		stn_deposit_take(steal, message, &wire.deposit);
		break;
	case STN_RUN:
		stn_keep_run(steal, &wire.run);
		break;
	case STN_SPAN:
		stn_span_take(steal, &wire.span);
		break;
	case STN_BUNDLE:
		return stn_thief_bundle(steal, message, &wire);
	case STN_RESULTS:
		return stn_results_take(steal, message, &wire.bundle);
	case STN_CLAIMED:
		stn_claims_take(steal, message->from, &wire.claimed);
		break;
	case STN_LOAD:
		take_load(steal, message->from, wire.load.records);
		break;
	case STN_RESULT:
		stn_result_take(steal, message, &wire.result);
		break;
	}
	return STN_OK;
}

/* The memory that most messages and waits need. */
static void
hint_memory(struct stn_steal *steal, const struct stn_owner *owner)
{
	const struct stn_deque *deque = &owner->deque;
	struct stn_node *node = steal->node;

	stn_node_hint(node, steal, offsetof(struct stn_steal, counts));
	stn_node_hint(node, steal->requests.all,
		      sizeof(steal->requests.all[0]));
	stn_node_hint(node, steal->counts.steals, sizeof(steal->counts.steals));
	stn_node_hint(node, &deque->limit, sizeof(deque->limit));
	stn_node_hint(node, &deque->tail,
		      sizeof(*deque) - offsetof(struct stn_deque, tail));
	stn_node_hint(node, &owner->node,
		      offsetof(struct stn_owner, nested) -
			      offsetof(struct stn_owner, node));
	stn_node_hint(node, steal->deciding.state, 1);
}

/* Places the memory of the worker's deque next to the worker's core. */
static void
steal_enter(void *state, struct stn_worker *worker)
{
	struct stn_steal *steal = state;
	const struct stn_start *start = &steal->node->start;
	struct stn_deque *deque = &steal->owners[worker->number].deque;
	size_t slots = (size_t)(deque->end - deque->slots);

	hint_memory(steal, &steal->owners[worker->number]);

	if (start->cores)
		stn_cores_bind(start->cores, start->first_core + worker->number,
			       deque->slots, slots * sizeof(deque->slots[0]));
}

/*
 * A spawn does not change the node's generation, and the spawned record may
 * still be in the store buffer of the owner's processor. The membarrier empties
 * that buffer. If the spawn comes before the membarrier, stn_deque_maybe below
 * sees the record. If it comes after, the spawn sees the lowered limit, because
 * it reads the limit again after its push, and wakes the sleepers.
 * tests/steal/sleep.pml is a model of this.
 */
static bool
steal_may_sleep(void *state, uint64_t *until_ns)
{
	struct stn_steal *steal = state;
	uint32_t count = steal->node->worker_count;
	uint64_t look_again = stn_node_now(steal->node) + LOOK_AGAIN_NS;

	/*
	 * Pairs with the fence in announce (spawn.c): a spawn that sees the
	 * lowered limit also sees this sleeper counted.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	for (uint32_t i = 0; i < count; i++)
		stn_deque_lower(&steal->owners[i].deque);
	if (!stn_fence_process() && *until_ns > look_again)
		*until_ns = look_again; /* a spawn may be missed: wake up and
					 * look again */
	for (uint32_t i = 0; i < count; i++)
		if (stn_deque_maybe(&steal->owners[i].deque))
			return false;
	return true;
}

static bool
steal_owed(void *state)
{
	struct stn_steal *steal = state;

	return stn_request_owed(&steal->requests);
}

static uint64_t
steal_look_after(void *state, uint64_t now)
{
	struct stn_steal *steal = state;
	uint64_t parked = stn_parked_progress(state);
	uint64_t tick = stn_decide_tick(state, now);
	uint64_t mark = stn_deposit_tick(state, now);
	uint64_t keep = stn_keep_tick(state, now);
	uint64_t back = stn_returns_tick(state, now);
	uint64_t first = parked < tick ? parked : tick;

	/*
	 * Main has returned, but a call that is not needed any more may wait on
	 * its node for a record that no worker here will run.
	 */
	if (steal->survives && steal->node->stopping) {
		stn_loan_return_all(steal);
		stn_returns_send_all(steal);
	}
	stn_decide_longer(state);
	if (keep < mark)
		mark = keep;
	if (back < mark)
		mark = back;
	return first < mark ? first : mark;
}

static bool
home_is_dead(const struct stn_job *job, void *steal)
{
	const struct stn_steal *mine = steal;

	return stn_members_lost(&mine->node->members, job->record.rank);
}

/*
 * First what the dead node owed this node, then what this node owes it. Records
 * that it had borrowed wait until all orphans are known.
 */
static void
steal_died(void *state, uint32_t rank)
{
	struct stn_steal *steal = state;
	struct stn_job *job;

	steal->unclaimed = true; /* until stn_claims_noticed */
	stn_decide_died(steal, rank);
	stn_thief_died(steal, rank);
	stn_loan_died(steal, rank);
	stn_request_cancel_lifelines(steal); /* they say bound or not */
	stn_parked_died(steal, rank);
	while ((job = stn_inbox_take_if(steal, home_is_dead, steal))) {
		stn_job_free(job);
		steal->counts.discarded++;
	}
	stn_returns_died(steal, rank);
	stn_adopt_died(steal, rank);
}

/* The balancer orders the nodes anew, as after a death. */
static void
steal_joined(void *state, uint32_t rank)
{
	struct stn_steal *steal = state;

	stn_decide_died(steal, rank);
	stn_parked_end(steal);
	stn_keep_joined(steal, rank);
}

/* The same: a node that leaves searches for nobody. */
static void
steal_leaving(void *state, uint32_t rank)
{
	stn_decide_died(state, rank);
	stn_parked_end(state);
}

static void
steal_prepare(void *state, uint32_t rank)
{
	stn_adopt_prepare(state, rank);
}

static void
steal_notices(void *state)
{
	stn_adopt_notices(state);
	stn_claims_notices(state);
}

static void
steal_noticed(void *state, const struct stn_notice *notices, size_t count)
{
	stn_adopt_noticed(state, notices, count);
	stn_claims_noticed(state, notices, count);
	stn_redo_lost(state);
}

static bool
steal_leave(void *state, bool stop)
{
	return stn_leave(state, stop);
}

static enum stn_err
steal_finish(void *state)
{
	stn_keep_finish(state);
	return STN_OK;
}

/*
 * True when every request has an answer, including requests sent just before
 * the end of the run.
 */
static bool
steal_settled(void *state)
{
	const struct stn_steal *steal = state;

	return !steal->requests.out;
}

const struct stn_service stn_steal_service = {
	.name = "steal",
	.kinds = stn_wire_kinds,
	.kind_count = STN_WIRE_KINDS,
	.settings = steal_settings,
	.counts = &stn_steal_counts_table,
	.traced = stn_steal_traced,
	.traced_count = STN_STEAL_TRACED,
	.trace_name = stn_steal_trace_name,
	.open = steal_open,
	.begin = steal_begin,
	.close = steal_close,
	.handle = steal_handle,
	.enter = steal_enter,
	.has_work = stn_steal_has_work,
	.work = stn_steal_work,
	.seek = stn_steal_seek,
	.may_sleep = steal_may_sleep,
	.owed = steal_owed,
	.look_after = steal_look_after,
	.prepare = steal_prepare,
	.died = steal_died,
	.joined = steal_joined,
	.leaving = steal_leaving,
	.leave = steal_leave,
	.notices = steal_notices,
	.noticed = steal_noticed,
	.finish = steal_finish,
	.settled = steal_settled,
	.show = stn_steal_show,
	.count = stn_steal_count,
};
