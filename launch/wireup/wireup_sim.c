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
	struct stn_sequencer *sequencer;
	bool survives; /* deaths don't end the run */
	stn_wireup_sim_left *left;
	void *left_arg;
	uint32_t living;  /* number of nodes that barriers wait for */
	uint32_t arrived; /* of these wait at this round's barrier */
	uint32_t round;	  /* number of barriers that all nodes have passed */
	uint32_t changes; /* of the membership that barriers know */
	struct barrier_node {
		bool absent; /* barriers don't wait for it */
		bool waits;  /* it waits at the barrier */
	} all[];
};

static struct sim_wireup *
sim_of(struct stn_wireup *wireup)
{
	return (struct sim_wireup *)wireup;
}

/* Lets all nodes pass the barrier if the last one has arrived. */
static void
barrier_check(struct sim_wireup *sim)
{
	if (sim->arrived != sim->living)
		return;
	sim->arrived = 0;
	sim->round++;
	for (uint32_t i = 0; i < sim->base.nodes; i++) {
		sim->all[i].waits = false;
		stn_sim_wake(sim->sim, i);
	}
}

static enum stn_err
sim_barrier(struct stn_wireup *wireup, struct stn_why *why)
{
	struct sim_wireup *sim = (struct sim_wireup *)wireup;
	uint32_t round = sim->round;

	(void)why;
	sim->arrived++;
	sim->all[stn_sim_running(sim->sim)].waits = true;
	barrier_check(sim);
	while (sim->round == round)
		stn_sim_wait(sim->sim, STN_FOREVER);
	return STN_OK;
}

void
stn_wireup_sim_absent(struct stn_wireup *wireup, uint32_t rank)
{
	sim_of(wireup)->living--;
	sim_of(wireup)->all[rank].absent = true;
}

bool
stn_wireup_sim_joined(struct stn_wireup *wireup, uint32_t rank)
{
	struct sim_wireup *sim = sim_of(wireup);

	if (sim->round)
		return false;
	sim->living++;
	sim->all[rank].absent = false;
	return true;
}

static void
barrier_remove(struct sim_wireup *sim, uint32_t rank)
{
	struct barrier_node *node = &sim->all[rank];

	if (node->absent)
		return;
	sim->living--;
	sim->arrived -= node->waits;
	*node = (struct barrier_node){ .absent = true };
	if (sim->living)
		barrier_check(sim);
}

void
stn_wireup_sim_died(struct stn_wireup *wireup, uint32_t rank)
{
	if (!sim_of(wireup)->survives)
		barrier_remove(sim_of(wireup), rank);
}

/* Simulated nodes see no peer die before its death is scheduled to be noticed.
 */
static void
sim_suspect(struct stn_wireup *wireup, uint32_t rank, const char *how)
{
	(void)how;
	stn_sequencer_suspect(sim_of(wireup)->sequencer, rank);
}

/*
 * All nodes know the deaths and leaves up to this view. Barriers wait for a dead
 * node until then: the next root, which may be at the barrier, must know that it
 * is the root, because it shows the statistics.
 */
static void
sim_applied(struct stn_wireup *wireup, uint32_t view)
{
	struct sim_wireup *sim = sim_of(wireup);
	const struct stn_change *changes = sim->sequencer->changes;

	stn_sequencer_applied(sim->sequencer, view);
	for (; sim->changes < view; sim->changes++)
		if (changes[sim->changes].what == STN_DIED ||
		    changes[sim->changes].what == STN_LEFT)
			barrier_remove(sim, changes[sim->changes].rank);
}

void
stn_wireup_sim_tell(struct stn_wireup *wireup, struct stn_sequencer *sequencer,
		    bool survives, stn_wireup_sim_left *left, void *arg)
{
	struct sim_wireup *sim = sim_of(wireup);

	sim->survives = survives;
	sim->sequencer = sequencer;
	sim->left = left;
	sim->left_arg = arg;
}

static void
sim_left(struct stn_wireup *wireup, uint32_t rank)
{
	const struct sim_wireup *sim = sim_of(wireup);

	sim->left(sim->left_arg, rank);
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
	.suspect = sim_suspect,
	.applied = sim_applied,
	.left = sim_left,
	.abort = sim_abort,
};

struct stn_wireup *
stn_wireup_sim(struct stn_sim *sim, uint32_t nodes, stn_sim_fail *fail)
{
	struct sim_wireup *wireup =
		calloc(1, sizeof(*wireup) + nodes * sizeof(wireup->all[0]));

	if (!wireup)
		return NULL;
	wireup->base = (struct stn_wireup){ &sim_ops, nodes };
	wireup->sim = sim;
	wireup->living = nodes;
	wireup->fail = fail;
	return &wireup->base;
}
