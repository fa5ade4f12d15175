/*
 * sleep.c: sleeping and waking. A thread that wakes others changes the
 * generation and then reads the number of sleepers. A thread that sleeps counts
 * itself as a sleeper and then reads the generation, which must still be the
 * one that the thread read before it looked for work. The four accesses are
 * sequentially consistent and pair with each other: either the waking thread
 * sees the sleeper, or the sleeper sees the new generation.
 * tests/steal/sleep.pml is a model of this.
 */
#include "node/sleep.h"

#include "emul/sim.h"

void
stn_node_wake(struct stn_node *node)
{
	node->generation++;
	if (!node->sleepers)
		return;
	if (node->sim) {
		stn_sim_wake(node->sim, node->rank);
		return;
	}
	pthread_mutex_lock(&node->event);
	pthread_cond_broadcast(&node->awake);
	pthread_mutex_unlock(&node->event);
}

bool
stn_node_dozes(const struct stn_node *node, uint32_t generation,
	       uint64_t until_ns)
{
	return node->generation == generation && stn_node_now(node) < until_ns;
}

static void
doze_virtually(struct stn_node *node, uint32_t generation, uint64_t until_ns)
{
	while (stn_node_dozes(node, generation, until_ns))
		stn_sim_wait(node->sim, until_ns);
}

/*
 * Sleeps until the generation changes or @until_ns. The caller has counted
 * itself as a sleeper. The broadcast is made under the lock, so it can't fall
 * between the check of the generation and the wait.
 */
static void
doze(struct stn_node *node, uint32_t generation, uint64_t until_ns)
{
	struct timespec until = { (time_t)(until_ns / STN_SECOND_NS),
				  (long)(until_ns % STN_SECOND_NS) };
	int err = 0;

	if (node->sim) {
		doze_virtually(node, generation, until_ns);
		return;
	}
	pthread_mutex_lock(&node->event);
	while (node->generation == generation && !err) {
		if (until_ns == STN_FOREVER)
			pthread_cond_wait(&node->awake, &node->event);
		else
			err = pthread_cond_timedwait(&node->awake, &node->event,
						     &until);
	}
	pthread_mutex_unlock(&node->event);
}

static bool
may_sleep(struct stn_node *node, uint64_t *until_ns)
{
	bool may = true;

	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->may_sleep)
			may &= node->services[i]->may_sleep(node->states[i],
							    until_ns);
	return may;
}

void
stn_node_sleep(struct stn_node *node, uint32_t generation, uint64_t until_ns,
	       bool any_work)
{
	node->sleepers++;
	if (!any_work || may_sleep(node, &until_ns))
		doze(node, generation, until_ns);
	node->sleepers--;
}

void
stn_node_await(struct stn_node *node, bool (*is_so)(void *arg), void *arg)
{
	node->sleepers++;
	for (;;) {
		uint32_t generation = node->generation;

		if (is_so(arg))
			break;
		doze(node, generation, STN_FOREVER);
	}
	node->sleepers--;
}
