/*
 * plan.h: what is to be measured, and how often: the command line of
 * `sateen bench latency` and its like, without the run's settings.
 */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include <stdint.h>

#include "apps/bench/report.h"

#define PLAN_SIZES 32
#define PLAN_MOST ((size_t)1 << 30) /* bytes of a message */

enum plan_kind { PLAN_LATENCY, PLAN_THROUGHPUT, PLAN_RATE, PLAN_OVERLAP };

struct plan {
	enum plan_kind kind;
	const char *name; /* of the benchmark */
	const char *unit;
	size_t sizes[PLAN_SIZES]; /* of messages, in bytes */
	size_t count;		  /* of sizes */
	size_t most;		  /* the largest of them */
	long rounds;		  /* as plan_rounds; 0: as many as do */
	long pieces;		  /* of a payload */
	bool no_bare;
	struct report_files files;
};

/*
 * plan_read: as app_options: APP_GO_ON with @plan filled in, or an exit status.
 * argv[1] is the benchmark.
 */
int plan_read(struct plan *plan, int argc, char **argv);

/* How often, of each size and path: in blocks of some rounds each. */
struct plan_rounds {
	size_t blocks, each;
};

struct plan_rounds plan_rounds(const struct plan *plan, size_t bytes);

#endif
