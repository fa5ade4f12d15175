/*
 * wireup_pmix.h: wire-up of a process that a launcher with PMIx started: mpirun
 * or srun.
 */
#ifndef STN_LAUNCH_WIREUP_WIREUP_PMIX_H
#define STN_LAUNCH_WIREUP_WIREUP_PMIX_H

#include <stdlib.h>

#include "launch/wireup/wireup.h"

/* stn_wireup_pmix_offered: has a launcher with PMIx started this process? */
static inline bool
stn_wireup_pmix_offered(void)
{
	return getenv("PMIX_NAMESPACE") != NULL;
}

/*
 * stn_wireup_pmix: connects to the launcher. Once in a process. If the process
 * calls exit() before the barrier, the run ends for all nodes. If the launcher
 * or its daemon on this host is killed, so is this process.
 * @rank_p, @nodes_p  the number of this process, and the number of processes
 * STN_MISSING if the PMIx library is not installed or Sateen was built without
 * it; STN_IO if the launcher does not answer; STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_wireup_pmix(struct stn_wireup **wireup_p,
					 uint32_t *rank_p, uint32_t *nodes_p,
					 struct stn_why *why);

/*
 * stn_wireup_pmix_end: makes the launcher end all processes with @status, this
 * one included, after which it waits for some seconds. @wireup is from
 * stn_wireup_pmix.
 */
void stn_wireup_pmix_end(struct stn_wireup *wireup, int status);

#endif
