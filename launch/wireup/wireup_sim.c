/*
 * wireup_sim.c: the nodes of a simulation exchange no cards, because all are
 * the same program in the same process. The thread that runs node 0 counts the
 * nodes at the barrier: the others tell it, in virtual time, so that the
 * barrier needs no lock, and is passed at the same time whatever the number of
 * threads.
 */
#include "launch/wireup/wireup_sim.h"

#include <stdlib.h>

#include "launch/wireup/wireup_ops.h"
#include "transport/transport.h"

/* A node's wire-up. Only the thread of node 0 uses @absent and @waits. */
struct barrier_node {
	struct stn_wireup base;
	struct sim_wireup *all;
	uint32_t rank;
	uint32_t rounds;     /* number of barriers that it has passed */
	uint64_t arrived_ns; /* when it arrived at the last one */
	bool absent;	     /* barriers don't wait for it */
	bool waits;	     /* it waits at the barrier */
};

struct sim_wireup {
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
	uint64_t last_ns; /* when a node arrived last, or was removed */
	uint32_t nodes;
	struct barrier_node each[];
};

static struct barrier_node *
barrier_node_of(struct stn_wireup *wireup)
{
	return (struct barrier_node *)wireup;
}

static struct sim_wireup *
sim_of(struct stn_wireup *wireup)
{
	return barrier_node_of(wireup)->all;
}

static void
barrier_pass(void *arg)
{
	struct barrier_node *node = arg;

	node->rounds++;
	stn_sim_wake(node->all->sim, node->rank);
}

/*
 * Lets all nodes pass the barrier if the last one has arrived.
 * @now  when a node has arrived, or was removed
 */
static void
barrier_check(struct sim_wireup *sim, uint64_t now)
{
	if (now > sim->last_ns)
		sim->last_ns = now;
	if (sim->arrived != sim->living)
		return;
	sim->arrived = 0;
	sim->round++;
	for (uint32_t i = 0; i < sim->nodes; i++) {
		sim->each[i].waits = false;
		if (!sim->each[i].absent)
			stn_sim_tell(sim->sim, 0, i, barrier_pass,
				     &sim->each[i]);
	}
}

/* Node 0 hears that a node has arrived; the node may be gone since. */
static void
barrier_arrive(void *arg)
{
	struct barrier_node *node = arg;

	if (node->absent)
		return;
	node->waits = true;
	node->all->arrived++;
	barrier_check(node->all, node->arrived_ns);
}

static enum stn_err
sim_barrier(struct stn_wireup *wireup, struct stn_why *why)
{
	struct barrier_node *node = barrier_node_of(wireup);
	struct stn_sim *sim = stn_sim_of(node->all->sim, node->rank);
	uint32_t rounds = node->rounds;

	(void)why;
	node->arrived_ns = stn_sim_now(sim);
	stn_sim_tell(sim, node->rank, 0, barrier_arrive, node);
	while (node->rounds == rounds)
		stn_sim_wait(sim, STN_FOREVER);
	return STN_OK;
}

uint64_t
stn_wireup_sim_passed(struct stn_wireup *wireup)
{
	const struct sim_wireup *sim = sim_of(wireup);

	return sim->round ? sim->last_ns : 0;
}

void
stn_wireup_sim_absent(struct stn_wireup *wireup, uint32_t rank)
{
	sim_of(wireup)->living--;
	sim_of(wireup)->each[rank].absent = true;
}

bool
stn_wireup_sim_joined(struct stn_wireup *wireup, uint32_t rank)
{
	struct sim_wireup *sim = sim_of(wireup);

	if (sim->round)
		return false;
	sim->living++;
	sim->each[rank].absent = false;
	return true;
}

static void
barrier_remove(struct sim_wireup *sim, uint32_t rank)
{
	struct barrier_node *node = &sim->each[rank];

	if (node->absent)
		return;
	sim->living--;
	sim->arrived -= node->waits;
	node->waits = false;
	node->absent = true;
	if (sim->living)
		barrier_check(sim, stn_sim_now(sim->sim));
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
 * All nodes know the deaths and leaves up to this view. Barriers wait for a
 * dead node until then: the next root, which may be at the barrier, must know
 * that it is the root, because it shows the statistics.
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
	const struct sim_wireup *sim = sim_of(wireup);

	sim->fail(text); /* ends all nodes: they are this process */
}

static void
sim_destroy(struct stn_wireup *wireup)
{
	free(sim_of(wireup));
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
	struct sim_wireup *all =
		calloc(1, sizeof(*all) + nodes * sizeof(all->each[0]));

	if (!all)
		return NULL;
	for (uint32_t i = 0; i < nodes; i++)
		all->each[i] = (struct barrier_node){
			.base = { .ops = &sim_ops, .nodes = nodes },
			.all = all,
			.rank = i,
		};
	all->sim = sim;
	all->nodes = all->living = nodes;
	all->fail = fail;
	return &all->each[0].base;
}

struct stn_wireup *
stn_wireup_sim_of(struct stn_wireup *wireup, uint32_t rank)
{
	return &sim_of(wireup)->each[rank].base;
}
