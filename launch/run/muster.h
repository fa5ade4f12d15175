/*
 * muster.h: the muster of the processes that another launcher, mpirun or srun,
 * has started, if the run shall survive deaths. Each process is then not a
 * node, but an agent that starts one node, as agents of `sateen run --hosts`
 * do. Process 0 is also the launcher. At the muster the processes show cards by
 * the other launcher's wire-up, and each connects to process 0 by TCP.
 *
 * On its connection a process first sends its rank (32 bits) and the token of
 * its card. Process 0 answers with the token of its own card. Tokens are known
 * only to processes of the run, so strangers get no answer.
 */
#ifndef STN_LAUNCH_RUN_MUSTER_H
#define STN_LAUNCH_RUN_MUSTER_H

#include "launch/run/hosts.h"
#include "launch/wireup/wireup.h"
#include "node/config.h"

struct stn_muster {
	uint32_t rank, nodes;
	int socket; /* to process 0; -1 in process 0 */

	/* In process 0: */
	struct stn_hosts hosts; /* that of each process, by rank */
	bool one_host;		/* all are the same */
	int *sockets;		/* to each process, by rank; -1 for process 0 */
};

/*
 * stn_muster_hold: connects process @rank of @nodes with process 0. Blocks
 * until all processes have called it and are connected, but for ten seconds at
 * most when all have shown their cards.
 * @wireup  the other launcher's
 * All processes return the same: STN_OK; STN_MISSING if agents can't work here,
 * because not all processes can reach process 0; or a failure of @wireup.
 * @why is one line. After STN_OK the caller calls stn_muster_fini.
 */
STN_CHECKED enum stn_err stn_muster_hold(struct stn_wireup *wireup,
					 uint32_t rank, uint32_t nodes,
					 const struct stn_config *config,
					 struct stn_muster *muster,
					 struct stn_why *why);

void stn_muster_fini(struct stn_muster *muster);

#endif
