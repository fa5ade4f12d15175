#include "steal/loan.h"

#include <inttypes.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "node/stats/message_log.h"
#include "steal/buffers.h"
#include "steal/bundle.h"
#include "steal/constants.h"
#include "steal/steal.h"

/* A filter together with the time of one worker, the owner of the deque. */
struct choosing {
	const struct stn_loan_filter *filter;
	uint64_t since_ns;
};

static bool
loan_fits(void *arg, const struct stn_record *record)
{
	const struct choosing *choosing = arg;

	return choosing->filter->fits(choosing->filter->arg,
				      stn_deque_task(record), record,
				      choosing->since_ns);
}

/* Several records are offered first, by one membarrier. */
static struct stn_record *
take_oldest(struct stn_owner *owner, uint32_t most,
	    const struct stn_loan_filter *filter)
{
	struct choosing choosing = { .filter = filter };

	if (most > 1)
		stn_deque_offer_oldest(&owner->deque, most);
	if (!filter)
		return stn_deque_steal(&owner->deque, STN_THIEF_NODE);
	choosing.since_ns = atomic_load_explicit(&owner->worker->since_ns,
						 memory_order_relaxed);
	return stn_deque_steal_if(&owner->deque, STN_THIEF_NODE, loan_fits,
				  &choosing);
}

void
stn_loan_address(struct stn_owner *owner, struct stn_record *record)
{
	const struct stn_node *node = owner->node;
	uint64_t slot = (uint64_t)(record - owner->deque.slots);

	record->rank = node->rank;
	record->slot =
		(uint32_t)(owner->worker->number * node->config->slots + slot);
	record->task_id = (uint16_t)stn_table_id(&owner->steal->program->table,
						 stn_deque_task(record));
	record->hops = 0;
	record->epoch++;
}

struct stn_record *
stn_loan_take(struct stn_steal *steal, uint32_t most,
	      const struct stn_loan_filter *filter)
{
	uint32_t count = steal->node->worker_count;
	uint32_t first = stn_random_below(&steal->random, count);

	for (uint32_t i = 0; i < count; i++) {
		struct stn_owner *owner = &steal->owners[(first + i) % count];
		struct stn_record *record;

		if (!stn_deque_maybe(&owner->deque))
			continue;
		record = take_oldest(owner, most, filter);
		if (!record)
			continue;
		stn_loan_address(owner, record);
		owner->counts.lent++;
		return record;
	}
	return NULL;
}

static void
record_left(void *arg, enum stn_err err)
{
	struct stn_steal *steal = arg;

	/*
	 * A lent record's slot becomes free when its result arrives, not when
	 * the record has left. If the thief lent the record on, the result
	 * comes from a third node, possibly before this call, but never before
	 * the inputs were read. An error because the thief died (STN_LOST)
	 * needs no message here: the node gets a peer event. A thief refuses
	 * records (STN_REFUSED) if it can't take them, which it tells the home
	 * of; or if it takes this node for dead: the next view removes one of
	 * the two nodes.
	 */
	stn_node_must_arrive(steal->node, "a lent record", err);
}

static void
job_left(void *arg, enum stn_err err)
{
	struct stn_job *job = arg;

	record_left(job->steal, err);
	stn_job_free(job);
}

static void
send_record(struct stn_steal *steal, uint32_t to, uint8_t kind,
	    struct stn_record *record, stn_done *done, void *arg)
{
	const struct stn_task *task = stn_deque_task(record);
	struct stn_gather inputs;

	if (stn_gather_init(&inputs, task, record, STN_INPUTS, NULL))
		stn_node_fail(steal->node, "out of memory");
	stn_search_show(steal->search, to);
	stn_record_constants_leave(steal, task, record);
	stn_node_send(steal->node, to, kind, (char *)record + STN_WIRE_AT,
		      STN_WIRE_BYTES + task->argument_bytes, inputs.pieces,
		      inputs.count, done, arg);
	stn_gather_fini(&inputs);
}

/*
 * Called before a record leaves for node @to: the record's home must know which
 * node holds it. If this node is its home, notes that in *@moved_p, for
 * note_holder.
 */
static void
loan_moves(struct stn_steal *steal, uint32_t to, struct stn_record *record,
	   struct stn_wire_moved *moved_p)
{
	bool own = record->rank == steal->node->rank;

	*moved_p = (struct stn_wire_moved){ .to = STN_NOBODY };
	if (!steal->survives || to == record->rank)
		return;
	*moved_p = (struct stn_wire_moved){ record->slot, record->epoch,
					    record->hops + !own, to };
	if (own)
		return;
	record->hops++;
	stn_node_say(steal->node, record->rank, STN_MOVED, moved_p,
		     sizeof(*moved_p));
	moved_p->to = STN_NOBODY;
}

/*
 * Notes the new holder of a record of this node. Called after the send, so that
 * the holder can start sooner. A copy from the inbox may have been sent; the
 * note belongs to the original, in its slot.
 */
static void
note_holder(struct stn_steal *steal, const struct stn_wire_moved *moved)
{
	struct stn_record *own;

	if (moved->to == STN_NOBODY)
		return;
	own = stn_holders_find(steal, moved->slot, moved->epoch);
	if (own)
		stn_holders_lent(steal, own, moved->to, (uint8_t)moved->hops);
}

static void
grant(struct stn_steal *steal, uint32_t to, uint32_t number,
      struct stn_record *record, stn_done *done, void *arg)
{
	struct stn_wire_moved moved;

	record->request = number;
	loan_moves(steal, to, record, &moved);
	send_record(steal, to, STN_GRANT, record, done, arg);
	note_holder(steal, &moved);
}

void
stn_loan_grant(struct stn_steal *steal, uint32_t to, uint32_t number,
	       struct stn_record *record)
{
	grant(steal, to, number, record, record_left, steal);
}

void
stn_loan_relay(struct stn_steal *steal, uint32_t to, uint32_t number,
	       struct stn_job *job)
{
	steal->counts.relayed++;
	job->leaves = true;
	grant(steal, to, number, &job->record, job_left, job);
}

static void
push_arrived(struct stn_steal *steal)
{
	steal->in_transit--;
	if (steal->node->message_log)
		stn_message_log(steal->node->message_log,
				stn_node_now(steal->node), "left",
				stn_node_kind(steal->node, STN_PUSH),
				steal->node->rank, 0);
}

void
stn_loan_arrived(struct stn_steal *steal, uint32_t from)
{
	if (!steal->in_transit_to || !steal->in_transit_to[from])
		stn_node_fail(steal->node,
			      "node %" PRIu32 " took what was not pushed",
			      from);
	steal->in_transit_to[from]--;
	push_arrived(steal);
}

void
stn_loan_died(struct stn_steal *steal, uint32_t rank)
{
	while (steal->in_transit_to && steal->in_transit_to[rank])
		stn_loan_arrived(steal, rank);
}

static void
push_left(void *arg, enum stn_err err)
{
	struct stn_steal *steal = arg;

	record_left(steal, err);
	if (stn_transport_limits(steal->node->transport)->arrives)
		push_arrived(steal);
}

static void
pushed_job_left(void *arg, enum stn_err err)
{
	struct stn_job *job = arg;

	push_left(job->steal, err);
	stn_job_free(job);
}

static void
push(struct stn_steal *steal, uint32_t to, struct stn_record *record,
     stn_done *done, void *arg)
{
	struct stn_wire_moved moved;

	record->request = 0;
	steal->in_transit++;
	if (steal->in_transit_to)
		steal->in_transit_to[to]++;
	loan_moves(steal, to, record, &moved);
	send_record(steal, to, STN_PUSH, record, done, arg);
	note_holder(steal, &moved);
}

/* A job that leaves is not run here, so it is no orphan if its home dies. */
static void
push_job(struct stn_steal *steal, uint32_t to, struct stn_job *job)
{
	steal->counts.relayed++;
	job->leaves = true;
	push(steal, to, &job->record, pushed_job_left, job);
}

bool
stn_loan_push(struct stn_steal *steal, uint32_t to)
{
	struct stn_job *job = stn_inbox_take_foreign(steal);
	struct stn_record *record =
		job ? &job->record : stn_loan_take(steal, 1, NULL);

	if (!record)
		return false;
	if (job)
		push_job(steal, to, job);
	else
		push(steal, to, record, push_left, steal);
	return true;
}

static void
bundle_left(void *arg, enum stn_err err)
{
	struct stn_bundle *bundle = arg;

	record_left(bundle->steal, err);
	stn_bundle_free(bundle);
}

void
stn_loan_add(struct stn_bundle *bundle, uint32_t to, struct stn_record *record)
{
	const struct stn_task *task = stn_deque_task(record);
	struct stn_wire_moved moved;

	record->request = 0;
	loan_moves(bundle->steal, to, record, &moved);
	note_holder(bundle->steal, &moved);
	stn_record_constants_leave(bundle->steal, task, record);
	stn_bundle_add_record(bundle, task, record);
}

void
stn_loan_add_job(struct stn_bundle *bundle, uint32_t to, struct stn_job *job)
{
	bundle->steal->counts.relayed++;
	stn_loan_add(bundle, to, &job->record);
	stn_job_free(job);
}

void
stn_loan_bundle(struct stn_bundle *bundle, uint32_t to)
{
	if (bundle->header.count)
		stn_bundle_send(bundle, to, STN_BUNDLE, bundle_left);
	else
		stn_bundle_free(bundle);
}

void
stn_loan_return_all(struct stn_steal *steal)
{
	struct stn_job *job;

	while ((job = stn_inbox_take_foreign(steal)))
		push_job(steal, job->record.rank, job);
}

void
stn_loan_send_home(struct stn_steal *steal)
{
	if (!steal->inbox.waiting || stn_steal_seeking(steal, NULL))
		return;
	stn_node_enter(steal->node);
	stn_loan_return_all(steal);
	stn_node_leave(steal->node);
}
