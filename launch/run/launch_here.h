/*
 * launch_here.h: a run that survives deaths under another launcher, mpirun or
 * srun. Each process that it has started becomes an agent (muster.h).
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_HERE_H
#define STN_LAUNCH_RUN_LAUNCH_HERE_H

#include "launch/run/muster.h"

/*
 * stn_launch_here: starts this process's node, a process of the same program,
 * and waits for the end of the run. Process 0 is the launcher. Returns the exit
 * status of this process: for process 0 that of the program; for others 0 if
 * the run has ended well, else EXIT_FAILURE.
 * @muster  after stn_muster_hold
 * @config  has the number of nodes
 * @wireup  the other launcher's, by PMIx. The other launcher then does not
 *     count the end of a process as that of the run; process 0 stays connected,
 *     to end all processes at once if the run fails.
 */
int stn_launch_here(struct stn_muster *muster, const struct stn_config *config,
		    struct stn_wireup *wireup);

#endif
