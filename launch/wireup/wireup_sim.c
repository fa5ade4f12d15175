/*
 * wireup_sim.c: the nodes of a simulation run one at a time, in one thread, so
 * that the barrier needs no lock. They exchange no cards, because all nodes are
 * the same program in the same process.
 */
#include "launch/wireup/wireup_sim.h"

#include <stdlib.h>

#include "launch/wireup/wireup_ops.h"
#include "transport/transport.h"

struct sim_wireup {
	struct stn_wireup base;
	struct stn_sim *sim;
	stn_sim_fail *fail;
	uint32_t arrived; /* nodes that wait at this round's barrier */
	uint32_t round;	  /* number of barriers that all nodes have passed */
};

static enum stn_err
sim_barrier(struct stn_wireup *wireup, struct stn_why *why)
{
	struct sim_wireup *sim = (struct sim_wireup *)wireup;
	uint32_t round = sim->round;

	(void)why;
	if (++sim->arrived == wireup->nodes) {
		sim->arrived = 0;
		sim->round++;
		for (uint32_t i = 0; i < wireup->nodes; i++)
			stn_sim_wake(sim->sim, i);
	}
	while (sim->round == round)
		stn_sim_wait(sim->sim, STN_FOREVER);
	return STN_OK;
}

static void
sim_abort(struct stn_wireup *wireup, const char *text)
{
	const struct sim_wireup *sim = (const struct sim_wireup *)wireup;

	sim->fail(text); /* ends all nodes: they are this process */
}

static void
sim_destroy(struct stn_wireup *wireup)
{
	free(wireup);
}

static const struct stn_wireup_ops sim_ops = {
	.destroy = sim_destroy,
	.barrier = sim_barrier,
	.abort = sim_abort,
};

struct stn_wireup *
stn_wireup_sim(struct stn_sim *sim, uint32_t nodes, stn_sim_fail *fail)
{
	struct sim_wireup *wireup = calloc(1, sizeof(*wireup));

	if (!wireup)
		return NULL;
	wireup->base = (struct stn_wireup){ &sim_ops, nodes };
	wireup->sim = sim;
	wireup->fail = fail;
	return &wireup->base;
}
