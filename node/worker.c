/*
 * worker.c: how a worker waits: without work, for the end of the run; inside a
 * piece of work, for something that the work needs. Meanwhile the worker runs
 * other work, polls the network, and sleeps.
 */
#include "node/worker.h"

#include <stdlib.h>
#include <string.h>

#include "emul/sim.h"
#include "node/cores.h"
#include "node/progress.h"
#include "node/sleep.h"
#include "node/stack_guard.h"
#include "node/stats/core_time.h"

#define LOOKS 16 /* looks for work before a poll of the network */
/* The same before the first poll, and if the network can't tell of news. */
#define GLANCES 2

void
stn_workers_stop(struct stn_node *node)
{
	node->stopping = true;
	stn_node_wake(node);
}

void
stn_workers_init(struct stn_node *node)
{
	node->worker_count = node->start.workers;
	for (uint32_t i = 0; i < node->worker_count; i++) {
		node->workers[i].node = node;
		node->workers[i].number = i;
		/*
		 * A worker seeks even before its thread has begun; but worker 0
		 * of node 0 runs main.
		 */
		node->workers[i].seeking = node->rank || i;
	}
}

/*
 * A relaxed store to the worker's own memory: the worker goes on at once, and
 * other processors see the store soon. A hint: pairs with nothing.
 */
static void
set_hungry(struct stn_worker *worker, bool hungry)
{
	atomic_store_explicit(&worker->hungry, hungry, memory_order_relaxed);
}

/*
 * Unlike hungry, seeking stays true while the worker sleeps. Relaxed: a hint,
 * pairs with nothing.
 */
static void
set_seeking(struct stn_worker *worker, bool seeking)
{
	set_hungry(worker, seeking);
	atomic_store_explicit(&worker->seeking, seeking, memory_order_relaxed);
}

/*
 * The worker stops looking for work, because it has found some (@to_work) or
 * because it goes to sleep. Returns the time, or 0 if the clock was not read.
 */
static uint64_t
stop_looking(struct stn_worker *worker, bool to_work)
{
	set_hungry(worker, false);
	if (to_work)
		set_seeking(worker, false);
	if (!worker->polling)
		return 0;
	worker->polling = false;
	return stn_progress_poll_end(worker->node, to_work);
}

uint64_t
stn_worker_found(struct stn_worker *worker)
{
	return stop_looking(worker, true);
}

/* The worker has no work and has read the clock. */
static void
set_seen(struct stn_worker *worker, struct stn_wait *wait, uint64_t now)
{
	wait->seen_ns = now;
	wait->was_owed = wait->kind->owed(worker, wait);
	atomic_store_explicit(&worker->since_ns, now, memory_order_relaxed);
	atomic_store_explicit(&worker->owed, wait->was_owed,
			      memory_order_relaxed);
}

/* Relaxed: the live counts (node/live) read it, as a hint. */
static void
add_time(uint64_t *time, uint64_t spent)
{
	__atomic_store_n(time, *time + spent, __ATOMIC_RELAXED);
}

void
stn_worker_talked(struct stn_worker *worker, uint64_t ns)
{
	add_time(&worker->times.communicating_ns, ns);
}

/*
 * Counts the time from when the clock was last read until @now, without work.
 */
static void
spend_until(struct stn_worker *worker, struct stn_wait *wait, uint64_t now)
{
	struct stn_times *times = &worker->times;
	uint64_t spent = now - wait->seen_ns;

	if (wait->was_owed)
		add_time(&times->communicating_ns, spent);
	else
		add_time(&times->idle_ns, spent);
	if (wait->in_sync)
		times->sync_ns += spent;
	set_seen(worker, wait, now);
}

static void
spend(struct stn_worker *worker, struct stn_wait *wait)
{
	spend_until(worker, wait, stn_node_now(worker->node));
}

/*
 * Asks other nodes, and polls for their answers. Returns whether to sleep then,
 * until *until_p if nothing happens before.
 */
static bool
look_elsewhere(struct stn_worker *worker, struct stn_wait *wait,
	       uint64_t *until_p)
{
	struct stn_node *node = worker->node;

	*until_p = STN_FOREVER;
	if (node->topology->nodes > 1) {
		if (!worker->polling)
			stn_progress_poll_begin(node);
		worker->polling = true;
		*until_p = wait->kind->seek(worker, wait);
		/*
		 * If messages have come, the caller looks for work before it
		 * reads the clock; but not twice in a row.
		 */
		worker->hurries = stn_progress_poll(node) && !worker->hurries;
		if (worker->hurries || wait->kind->over(worker, wait))
			return false;
	}
	spend(worker, wait);
	if (!node->sim &&
	    wait->seen_ns - wait->since_ns <= node->config->spin_ns)
		return false;
	stop_looking(worker, false);
	worker->asleep = wait;
	return true;
}

static void
awake(struct stn_worker *worker, struct stn_wait *wait)
{
	worker->asleep = NULL;
	spend(worker, wait);
	set_hungry(worker, wait->any_work);
}

static bool
may_have_work(const struct stn_node *node)
{
	for (size_t i = 0; node->services[i]; i++) {
		const struct stn_service *service = node->services[i];

		if ((service->work || service->help) &&
		    (!service->has_work || service->has_work(node->states[i])))
			return true;
	}
	return false;
}

static void
end_virtual_sleep(struct stn_worker *worker)
{
	struct stn_node *node = worker->node;

	node->sleepers--;
	awake(worker, worker->asleep);
	worker->generation = node->generation;
}

/*
 * In virtual time a worker looks around and sleeps in steps, so that one that
 * finds no work does without its stack (stn_sim_steps). A step does what
 * stn_worker_wait does from a look for work, or from a sleep, to the next
 * sleep; it ends the steps if there may be work, or if the wait is over.
 */
static bool
look_step(void *arg, uint64_t *until_p)
{
	struct stn_worker *worker = arg;
	struct stn_node *node = worker->node;
	struct stn_wait *wait = worker->stepping;

	for (;;) {
		if (worker->asleep) {
			*until_p = worker->until_ns;
			if (stn_node_dozes(node, worker->generation, *until_p))
				return true;
			end_virtual_sleep(worker);
			if (may_have_work(node) ||
			    wait->kind->over(worker, wait))
				return false;
		}
		if (!look_elsewhere(worker, wait, &worker->until_ns))
			return false;
		node->sleepers++;
	}
}

/* Not inlined: that would make the stack frame of each nested wait larger. */
static __attribute__((noinline)) void
look_and_sleep(struct stn_worker *worker, struct stn_wait *wait,
	       uint32_t generation)
{
	uint64_t until;

	if (!look_elsewhere(worker, wait, &until))
		return;
	stn_node_sleep(worker->node, generation, until, wait->any_work);
	awake(worker, wait);
}

/*
 * Called when the worker found no work in some looks. Asks other nodes, polls
 * for their answers, and after a while of polling sleeps until something
 * happens.
 */
static void
look_around(struct stn_worker *worker, struct stn_wait *wait,
	    uint32_t generation)
{
	if (!worker->node->sim) {
		look_and_sleep(worker, wait, generation);
		return;
	}
	worker->stepping = wait;
	worker->generation = generation;
	stn_sim_steps(worker->node->sim, look_step, worker);
}

/*
 * Looks for work a few times, until the network may have news. Returns whether
 * the worker has run some.
 */
static bool
worker_look(struct stn_worker *worker, struct stn_wait *wait)
{
	struct stn_node *node = worker->node;
	int looks = LOOKS;

	if (node->sim)
		looks = 1; /* no other thread makes work between two looks */
	else if (node->topology->nodes > 1 && !worker->polling)
		looks = GLANCES; /* the worker has not asked other nodes yet */
	for (int i = 1; !wait->kind->over(worker, wait); i++) {
		if (wait->kind->work(worker, wait))
			return true;
		if (i == looks)
			break;
		stn_pause();
		if (stn_progress_has_news(node, i >= GLANCES))
			break;
	}
	return false;
}

/*
 * The worker is without work from now on. Not inlined, as look_and_sleep.
 */
static __attribute__((noinline)) void
begin_waiting(struct stn_worker *worker, struct stn_wait *wait)
{
	wait->since_ns = stn_node_now(worker->node);
	set_seen(worker, wait, wait->since_ns);
	set_seeking(worker, wait->any_work);
}

/*
 * A worker that finds work doesn't read the clock before it runs the work, so
 * that the work starts at once.
 */
void
stn_worker_wait(struct stn_worker *worker, struct stn_wait *wait)
{
	struct stn_node *node = worker->node;
	uint64_t now;

	begin_waiting(worker, wait);
	for (;;) {
		/* read before looking for work; pairs with stn_node_wake */
		uint32_t generation = node->generation;

		if (worker_look(worker, wait)) {
			begin_waiting(worker, wait);
			continue;
		}
		if (wait->kind->over(worker, wait))
			break;
		look_around(worker, wait, generation);
	}
	now = stop_looking(worker, true);
	spend_until(worker, wait, now ? now : stn_node_now(node));
}

bool
stn_worker_help(struct stn_worker *worker)
{
	struct stn_node *node = worker->node;

	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->help &&
		    node->services[i]->help(node->states[i], worker))
			return true;
	return false;
}

static bool
idle_over(struct stn_worker *worker, const struct stn_wait *wait)
{
	(void)wait;
	return worker->node->stopping || worker->node->main_due;
}

static bool
idle_work(struct stn_worker *worker, struct stn_wait *wait)
{
	struct stn_node *node = worker->node;

	(void)wait;
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->work &&
		    node->services[i]->work(node->states[i], worker))
			return true;
	return false;
}

static uint64_t
idle_seek(struct stn_worker *worker, struct stn_wait *wait)
{
	struct stn_node *node = worker->node;
	uint64_t first = STN_FOREVER;

	(void)wait;
	for (size_t i = 0; node->services[i]; i++) {
		uint64_t until = STN_FOREVER;

		if (node->services[i]->seek)
			until = node->services[i]->seek(node->states[i],
							worker);
		if (until < first)
			first = until;
	}
	return first;
}

static bool
idle_owed(struct stn_worker *worker, const struct stn_wait *wait)
{
	struct stn_node *node = worker->node;

	(void)wait;
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->owed &&
		    node->services[i]->owed(node->states[i]))
			return true;
	return false;
}

static const struct stn_wait_kind idle_kind = {
	.over = idle_over,
	.work = idle_work,
	.seek = idle_seek,
	.owed = idle_owed,
};

/* Runs main, on the root. Then the run ends on all nodes. */
static void
run_main(struct stn_worker *worker)
{
	struct stn_node *node = worker->node;
	uint64_t begin = stn_node_now(node);

	node->main_worker = worker->number;
	node->main_begin_ns = begin;
	node->began_main = true;
	node->status = node->start.main(node->start.program, worker);
	node->run_ns = stn_node_now(node) - begin;
	atomic_store_explicit(&node->ran_main, true, memory_order_release);
	node->status = node->start.flush(node->status);
	node->succeeded = !node->status;
	if (node->start.host.returned)
		node->start.host.returned(node->start.host.arg, node->status);
	stn_node_enter(node);
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->over)
			node->services[i]->over(node->states[i]);
	stn_node_leave(node);
	stn_workers_stop(node);
	/* The progress thread lets services refuse parked requests now. */
	stn_progress_kick(node);
}

void
stn_worker_tally(struct stn_worker *worker)
{
	struct stn_times *times = &worker->times;
	uint64_t life;

	if (worker->asleep)
		spend(worker, worker->asleep);
	life = stn_node_now(worker->node) - worker->begin_ns;
	times->working_ns = life - times->communicating_ns - times->idle_ns;
}

/*
 * Sets the upper halves of the vector registers to zero. A thread inherits them
 * from its creator, where a library may have left other values. Then each SSE
 * instruction of the program waits for the old value of its register.
 */
static void
clean_registers(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper" ::: "memory");
#endif
}

void *
stn_worker_main(void *arg)
{
	struct stn_worker *worker = arg;
	struct stn_node *node = worker->node;

	clean_registers();
	/* Relaxed, as in add_time. */
	__atomic_store_n(&worker->begin_ns, stn_node_now(node),
			 __ATOMIC_RELAXED);
	worker->stack = (const char *)__builtin_frame_address(0);
	worker->since_ns = worker->begin_ns;
	worker->idle = (struct stn_wait){ .kind = &idle_kind,
					  .any_work = true };
	stn_stack_guard_enter(worker);
	if (node->start.cores)
		stn_cores_bind(node->start.cores,
			       node->start.first_core + worker->number, NULL,
			       0);
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->enter)
			node->services[i]->enter(node->states[i], worker);
	if (!node->rank && !worker->number)
		run_main(worker);
	while (!node->stopping) {
		stn_worker_wait(worker, &worker->idle);
		if (!node->stopping && atomic_exchange(&node->main_due, false))
			run_main(worker);
	}
	stn_stack_guard_leave(worker);
	if (!node->sim && node->config->stats.wanted)
		stn_core_time_count(&worker->times);
	stn_worker_tally(worker);
	return NULL;
}
