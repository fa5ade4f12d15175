/*
 * steal.h: the inside of sateen-steal, the benchmarks of stealing between two
 * nodes:
 *
 *	main.c		the command line, and who plays which part
 *	spawn.c		a spawned call's round trip, next to a message's
 *	line.c		a line of messages beside the run's own
 *	victim.c	node 0 of `steal`: calls to be stolen while it computes
 *	thief.c		node 1 of `steal`: speaks as a node does, and looks at
 *			the clock
 *	wake.c		threads that are woken and answer, to compare with
 */
#ifndef BENCH_STEAL_H
#define BENCH_STEAL_H

#include <stdlib.h>

#include <sateen.h>

#include "apps/bench/report.h"
#include "apps/bench/sample.h"
#include "steal/config.h"
#include "transport/transport.h"

struct steal_options {
	long rounds; /* samples of each kind */
	long gap_us; /* between them */
	struct report_files files;
};

extern const char steal_help[];

/*
 * steal_settings: the run's, as the environment says them; they have been
 * checked before.
 */
void steal_settings(struct stn_config *config);

/* steal_compute: spins for a while, without looking at the network. */
void steal_compute(uint64_t ns);

/* steal_row: a sample of nanoseconds as a row of a report, in microseconds. */
void steal_row(struct report *report, const char *benchmark, const char *path,
	       struct sample *sample);

/* Bodies of node 0. Return its exit status. */
int spawn_main(struct stn_frame *stn_frame,
	       const struct steal_options *options);
int victim_main(struct stn_frame *stn_frame);

/* What the victim is doing: the argument of the calls it spawns. */
enum victim_mode { VICTIM_COMPUTES, VICTIM_WAITS, VICTIM_MODES };

/* thief_main: plays node 1 of `steal`; returns the process's exit status. */
int thief_main(const struct steal_options *options,
	       const struct stn_task *const *tasks,
	       const struct stn_task *const *end);

#endif
