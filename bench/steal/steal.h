/*
 * steal.h: the parts of sateen-steal, the benchmarks of stealing between two
 * nodes:
 *
 *	main.c		the command line; starts a node's part
 *	spawn.c		a spawned call's round trip and, beside it, a message's
 *	echo.c		that message, over endpoints beside the run's own
 *	victim.c	node 0 of `steal`: calls to be stolen while it computes
 *	thief.c		node 1 of `steal`: sends requests and reads the clock
 *	wake.c		for comparison: a thread that is woken and answers
 */
#ifndef BENCH_STEAL_STEAL_H
#define BENCH_STEAL_STEAL_H

#include <stdlib.h>

#include <sateen.h>

#include "bench/report.h"
#include "bench/sample.h"
#include "node/config.h"
#include "transport/transport.h"

struct steal_options {
	long rounds; /* samples of each kind */
	long bytes;  /* of an array */
	long gap_us; /* between samples, in microseconds */
	struct report_files files;
};

extern const char steal_help[];

/*
 * steal_settings: reads the run's settings from the environment; aborts on an
 * error, because the run has already accepted them.
 */
void steal_settings(struct stn_config *config);

/* steal_compute: spins for a while without making network progress. */
void steal_compute(uint64_t ns);

/* steal_row: adds a row in microseconds from a sample in nanoseconds. */
void steal_row(struct report *report, const char *benchmark, const char *path,
	       struct sample *sample);

/* steal_rate_row: adds a row in GB/s from the ns that so many bytes took. */
void steal_rate_row(struct report *report, const char *benchmark,
		    const char *path, uint64_t bytes, struct sample *sample);

/* Node 0's main functions. They return its exit status. */
int spawn_main(struct stn_frame *stn_frame,
	       const struct steal_options *options);
int victim_main(struct stn_frame *stn_frame);

/* What the victim does meanwhile: the argument of the calls it spawns. */
enum victim_mode { VICTIM_COMPUTES, VICTIM_WAITS, VICTIM_MODES };

/* thief_main: node 1 of `steal`. Returns the process's exit status. */
int thief_main(const struct steal_options *options);

#endif
