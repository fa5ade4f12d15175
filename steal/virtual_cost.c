/*
 * virtual_cost.c: two models of the cost of computing. Measured: the processor
 * time that the thread has taken. Counted: a fixed time for each spawn and for
 * each unit of work that the program tells; it is the same on every machine.
 * Hollow: as counted.
 */
#include "steal/virtual_cost.h"

#include <time.h>

#include "emul/sim.h"
#include "emul/speeds.h"
#include "node/processor.h"
#include "node/stack_guard.h"
#include "steal/sateen.h"

static bool
counted(const struct stn_node *node)
{
	return node->config->cost[0] != 'm';
}

bool
stn_cost_hollow(const struct stn_node *node)
{
	return node->sim && node->config->cost[0] == 'h';
}

void
stn_cost_begin(struct stn_owner *owner)
{
	if (!owner->node->sim) {
		owner->span.since_ns = stn_node_now(owner->node);
		return;
	}
	stn_stack_guard_switch(owner->worker);
	if (!counted(owner->node))
		stn_sim_measure(owner->node->sim);
}

/* Work and span are those of a node of speed 1. */
static void
charge(struct stn_owner *owner, unsigned tasks)
{
	const struct stn_node *node = owner->node;
	const struct stn_config *config = node->config;
	uint64_t units = owner->deque.work - owner->charged;
	uint64_t ns = counted(node) ? tasks * config->task_cost_ns +
					      units * config->unit_cost_ns
				    : stn_sim_measure(node->sim);

	owner->charged += units;
	stn_span_add(&owner->span, owner->worker, ns);
	stn_sim_spend(node->sim, stn_speed_takes(node->start.speed,
						 stn_sim_now(node->sim), ns));
}

void
stn_cost_end(struct stn_owner *owner, unsigned tasks)
{
	if (!owner->node->sim)
		stn_span_add(&owner->span, owner->worker,
			     stn_node_now(owner->node) - owner->span.since_ns);
	else
		charge(owner, tasks);
}

double
stn_seconds(struct stn_deque *deque)
{
	struct stn_owner *owner = stn_owner_of(deque);
	uint64_t now;

	stn_computed(owner, 0);
	now = stn_node_now(owner->node);
	if (owner->main_frame) /* relaxed: this thread has set it */
		now -= atomic_load_explicit(&owner->node->main_lag_ns,
					    memory_order_relaxed);
	stn_computes(owner);
	return (double)now * 1e-9;
}

bool
stn_fuses(struct stn_deque *deque)
{
	return stn_processor_fuses(stn_owner_of(deque)->node->config);
}

/* Not inlined: @until would be on the stacks of simulated nodes. */
static __attribute__((noinline)) void
sleep_really(uint64_t end)
{
	struct timespec until = { (time_t)(end / STN_SECOND_NS),
				  (long)(end % STN_SECOND_NS) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		continue;
}

void
stn_sleep(struct stn_deque *deque, uint64_t ns)
{
	struct stn_owner *owner = stn_owner_of(deque);

	if (!owner->node->sim) {
		sleep_really(stn_node_now(owner->node) + ns);
		return;
	}
	stn_computed(owner, 0);
	stn_span_add(&owner->span, owner->worker, ns);
	stn_sim_spend(owner->node->sim, ns);
	stn_computes(owner);
}
