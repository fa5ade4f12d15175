/*
 * cost.c: two models of what computing costs. Measured: the time that it takes
 * the thread, here and now. Counted: so much for each spawn, so much for each
 * unit of work that the program tells of; the same on every machine.
 */
#include "steal/cost.h"

#include <time.h>

#include "steal/guard.h"
#include "steal/sateen.h"

static bool
counted(const struct stn_node *node)
{
	return node->config.cost[0] == 'c';
}

void
stn_cost_begin(struct stn_worker *worker)
{
	stn_guard_switch(worker);
	if (!counted(worker->node))
		stn_sim_measure(worker->node->sim);
}

void
stn_cost_end(struct stn_worker *worker, unsigned tasks)
{
	const struct stn_config *config = &worker->node->config;
	uint64_t units = worker->deque.work - worker->charged;
	uint64_t ns = counted(worker->node)
			      ? tasks * config->task_cost_ns +
					units * config->unit_cost_ns
			      : stn_sim_measure(worker->node->sim);

	worker->charged += units;
	/* Whole numbers, where they are to be the same on every machine. */
	if (worker->node->speed != 1)
		ns = (uint64_t)((double)ns / worker->node->speed);
	stn_sim_spend(worker->node->sim, ns);
}

double
stn_seconds(struct stn_deque *deque)
{
	struct stn_worker *worker = stn_worker_of(deque);
	uint64_t now;

	stn_computed(worker, 0);
	now = stn_node_now(worker->node);
	stn_computes(worker);
	return (double)now * 1e-9;
}

void
stn_sleep(struct stn_deque *deque, uint64_t ns)
{
	struct stn_worker *worker = stn_worker_of(deque);
	uint64_t end = stn_node_now(worker->node) + ns;
	struct timespec until = { (time_t)(end / STN_SECOND_NS),
				  (long)(end % STN_SECOND_NS) };

	if (!worker->node->sim) {
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until,
				       NULL))
			continue;
		return;
	}
	stn_computed(worker, 0);
	stn_sim_spend(worker->node->sim, ns);
	stn_computes(worker);
}
