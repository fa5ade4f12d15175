/*
 * wireup_sim.h: wire-up of the nodes of a simulation (emul/sim.h).
 */
#ifndef STN_LAUNCH_WIREUP_WIREUP_SIM_H
#define STN_LAUNCH_WIREUP_WIREUP_SIM_H

#include "emul/sim_run.h"
#include "launch/wireup/wireup.h"
#include "node/sequencer.h"

/*
 * stn_wireup_sim: the wire-up of node 0 and, by stn_wireup_sim_of, of the other
 * @nodes nodes of @sim, which must outlive it. NULL if there is no memory. Its
 * barrier waits in virtual time, so that only a node's life may call it: until
 * the message of the last node that arrives has reached node 0, and the answer
 * of node 0 has reached the node; each takes the least latency between
 * clusters. It has no stn_wireup_exchange. stn_wireup_destroy of that of node 0
 * frees all.
 * @fail  called by stn_wireup_abort; must end the process
 */
struct stn_wireup *stn_wireup_sim(struct stn_sim *sim, uint32_t nodes,
				  stn_sim_fail *fail);

/* stn_wireup_sim_of: the wire-up of node @rank. */
struct stn_wireup *stn_wireup_sim_of(struct stn_wireup *wireup, uint32_t rank);

/*
 * stn_wireup_sim_passed: when the last node that a barrier waited for arrived
 * there; 0 if no barrier was passed.
 */
uint64_t stn_wireup_sim_passed(struct stn_wireup *wireup);

/*
 * stn_wireup_sim_tell: the functions from here on take the wire-up of node 0
 * and are for its thread. From now on @sequencer is told which views all nodes
 * have applied.
 * @survives  deaths don't end the run
 * @left  called when node @rank has handed over its work, to end it; on the
 *     node's behalf, so it can't kill the node at once
 */
typedef void stn_wireup_sim_left(void *arg, uint32_t rank);
void stn_wireup_sim_tell(struct stn_wireup *wireup,
			 struct stn_sequencer *sequencer, bool survives,
			 stn_wireup_sim_left *left, void *arg);

/*
 * stn_wireup_sim_absent: barriers don't wait for node @rank, which has not
 * joined yet. Before the simulation runs.
 * stn_wireup_sim_joined: from now on they do. Returns false if all nodes have
 * passed the barrier already.
 */
void stn_wireup_sim_absent(struct stn_wireup *wireup, uint32_t rank);
bool stn_wireup_sim_joined(struct stn_wireup *wireup, uint32_t rank);

/*
 * stn_wireup_sim_died: node @rank was killed (stn_sim_kill). Barriers don't
 * wait for it any more: at once, or if the run survives deaths, when all nodes
 * have applied the view with this death. To be called once for each killed
 * node.
 */
void stn_wireup_sim_died(struct stn_wireup *wireup, uint32_t rank);

#endif
