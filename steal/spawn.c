/*
 * spawn.c: the slow paths of spawns and syncs (the plain ones are in
 * sateen_record.h): a worker waits for work, the deque is full, or a record was
 * offered or stolen.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "node/progress.h"
#include "node/sleep.h"
#include "node/stack_guard.h"
#include "steal/adopt.h"
#include "steal/deposit.h"
#include "steal/keep.h"
#include "steal/sateen_range.h"
#include "steal/steal.h"
#include "steal/virtual_cost.h"
#include "steal/worker.h"

/*
 * Runs a call that has no slot in the deque, and spills its result. Not
 * inlined: the record would make the stack frame of each slow spawn larger.
 */
static __attribute__((noinline)) void
run_in_place(struct stn_owner *owner, struct stn_record *head,
	     const struct stn_task *task, const void *arguments)
{
	struct stn_record record;
	unsigned char result[STN_ARGUMENT_BYTES];

	memcpy(record.arguments, arguments, task->argument_bytes);
	owner->counts.executed_here++;
	stn_computes(owner);
	stn_owner_run(owner, &record, task, head, result);
	stn_computed(owner, 0);
	if (stn_spill_push(&owner->spill, task, result))
		stn_node_fail(owner->node,
			      "out of memory for results of %s; sync more "
			      "often, or raise --slots",
			      task->name);
}

static bool
anybody_hungry(const struct stn_node *node)
{
	for (uint32_t i = 0; i < node->worker_count; i++)
		if (atomic_load_explicit(&node->workers[i].hungry,
					 memory_order_relaxed))
			return true;
	return false;
}

/*
 * Tells the balancer that the queue is longer. If another thread holds the net
 * lock, the next spawn tries again.
 */
static void
tell_longer(struct stn_steal *steal)
{
	if (!stn_node_try_enter(steal->node))
		return;
	stn_decide_longer(steal);
	stn_node_leave(steal->node);
}

/* Must each spawn take the slow path, to look for a finished result? */
static bool
looks_for_results(const struct stn_owner *owner)
{
	return (owner->redoing && stn_orphans_count(&owner->steal->orphans)) ||
	       stn_keep_looks(owner);
}

/*
 * Called when a record was pushed and offered. A worker that waits awake takes
 * the record; sleeping workers are woken. While thieves wait awake, the limit
 * stays low and each record is offered.
 */
static void
announce(struct stn_owner *owner)
{
	struct stn_node *node = owner->node;
	struct stn_steal *steal = owner->steal;
	struct stn_deque *deque = &owner->deque;
	/*
	 * The limit is raised before sleepers and parked requests are counted.
	 * A thread that lowers the limit after that has counted itself before,
	 * so the fence pairs with the fences in steal_may_sleep (service.c) and
	 * park (parked.c).
	 */
	if (!deque->fenced && !looks_for_results(owner) &&
	    !anybody_hungry(node))
		stn_deque_raise(deque);
	atomic_thread_fence(memory_order_seq_cst);
	if (node->sleepers)
		stn_node_wake(node);
	if (steal->parked.count)
		stn_parked_spawned(owner);
	if (steal->deciding.balancer->longer)
		tell_longer(steal);
}

/* If the result of the call is known, completes its record. */
static bool
find_result(struct stn_owner *owner, struct stn_record *record,
	    const struct stn_task *task)
{
	return (stn_keep_looks(owner) &&
		stn_keep_spawned(owner, record, task)) ||
	       (owner->redoing && stn_adopt_spawned(owner, record, task));
}

struct stn_record *
stn_spawn_slow(struct stn_deque *deque, struct stn_record *head,
	       const struct stn_task *task, const void *arguments)
{
	struct stn_owner *owner = stn_owner_of(deque);

	stn_computed(owner, 1);
	owner->counts.spawned++;
	if (owner->returns.count)
		stn_returns_send(owner); /* the call may take long */
	if (head >= deque->end) {
		stn_deque_full(deque);
		run_in_place(owner, deque->end, task, arguments);
		head = deque->end;
	} else {
		memmove(head->arguments, arguments, task->argument_bytes);
		head->flags = owner->redoing;
		stn_span_spawned(&owner->span, deque, head);
		if (!find_result(owner, head, task)) {
			stn_deque_push(deque, head, task);
			announce(owner);
		}
	}
	stn_computes(owner);
	return head + 1;
}

void
stn_spawn_late(struct stn_deque *deque, struct stn_record *record)
{
	stn_deque_offer(deque, record);
	announce(stn_owner_of(deque));
}

/* Takes the result of a call that was run in place off the spill. */
static struct stn_record *
sync_spill(struct stn_owner *owner, const struct stn_task *task, void *result)
{
	const struct stn_task *last = stn_spill_top(&owner->spill);

	if (last != task)
		stn_mismatched(&owner->deque, last, task);
	stn_spill_pop(&owner->spill, result);
	/*
	 * While the spill has results, the head stays at end + 1, so that the
	 * next sync gets the record at end and comes here again.
	 */
	return owner->deque.end + (owner->spill.used ? 1 : 0);
}

static inline __attribute__((always_inline)) void
run_plain(struct stn_owner *owner, struct stn_record *record,
	  const struct stn_task *task, void *result)
{
	owner->counts.executed_here++;
	stn_computes(owner);
	stn_owner_run(owner, record, task, record, result);
	stn_computed(owner, 0);
}

/*
 * Runs a marked record, and deposits its result. Not inlined: the deposit would
 * make the stack frame of each nested call larger.
 */
static __attribute__((noinline)) void
run_deposited(struct stn_owner *owner, struct stn_record *record,
	      const struct stn_task *task, void *result)
{
	struct stn_deposit deposit;

	bool deposits = stn_deposit_begin(owner, &deposit, task, record);

	run_plain(owner, record, task, result);
	if (deposits)
		stn_deposit_end(owner, &deposit, result);
}

/*
 * The same for a record that --keep or --resume has marked. Not inlined
 * likewise.
 */
static __attribute__((noinline)) void
run_kept(struct stn_owner *owner, struct stn_record *record,
	 const struct stn_task *task, void *result, bool deposit)
{
	struct stn_kept kept;

	stn_keep_begin(owner, &kept, task, record);
	if (stn_keep_reuse(owner, task, record, kept.key, kept.hint, result))
		return;
	if (deposit)
		run_deposited(owner, record, task, result);
	else
		run_plain(owner, record, task, result);
	stn_keep_end(owner, &kept, result);
}

/* Runs a record that its owner has popped. */
static void
run_popped(struct stn_owner *owner, struct stn_record *record,
	   const struct stn_task *task, void *result)
{
	bool deposit = stn_deposit_popped(owner, record);

	if (stn_keep_popped(owner, record, task))
		run_kept(owner, record, task, result, deposit);
	else if (deposit)
		run_deposited(owner, record, task, result);
	else
		run_plain(owner, record, task, result);
}

static struct stn_record *
sync_any(struct stn_owner *owner, struct stn_record *record,
	 const struct stn_task *task, void *result)
{
	struct stn_deque *deque = &owner->deque;
	uint64_t path_ns;
	int32_t thief;

	if (record == deque->end)
		return sync_spill(owner, task, result);
	thief = stn_deque_retake(deque, record);
	if (thief == STN_THIEF_NONE) {
		path_ns = stn_span_enter(&owner->span, deque, record);
		run_popped(owner, record, task, result);
		stn_span_join(&owner->span, path_ns);
		return record;
	}
	stn_deposit_popped(owner, record);
	if (stn_deque_task(record) != task)
		stn_mismatched(deque, stn_deque_task(record), task);
	if (thief != STN_THIEF_DONE)
		stn_steal_await(owner, record, thief);
	stn_span_synced(&owner->span, deque, record);
	if (task->result_bytes)
		memcpy(result, record->arguments, task->result_bytes);
	stn_deque_free(deque, record);
	return record;
}

struct stn_record *
stn_sync_slow(struct stn_deque *deque, struct stn_record *record,
	      const struct stn_task *task, void *result)
{
	struct stn_owner *owner = stn_owner_of(deque);

	stn_computed(owner, 0);
	record = sync_any(owner, record, task, result);
	stn_computes(owner);
	return record;
}

void
stn_unsynced(struct stn_deque *deque, const struct stn_task *task)
{
	stn_node_fail(stn_owner_of(deque)->node,
		      "task %s returned between a STN_SPAWN and its STN_SYNC; "
		      "add the STN_SYNC",
		      task->name);
}

void
stn_unspawned(struct stn_deque *deque, const struct stn_task *task)
{
	stn_node_fail(stn_owner_of(deque)->node,
		      "STN_SYNC(%s) comes without a STN_SPAWN; each sync needs "
		      "a spawn before it, in the same task",
		      task->name);
}

void
stn_mismatched(struct stn_deque *deque, const struct stn_task *spawned,
	       const struct stn_task *synced)
{
	stn_node_fail(stn_owner_of(deque)->node,
		      "STN_SYNC(%s) meets a STN_SPAWN of %s; sync in the "
		      "reverse order of the spawns",
		      synced->name, spawned->name);
}

void
stn_range_unfit(struct stn_deque *deque, uint32_t rows, int64_t rounds)
{
	stn_node_fail(stn_owner_of(deque)->node,
		      "STN_FOR or STN_REDUCE has a buffer of %" PRIu32
		      " rows for %" PRId64 " rounds; each round has a row of "
		      "its own",
		      rows, rounds);
}

/* Ends the process for a bug of the program, perhaps outside of any worker. */
static _Noreturn void
end_program(const char *text)
{
	struct stn_worker *worker = stn_stack_guard_worker();

	if (worker)
		stn_node_fail(worker->node, "%s", text);
	fprintf(stderr, "sateen: %s\n", text);
	abort();
}

void
stn_rows_too_many(uint64_t rows)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "%" PRIu64 " rows are too many for a buffer; describe them as "
		 "fewer, longer rows",
		 rows);
	end_program(text);
}

void
stn_row_too_long(uint64_t bytes)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "a row of %" PRIu64 " bytes is too long for a buffer; "
		 "describe it as several rows (STN_IN_ROWS)",
		 bytes);
	end_program(text);
}
