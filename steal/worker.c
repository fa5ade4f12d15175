/*
 * worker.c: how a worker finds work when its own deque has none: its node's
 * inbox, the other workers of its node, and, through the balancer, the other
 * nodes. It looks there when it is idle, and while it waits in a sync for a
 * call that was stolen.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "steal/node.h"

static struct stn_worker *
worker_of(struct stn_deque *deque)
{
	return (struct stn_worker *)deque;
}

/* Steals from another worker of the node, and runs the record where it lies. */
static bool
run_neighbours(struct stn_worker *worker, struct stn_record *head)
{
	struct stn_node *node = worker->node;
	uint32_t others = node->worker_count - 1;
	uint32_t first = others ? stn_random_below(&worker->random, others) : 0;

	for (uint32_t i = 0; i < others; i++) {
		uint32_t victim = (worker->number + 1 + (first + i) % others) %
				  node->worker_count;
		struct stn_record *record;

		record = stn_deque_steal(&node->workers[victim].deque,
					 STN_THIEF_WORKER + worker->number);
		if (!record)
			continue;
		worker->stats.stolen_node++;
		record->task->run(&worker->deque, record, head);
		stn_deque_done(record);
		stn_node_wake(node);
		return true;
	}
	return false;
}

static bool
run_inbox(struct stn_worker *worker, struct stn_record *head)
{
	struct stn_job *job = stn_inbox_take(worker->node);

	if (!job)
		return false;
	if (job->wide)
		worker->stats.stolen_wan++;
	else
		worker->stats.stolen_lan++;
	job->record.task->run(&worker->deque, &job->record, head);
	stn_borrow_return(worker->node, job);
	return true;
}

/* Runs one record from elsewhere; whatever it spawns goes on @head. */
static bool
run_one(struct stn_worker *worker, struct stn_record *head)
{
	return run_inbox(worker, head) || run_neighbours(worker, head);
}

/* Does a worker that waits for @record (an idle one: NULL) wait no longer? */
static bool
over(struct stn_worker *worker, struct stn_record *record)
{
	if (record)
		return stn_deque_is_done(record);
	return worker->node->stopping;
}

/*
 * Nothing was found since @since: asks other nodes, polls for their answers,
 * and, after a while of that, sleeps until something happens.
 */
static void
look_around(struct stn_worker *worker, uint32_t generation, uint64_t since)
{
	struct stn_node *node = worker->node;
	uint64_t until = STN_FOREVER;

	if (node->topology.nodes > 1) {
		until = stn_borrow_ask(node);
		stn_node_poll(node);
	}
	if (stn_node_now(node) - since > node->config.spin_ns)
		stn_node_sleep(node, generation, until);
}

/* Works until what the worker waits for has come; counts the time it didn't. */
static void
wait_for(struct stn_worker *worker, struct stn_record *awaited,
	 struct stn_record *head, uint64_t *lost_ns)
{
	struct stn_node *node = worker->node;
	uint64_t since = stn_node_now(node);

	for (;;) {
		uint32_t generation = node->generation;
		uint64_t now = stn_node_now(node);

		if (over(worker, awaited)) {
			*lost_ns += now - since;
			break;
		}
		if (run_one(worker, head)) {
			*lost_ns += now - since;
			since = stn_node_now(node);
		} else {
			look_around(worker, generation, since);
		}
	}
}

void
stn_sync_slow(struct stn_deque *deque, struct stn_record *record)
{
	struct stn_worker *worker = worker_of(deque);

	if (stn_deque_reclaim(deque, record) == STN_THIEF_NONE) {
		record->task->run(deque, record, record);
		return;
	}
	if (!stn_deque_is_done(record))
		wait_for(worker, record, record + 1, &worker->stats.waiting_ns);
	stn_deque_free(deque, record);
}

bool
stn_spawn_room(struct stn_deque *deque, struct stn_record *head)
{
	return head < deque->end;
}

void
stn_spawn_announce(struct stn_deque *deque)
{
	struct stn_worker *worker = worker_of(deque);

	struct stn_node *node = worker->node;

	/*
	 * Raised before sleepers are counted: who lowers it from now on has
	 * counted itself.
	 */
	if (node->config.stats)
		worker->stats.spawned++;
	else
		stn_deque_raise(deque);
	atomic_thread_fence(memory_order_seq_cst);
	if (node->sleepers)
		stn_node_wake(node);
}

void
stn_unsynced(struct stn_deque *deque, const struct stn_task *task)
{
	stn_node_fail(worker_of(deque)->node,
		      "task %s returned between a STN_SPAWN and its STN_SYNC; "
		      "add the STN_SYNC",
		      task->name);
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

static const struct stn_task main_task = { .name = "STN_MAIN" };

/* Node 0's main, on worker 0. Afterwards all nodes are told to stop. */
static void
run_body(struct stn_worker *worker)
{
	struct stn_node *node = worker->node;
	struct stn_record *head = worker->deque.slots;
	struct stn_frame frame = { &worker->deque, head, head };

	node->status = node->body(&frame, node->argc, node->argv);
	if (frame.head != frame.base)
		stn_unsynced(&worker->deque, &main_task);
	fflush(stdout);
	stn_node_enter(node);
	for (uint32_t i = 0; i < node->topology.nodes; i++)
		if (i != node->rank)
			stn_node_send(node, i, STN_EXIT, NULL, 0, NULL, 0, NULL,
				      NULL);
	stn_node_leave(node);
	node->stopping = true;
	stn_node_wake(node);
}

void *
stn_worker_main(void *arg)
{
	struct stn_worker *worker = arg;
	uint64_t start = stn_node_now(worker->node);
	uint64_t lifetime;

	if (worker->node->config.stats)
		stn_deque_lower(&worker->deque);
	if (!worker->node->rank && !worker->number)
		run_body(worker);
	else
		wait_for(worker, NULL, worker->deque.slots,
			 &worker->stats.idle_ns);
	lifetime = stn_node_now(worker->node) - start;
	worker->stats.working_ns =
		lifetime - worker->stats.idle_ns - worker->stats.waiting_ns;
	return NULL;
}
