/*
 * simulate_output.h: standard output of a simulation whose root may die. The
 * next root runs main again in this process, so it prints again what the first
 * one has printed; that is dropped. Lines of other nodes pass. Only what goes
 * through C's stdout is compared, not what std::cout or write print. After a
 * write has failed nothing more is printed. One thread.
 */
#ifndef STN_LAUNCH_SIMULATE_OUTPUT_H
#define STN_LAUNCH_SIMULATE_OUTPUT_H

#include <stdio.h>

#include "emul/sim.h"
#include "launch/run/echo.h"
#include "transport/error.h"

/* All zeros: standard output is not changed. */
struct stn_simulate_output {
	struct stn_echo echo;
	uint32_t root;
	const struct stn_sim *sim;
	FILE *real; /* stdout as it was; or NULL */
	int broken; /* errno of the first write that has failed, or 0 */
};

/*
 * stn_simulate_output_open: replaces stdout. @output must stay where it is until
 * _fini.
 */
STN_CHECKED enum stn_err
stn_simulate_output_open(struct stn_simulate_output *output,
			 const struct stn_sim *sim);

/* stn_simulate_output_root: node @rank is the root; the last root is dead. */
void stn_simulate_output_root(struct stn_simulate_output *output,
			      uint32_t rank);

/* stn_simulate_output_fini: puts stdout back. */
void stn_simulate_output_fini(struct stn_simulate_output *output);

#endif
