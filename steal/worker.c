/*
 * worker.c: how a worker finds work when its own deque has none: its node's
 * inbox, the other workers of its node, and, through the balancer, the other
 * nodes. It looks there when it is idle, and while it waits in a sync for a
 * call that was stolen.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steal/cost.h"
#include "steal/guard.h"

#define COAXINGS 40	  /* looks at a record, for its owner to offer it */
#define LOOKS 16	  /* around the node, between looks at the clock, */
#define EARLY_NS 10000ull /* a stolen call may be back before that */
#define GLANCES 2	  /* or at the network, where there is one */

struct stn_worker *
stn_worker_of(struct stn_deque *deque)
{
	return (struct stn_worker *)deque;
}

/*
 * In the worker's own memory: it goes on at once, and the others' spawns look
 * when they have the time. Relaxed: a hint.
 */
static void
set_hungry(struct stn_worker *worker, bool hungry)
{
	atomic_store_explicit(&worker->hungry, hungry, memory_order_relaxed);
}

/* Unlike hungry, it stays so while the worker sleeps. */
static void
set_seeking(struct stn_worker *worker, bool seeking)
{
	set_hungry(worker, seeking);
	atomic_store_explicit(&worker->seeking, seeking, memory_order_relaxed);
}

/* The worker has found something @to_work on, or goes to sleep. */
static void
stop_looking(struct stn_worker *worker, bool to_work)
{
	set_hungry(worker, false);
	if (to_work)
		set_seeking(worker, false);
	if (!worker->polling)
		return;
	worker->polling = false;
	stn_node_poll_end(worker->node, to_work);
}

/*
 * Makes a neighbour offer a record: a swap then takes it, instead of a system
 * call that interrupts who computes. One that spawns little answers late or
 * never.
 */
static void
coax(struct stn_deque *deque)
{
	stn_deque_lower(deque);
	for (int i = 0; i < COAXINGS; i++) {
		if (stn_deque_offered(deque) || !stn_deque_maybe(deque))
			return;
		stn_pause();
	}
}

/* Steals from another worker of the node, and runs the record where it lies. */
static bool
run_neighbour(struct stn_worker *worker, struct stn_deque *deque,
	      struct stn_record *head)
{
	struct stn_record *record;

	if (!stn_deque_maybe(deque)) {
		stn_deque_lower(deque);
		return false;
	}
	coax(deque);
	record = stn_deque_steal(deque, STN_THIEF_WORKER + worker->number);
	if (!record)
		return false;
	stop_looking(worker, true);
	worker->stats.stolen_node++;
	worker->stats.executed_here++;
	stn_deque_task(record)->run(&worker->deque, record, head,
				    record->arguments);
	stn_deque_done(record);
	stn_node_wake(worker->node);
	return true;
}

static bool
run_neighbours(struct stn_worker *worker, struct stn_record *head)
{
	struct stn_node *node = worker->node;
	uint32_t others = node->worker_count - 1;
	uint32_t first = others ? stn_random_below(&worker->random, others) : 0;

	for (uint32_t i = 0; i < others; i++) {
		uint32_t victim = (worker->number + 1 + (first + i) % others) %
				  node->worker_count;

		if (run_neighbour(worker, &node->workers[victim].deque, head))
			return true;
	}
	return false;
}

static void
count_job(struct stn_worker *worker, const struct stn_job *job)
{
	if (job->wide)
		worker->stats.stolen_wan++;
	else
		worker->stats.stolen_lan++;
	if (job->record.rank == worker->node->rank)
		worker->stats.executed_here++; /* it is back */
	else
		worker->stats.executed_elsewhere++;
}

/* Runs a record that came from another node, if there is one. */
static bool
run_job(struct stn_worker *worker, struct stn_job *job, struct stn_record *head)
{
	struct stn_node *node = worker->node;
	uint64_t begin, end;

	if (!job)
		return false;
	stop_looking(worker, true);
	count_job(worker, job);
	begin = stn_node_now(node);
	stn_computes(worker);
	job->record.task->run(&worker->deque, &job->record, head, job->result);
	stn_computed(worker, 0);
	end = stn_node_now(node);
	stn_borrow_return(node, job, end - begin);
	worker->stats.communicating_ns += stn_node_now(node) - end;
	return true;
}

/*
 * What a worker waits for: a stolen record to be run (an idle one: NULL), and
 * by whom; and what it may run meanwhile, whose spawns go on @head. The thief's
 * own records are parts of the stolen one (leapfrogging; Wagner and Calder,
 * PPoPP 1993): they lie no deeper than if it had not been stolen. Nor does the
 * stolen record, if it comes home (stn_lend_home). Anything else may be long
 * and deep, and is for a stack that has the room.
 */
struct wait {
	struct stn_record *record;
	struct stn_deque *thief; /* NULL: on another node */
	struct stn_record *head;
	bool anything;
	uint64_t since; /* when it last had work */
	uint64_t seen;	/* the clock, when it last looked */
	bool owed;	/* by another node, at that time */
};

static bool
over(const struct stn_worker *worker, const struct wait *wait)
{
	if (wait->record)
		return stn_deque_is_done(wait->record);
	return worker->node->stopping;
}

static bool
run_one(struct stn_worker *worker, const struct wait *wait)
{
	struct stn_node *node = worker->node;

	if (wait->thief && run_neighbour(worker, wait->thief, wait->head))
		return true;
	if (!wait->anything)
		return run_job(worker, stn_inbox_take_copy(node, wait->record),
			       wait->head);
	return run_job(worker, stn_inbox_take(node), wait->head) ||
	       run_neighbours(worker, wait->head);
}

/* Does another node have something to answer, or to give back? */
static bool
is_owed(const struct stn_worker *worker, const struct wait *wait)
{
	return worker->node->asking || (wait->record && !wait->thief);
}

/* The worker has nothing to do, and looks at the clock. */
static void
set_seen(struct stn_worker *worker, struct wait *wait, uint64_t now)
{
	wait->seen = now;
	wait->owed = is_owed(worker, wait);
	/* Relaxed: for lenders, about. */
	atomic_store_explicit(&worker->since_ns, now, memory_order_relaxed);
}

/* The worker has had nothing to do since the clock was last seen. */
static void
spend(struct stn_worker *worker, struct wait *wait)
{
	struct stn_stats *stats = &worker->stats;
	uint64_t now = stn_node_now(worker->node), spent = now - wait->seen;

	if (wait->owed)
		stats->communicating_ns += spent;
	else
		stats->idle_ns += spent;
	if (wait->record)
		stats->sync_ns += spent;
	set_seen(worker, wait, now);
}

/*
 * Nothing was found for some looks: asks other nodes, polls for their answers,
 * and, after a while of that, sleeps until something happens.
 */
static void
look_around(struct stn_worker *worker, struct wait *wait, uint32_t generation)
{
	struct stn_node *node = worker->node;
	uint64_t until = STN_FOREVER, waited = wait->seen - wait->since;

	if (node->topology.nodes > 1) {
		if (!worker->polling)
			stn_node_poll_begin(node);
		worker->polling = true;
		if (wait->anything && (!wait->record || waited >= EARLY_NS))
			until = stn_borrow_ask(node);
		else if (wait->anything)
			until = wait->since + EARLY_NS;
		else
			stn_lend_home(node);
		stn_node_poll(node);
	}
	spend(worker, wait);
	if (!node->sim && wait->seen - wait->since <= node->config.spin_ns)
		return;
	stop_looking(worker, false);
	worker->asleep = wait;
	stn_node_sleep(node, generation, until, wait->anything);
	worker->asleep = NULL;
	spend(worker, wait);
	set_hungry(worker, wait->anything);
}

/* Looks for work a few times. Has it run some? */
static bool
look(struct stn_worker *worker, struct wait *wait)
{
	int looks = worker->node->topology.nodes > 1 ? GLANCES : LOOKS;

	for (int i = 0; i < looks && !over(worker, wait); i++) {
		if (run_one(worker, wait))
			return true;
		stn_pause();
	}
	return false;
}

/* The worker has nothing to do from now on. */
static void
begin_waiting(struct stn_worker *worker, struct wait *wait)
{
	wait->since = stn_node_now(worker->node);
	set_seen(worker, wait, wait->since);
	set_seeking(worker, wait->anything);
}

/*
 * Works until what the worker waits for has come. When it finds work the clock
 * is not read first: work that is spawned now should start now.
 */
static void
wait_for(struct stn_worker *worker, struct wait *wait)
{
	struct stn_node *node = worker->node;

	begin_waiting(worker, wait);
	for (;;) {
		/* Read before looking: stn_node_sleep. */
		uint32_t generation = node->generation;

		if (look(worker, wait)) {
			begin_waiting(worker, wait);
			continue;
		}
		if (over(worker, wait))
			break;
		look_around(worker, wait, generation);
	}
	stop_looking(worker, true);
	spend(worker, wait);
}

/* Has the worker used less than a quarter of its stack? */
static bool
shallow(const struct stn_worker *worker)
{
	const char *here = (const char *)__builtin_frame_address(0);
	size_t used = (size_t)(worker->stack - here);

	return used < worker->node->config.stack_bytes / 4;
}

void
stn_worker_await(struct stn_worker *worker, struct stn_record *record,
		 int32_t thief)
{
	struct stn_node *node = worker->node;
	struct wait wait = {
		.record = record,
		.head = record + 1,
		.anything = shallow(worker),
	};

	if (thief != STN_THIEF_NODE)
		wait.thief = &node->workers[thief - STN_THIEF_WORKER].deque;
	wait_for(worker, &wait);
}

/* What main has printed is the run's result: that it is lost is a failure. */
static int
write_out(int status)
{
	errno = 0; /* an earlier write may have failed */
	if ((!fflush(stdout) && !ferror(stdout)) || status)
		return status;
	fprintf(stderr, "sateen: can't write standard output%s%s\n",
		errno ? ": " : "", errno ? strerror(errno) : "");
	return EXIT_FAILURE;
}

static const struct stn_task main_task = { .name = "STN_MAIN" };

/* Node 0's main, on worker 0. Afterwards all nodes are told to stop. */
static void
run_body(struct stn_worker *worker)
{
	struct stn_node *node = worker->node;
	struct stn_frame frame = { &worker->deque, worker->deque.slots, 0 };
	uint64_t begin = stn_node_now(node);

	stn_computes(worker);
	node->status = node->body(&frame, node->argc, node->argv);
	stn_computed(worker, 0);
	if (frame.pending)
		stn_unsynced(&worker->deque, &main_task);
	node->run_ns = stn_node_now(node) - begin;
	node->status = write_out(node->status);
	stn_node_enter(node);
	for (uint32_t i = 0; i < node->topology.nodes; i++)
		if (i != node->rank)
			stn_node_send(node, i, STN_EXIT, NULL, 0, NULL, 0, NULL,
				      NULL);
	stn_node_leave(node);
	node->stopping = true;
	stn_node_wake(node);
}

/* Goes to the worker's own core, if it has one, before it touches its slab. */
static void
settle(struct stn_worker *worker)
{
	struct stn_node *node = worker->node;
	struct stn_deque *deque = &worker->deque;
	size_t slots = (size_t)(deque->end - deque->slots);

	if (node->places)
		stn_places_bind(node->places, node->place + worker->number,
				deque->slots, slots * sizeof(deque->slots[0]));
}

void
stn_worker_tally(struct stn_worker *worker)
{
	struct stn_stats *stats = &worker->stats;
	uint64_t life;

	if (worker->asleep)
		spend(worker, worker->asleep);
	life = stn_node_now(worker->node) - worker->begin_ns;
	stats->working_ns = life - stats->communicating_ns - stats->idle_ns;
}

void *
stn_worker_main(void *arg)
{
	struct stn_worker *worker = arg;
	struct wait idle = { .head = worker->deque.slots, .anything = true };

	worker->begin_ns = stn_node_now(worker->node);
	worker->stack = (const char *)__builtin_frame_address(0);
	worker->since_ns = worker->begin_ns;
	stn_guard_enter(worker);
	settle(worker);
	if (!worker->node->rank && !worker->number)
		run_body(worker);
	else
		wait_for(worker, &idle);
	stn_guard_leave(worker);
	stn_worker_tally(worker);
	return NULL;
}
