/*
 * lend.c: the victim's side of a steal between nodes. A record is lent, not
 * given: its slot stays as it is until the result has come. The record leaves
 * straight from the slot, its buffers from the application's memory, and the
 * result lands in the place that the caller named.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "steal/buffers.h"
#include "steal/node.h"
#include "transport/pieces.h"

static void
record_left(void *arg, enum stn_err err)
{
	struct stn_node *node = arg;

	/*
	 * The record's slot is held by its result, not by its departure. If
	 * the thief lent it on, the result may even come before this, as it
	 * comes from a third node; but not before the inputs were read. Who
	 * has lost the thief hears at once that it is gone.
	 */
	if (err && err != STN_CANCELLED && err != STN_LOST)
		stn_node_fail(node, "a lent record was lost: %s",
			      stn_err_text(err));
}

static void
job_left(void *arg, enum stn_err err)
{
	struct stn_job *job = arg;

	record_left(job->node, err);
	stn_job_free(job);
}

static void
send_record(struct stn_node *node, uint32_t to, enum stn_kind kind,
	    struct stn_record *record, stn_done *done, void *arg)
{
	const struct stn_task *task = stn_deque_task(record);
	struct stn_gather inputs;

	if (stn_gather_init(&inputs, task, record, STN_INPUTS, NULL))
		stn_node_fail(node, "out of memory");
	stn_node_send(node, to, kind, (char *)record + STN_WIRE_AT,
		      STN_WIRE_BYTES + task->argument_bytes, inputs.pieces,
		      inputs.count, done, arg);
	stn_gather_fini(&inputs);
}

static void
grant(struct stn_node *node, uint32_t to, uint32_t number,
      struct stn_record *record, stn_done *done, void *arg)
{
	record->request = number;
	send_record(node, to, STN_GRANT, record, done, arg);
}

/* Who wants a record that is about as old as @since_ns. */
struct wanted {
	struct stn_node *node;
	struct stn_held *thief;
	uint64_t since_ns;
};

/* Has the balancer nothing against lending this one? */
static bool
may_lend(const struct wanted *wanted, const struct stn_task *task,
	 const struct stn_record *record)
{
	struct stn_node *node = wanted->node;
	struct stn_loan loan = { .age_ns = stn_node_now(node) -
					   wanted->since_ns };
	enum stn_verdict verdict;
	size_t inputs;

	if (stn_buffers_measure(task, record, &loan.bytes, &inputs))
		return false; /* nobody could take it */
	verdict = stn_decide_lends(node, wanted->thief, &loan);
	if (verdict == STN_GAUGE)
		wanted->thief->gauge = true; /* whatever else is looked at */
	return verdict == STN_LEND;
}

static bool
suits(void *arg, const struct stn_record *record)
{
	return may_lend(arg, stn_deque_task(record), record);
}

static struct stn_record *
take_oldest(struct stn_worker *worker, struct stn_held *thief)
{
	struct wanted wanted = { .node = worker->node, .thief = thief };

	if (!thief)
		return stn_deque_steal(&worker->deque, STN_THIEF_NODE);
	wanted.since_ns =
		atomic_load_explicit(&worker->since_ns, memory_order_relaxed);
	return stn_deque_steal_if(&worker->deque, STN_THIEF_NODE, suits,
				  &wanted);
}

/* Takes the oldest record of the worker that has any; that @thief may have. */
static struct stn_record *
take_any(struct stn_node *node, struct stn_held *thief,
	 struct stn_worker **owner_p)
{
	uint32_t first = stn_random_below(&node->random, node->worker_count);

	for (uint32_t i = 0; i < node->worker_count; i++) {
		struct stn_worker *worker =
			&node->workers[(first + i) % node->worker_count];
		struct stn_record *record;

		if (!stn_deque_maybe(&worker->deque))
			continue;
		record = take_oldest(worker, thief);
		if (record) {
			*owner_p = worker;
			return record;
		}
	}
	return NULL;
}

/* Writes into a record that leaves home what only the network needs. */
static void
address_home(struct stn_worker *owner, struct stn_record *record)
{
	struct stn_node *node = owner->node;
	uint64_t slot = (uint64_t)(record - owner->deque.slots);

	record->rank = node->rank;
	record->slot = (uint32_t)(owner->number * node->config.slots + slot);
	record->task_id = stn_table_id(&node->table, stn_deque_task(record));
	record->epoch++;
}

static struct stn_record *
take_from_workers(struct stn_node *node, struct stn_held *thief)
{
	struct stn_worker *owner;
	struct stn_record *record = take_any(node, thief, &owner);

	if (!record)
		return NULL;
	address_home(owner, record);
	owner->stats.lent++;
	return record;
}

static bool
job_suits(const struct stn_job *job, void *thief)
{
	const struct wanted wanted = { job->node, thief, job->came_ns };

	return may_lend(&wanted, job->record.task, &job->record);
}

/*
 * What came over a link waits at the tail: it is the next to go. But not before
 * this node's own workers, who asked for it: between two idle nodes that ask
 * each other it would go to and fro, faster than one of them wakes up.
 */
static struct stn_job *
take_spare(struct stn_node *node, struct stn_held *thief)
{
	if (node->waiting <= stn_node_seeking(node, NULL))
		return NULL;
	return thief ? stn_inbox_take_if(node, job_suits, thief)
		     : stn_inbox_take(node);
}

/* Must the balancer be asked what to lend to a request from there? */
static bool
is_choosy(const struct stn_node *node, uint32_t from)
{
	return node->balancer->lends &&
	       stn_cluster_of(&node->topology, from) != node->cluster;
}

bool
stn_lend_any(struct stn_node *node, struct stn_held *thief)
{
	struct stn_held *asked = is_choosy(node, thief->from) ? thief : NULL;
	struct stn_job *job = take_spare(node, asked);
	struct stn_record *record;

	if (job) {
		stn_lend_job(node, thief->from, thief->number, job);
		return true;
	}
	record = take_from_workers(node, asked);
	if (record)
		grant(node, thief->from, thief->number, record, record_left,
		      node);
	return record;
}

void
stn_lend_job(struct stn_node *node, uint32_t to, uint32_t number,
	     struct stn_job *job)
{
	node->stats.relayed++;
	grant(node, to, number, &job->record, job_left, job);
}

static void
push_arrived(struct stn_node *node)
{
	node->in_transit--;
	if (node->trace)
		stn_trace(node->trace, stn_node_now(node), "left", STN_PUSH,
			  node->rank, NULL);
}

void
stn_lend_taken(struct stn_node *node, uint32_t from)
{
	if (!node->in_transit)
		stn_node_fail(node, "node %" PRIu32 " took what was not pushed",
			      from);
	push_arrived(node);
}

static void
push_left(void *arg, enum stn_err err)
{
	struct stn_node *node = arg;

	record_left(node, err);
	if (stn_transport_limits(node->transport)->arrives)
		push_arrived(node);
}

static void
pushed_job_left(void *arg, enum stn_err err)
{
	struct stn_job *job = arg;

	push_left(job->node, err);
	stn_job_free(job);
}

static void
push(struct stn_node *node, uint32_t to, struct stn_record *record,
     stn_done *done, void *arg)
{
	record->request = 0;
	node->in_transit++;
	send_record(node, to, STN_PUSH, record, done, arg);
}

bool
stn_lend_push(struct stn_node *node, uint32_t to)
{
	struct stn_job *job = stn_inbox_take_foreign(node);
	struct stn_record *record =
		job ? &job->record : take_from_workers(node, NULL);

	if (!record)
		return false;
	node->stats.relayed += job != NULL;
	if (job)
		push(node, to, record, pushed_job_left, job);
	else
		push(node, to, record, push_left, node);
	return true;
}

void
stn_lend_home(struct stn_node *node)
{
	struct stn_job *job;

	if (!node->waiting || stn_node_seeking(node, NULL))
		return;
	stn_node_enter(node);
	while ((job = stn_inbox_take_foreign(node))) {
		node->stats.relayed++;
		push(node, job->record.rank, &job->record, pushed_job_left,
		     job);
	}
	stn_node_leave(node);
}

/* Who was refused may be gone; nothing is lost. */
static void
gauge_left(void *arg, enum stn_err err)
{
	(void)err;
	free(arg);
}

/* As a payload goes with it, its header stays until it has left. */
static void
refuse_with_gauge(struct stn_node *node, uint32_t to,
		  const struct stn_wire_refusal *refusal)
{
	static char gauge[STN_GAUGE_BYTES]; /* never written */
	const struct iovec piece = { gauge, sizeof(gauge) };
	struct stn_wire_refusal *header = malloc(sizeof(*header));

	if (!header)
		stn_node_fail(node, "out of memory");
	*header = *refusal;
	stn_node_send(node, to, STN_REFUSE, header, sizeof(*header), &piece, 1,
		      gauge_left, header);
}

void
stn_lend_refuse(struct stn_node *node, const struct stn_held *thief)
{
	const struct stn_wire_refusal refusal = { thief->number };

	if (thief->gauge)
		refuse_with_gauge(node, thief->from, &refusal);
	else
		stn_node_send(node, thief->from, STN_REFUSE, &refusal,
			      sizeof(refusal), NULL, 0, NULL, NULL);
}

void
stn_lend(struct stn_node *node, uint32_t from,
	 const struct stn_wire_request *request)
{
	struct stn_held thief = {
		.from = from,
		.number = request->number,
		.until_ns = stn_node_now(node) + request->patience_us * 1000ull,
		.seen = request->seen,
	};

	if (!stn_lend_any(node, &thief) && !stn_hold(node, &thief))
		stn_lend_refuse(node, &thief);
}

/*
 * The result is in its place. Who waits for it may have been looking for work
 * meanwhile, and needs none now.
 */
static void
end_loan(struct stn_node *node, struct stn_record *record)
{
	stn_deque_done(record);
	stn_node_wake(node);
	stn_decide_withdrawn(node, record);
}

/* Where a result is landing. */
struct landing {
	struct stn_node *node;
	struct stn_record *record;
	uint32_t from;
};

static void
landed(void *arg, enum stn_err err)
{
	struct landing *landing = arg;

	if (err)
		stn_node_miss(landing->node, landing->from,
			      "a result from node %" PRIu32 " was lost: %s",
			      landing->from, stn_err_text(err));
	end_loan(landing->node, landing->record);
	free(landing);
}

/* The record that is out under this slot and epoch, or NULL. */
static struct stn_record *
find_lent(struct stn_node *node, const struct stn_wire_result *result)
{
	uint64_t worker = result->slot / node->config.slots;
	uint64_t slot = result->slot % node->config.slots;
	struct stn_record *record;

	if (worker >= node->worker_count)
		return NULL;
	record = &node->workers[worker].deque.slots[slot];
	if (__atomic_load_n(&record->thief, __ATOMIC_RELAXED) !=
		    STN_THIEF_NODE ||
	    record->epoch != result->epoch)
		return NULL;
	return record;
}

void
stn_lend_came_home(struct stn_node *node, const struct stn_job *job)
{
	const struct stn_record *copy = &job->record;
	struct stn_record *record;
	struct stn_gather from, to;

	record = find_lent(
		node, &(struct stn_wire_result){ copy->slot, copy->epoch });
	if (!record)
		return;
	if (stn_gather_init(&from, copy->task, copy, STN_OUTPUTS,
			    job->result) ||
	    stn_gather_init(&to, stn_deque_task(record), record, STN_OUTPUTS,
			    record->arguments))
		stn_node_fail(node, "out of memory");
	if (copy->task != stn_deque_task(record) || from.bytes != to.bytes)
		stn_node_fail(node, "a record came home malformed");
	stn_pieces_copy(to.pieces, from.pieces, from.bytes);
	stn_gather_fini(&from);
	stn_gather_fini(&to);
	record->epoch++;
	end_loan(node, record);
}

void
stn_lend_result(struct stn_node *node, const struct stn_message *message,
		const struct stn_wire_result *result)
{
	struct stn_record *record = find_lent(node, result);
	struct stn_gather outputs;
	struct landing *landing;

	if (!record) {
		/* Nobody waits for it: a result that came twice. */
		stn_transport_refuse(node->transport, message);
		return;
	}
	landing = malloc(sizeof(*landing));
	if (!landing || stn_gather_init(&outputs, stn_deque_task(record),
					record, STN_OUTPUTS, record->arguments))
		stn_node_fail(node, "out of memory");
	if (outputs.bytes != message->payload_bytes)
		stn_node_fail(node,
			      "node %" PRIu32 " sent a result of %zu bytes "
			      "where %zu belong",
			      message->from, message->payload_bytes,
			      outputs.bytes);
	*landing = (struct landing){ node, record, message->from };
	record->epoch++; /* a second result no longer fits */
	stn_transport_take(node->transport, message, outputs.pieces,
			   outputs.count, landed, landing);
	stn_gather_fini(&outputs);
}
