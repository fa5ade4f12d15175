/*
 * spawn.c: what spawns and syncs do when they are not plain (sateen_task.h):
 * when somebody waits for work, when the deque is full, when a record was
 * offered or stolen.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "steal/cost.h"
#include "steal/node.h"

/* Runs a call for which the deque has no slot, and keeps its result. */
static void
run_in_place(struct stn_worker *worker, struct stn_record *head,
	     const struct stn_task *task, const void *arguments)
{
	struct stn_record record;
	unsigned char result[STN_ARGUMENT_BYTES];

	memcpy(record.arguments, arguments, task->argument_bytes);
	worker->stats.executed_here++;
	stn_computes(worker);
	task->run(&worker->deque, &record, head, result);
	stn_computed(worker, 0);
	if (stn_overflow_push(&worker->overflow, task, result))
		stn_node_fail(worker->node,
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

/* If the lock isn't free, the next spawn tries again. */
static void
tell_longer(struct stn_node *node)
{
	if (pthread_mutex_trylock(&node->net))
		return;
	stn_decide_longer(node);
	stn_node_leave(node);
}

/*
 * A record was pushed and offered: who waits for one awake takes it, others
 * are woken. As long as thieves wait awake, the limit stays low, and each
 * record is offered.
 */
static void
announce(struct stn_worker *worker)
{
	struct stn_node *node = worker->node;
	struct stn_deque *deque = &worker->deque;
	/*
	 * Raised before sleepers and held requests are counted: who lowers it
	 * from now on has counted itself.
	 */
	if (!deque->fenced && !anybody_hungry(node))
		stn_deque_raise(deque);
	atomic_thread_fence(memory_order_seq_cst);
	if (node->sleepers)
		stn_node_wake(node);
	if (node->held_count)
		stn_hold_spawned(worker);
	if (node->balancer->longer)
		tell_longer(node);
}

struct stn_record *
stn_spawn_slow(struct stn_deque *deque, struct stn_record *head,
	       const struct stn_task *task, const void *arguments)
{
	struct stn_worker *worker = stn_worker_of(deque);

	stn_computed(worker, 1);
	worker->stats.spawned++;
	if (head >= deque->end) {
		run_in_place(worker, deque->end, task, arguments);
		head = deque->end;
	} else {
		memcpy(head->arguments, arguments, task->argument_bytes);
		stn_deque_push(deque, head, task);
		announce(worker);
	}
	stn_computes(worker);
	return head + 1;
}

void
stn_spawn_late(struct stn_deque *deque, struct stn_record *record)
{
	stn_deque_offer(deque, record);
	announce(stn_worker_of(deque));
}

/* The result of a call that was run in place. */
static struct stn_record *
sync_overflow(struct stn_worker *worker, const struct stn_task *task,
	      void *result)
{
	const struct stn_task *last = stn_overflow_top(&worker->overflow);

	if (last != task)
		stn_mismatched(&worker->deque, last, task);
	stn_overflow_pop(&worker->overflow, result);
	/* There may be more results; the deque's last slot comes after them. */
	return worker->deque.end + (worker->overflow.used ? 1 : 0);
}

static struct stn_record *
sync_any(struct stn_worker *worker, struct stn_record *record,
	 const struct stn_task *task, void *result)
{
	struct stn_deque *deque = &worker->deque;
	int32_t thief;

	if (record == deque->end)
		return sync_overflow(worker, task, result);
	thief = stn_deque_retake(deque, record);
	if (thief == STN_THIEF_NONE) {
		worker->stats.executed_here++;
		stn_computes(worker);
		task->run(deque, record, record, result);
		stn_computed(worker, 0);
		return record;
	}
	if (stn_deque_task(record) != task)
		stn_mismatched(deque, stn_deque_task(record), task);
	if (thief != STN_THIEF_DONE)
		stn_worker_await(worker, record, thief);
	if (task->result_bytes)
		memcpy(result, record->arguments, task->result_bytes);
	stn_deque_free(deque, record);
	return record;
}

struct stn_record *
stn_sync_slow(struct stn_deque *deque, struct stn_record *record,
	      const struct stn_task *task, void *result)
{
	struct stn_worker *worker = stn_worker_of(deque);

	stn_computed(worker, 0);
	record = sync_any(worker, record, task, result);
	stn_computes(worker);
	return record;
}

void
stn_unsynced(struct stn_deque *deque, const struct stn_task *task)
{
	stn_node_fail(stn_worker_of(deque)->node,
		      "task %s returned between a STN_SPAWN and its STN_SYNC; "
		      "add the STN_SYNC",
		      task->name);
}

void
stn_unspawned(struct stn_deque *deque, const struct stn_task *task)
{
	stn_node_fail(stn_worker_of(deque)->node,
		      "STN_SYNC(%s) comes without a STN_SPAWN; each sync needs "
		      "a spawn before it, in the same task",
		      task->name);
}

void
stn_mismatched(struct stn_deque *deque, const struct stn_task *spawned,
	       const struct stn_task *synced)
{
	stn_node_fail(stn_worker_of(deque)->node,
		      "STN_SYNC(%s) meets a STN_SPAWN of %s; sync in the "
		      "reverse order of the spawns",
		      synced->name, spawned->name);
}

void
stn_row_too_long(uint64_t bytes)
{
	fprintf(stderr,
		"sateen: a row of %" PRIu64 " bytes is too long for a buffer; "
		"describe it as several rows (STN_IN_ROWS)\n",
		bytes);
	_exit(EXIT_FAILURE);
}
