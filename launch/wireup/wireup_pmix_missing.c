/*
 * wireup_pmix_missing.c: a build without PMIx.
 */
#include "launch/wireup/wireup_pmix.h"

enum stn_err
stn_wireup_pmix(struct stn_wireup **wireup_p, uint32_t *rank_p,
		uint32_t *nodes_p, struct stn_why *why)
{
	(void)wireup_p;
	(void)rank_p;
	(void)nodes_p;
	return stn_because(why, STN_MISSING,
			   "Sateen was built without PMIx, by which mpirun and "
			   "srun wire up; install libpmix-dev and rebuild");
}

void
stn_wireup_pmix_end(struct stn_wireup *wireup, int status)
{
	(void)wireup;
	(void)status;
}
