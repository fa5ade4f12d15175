/*
 * schedule.h: what is measured, and how often: the command line of `sateen
 * bench latency|throughput|rate|overlap` without the settings of the run.
 */
#ifndef BENCH_FABRIC_SCHEDULE_H
#define BENCH_FABRIC_SCHEDULE_H

#include <stdint.h>

#include "bench/report.h"

#define SCHEDULE_SIZES 32
#define SCHEDULE_MOST ((size_t)1 << 30) /* bytes of a message */

enum schedule_kind {
	SCHEDULE_LATENCY,
	SCHEDULE_THROUGHPUT,
	SCHEDULE_RATE,
	SCHEDULE_OVERLAP
};

struct schedule {
	enum schedule_kind kind;
	const char *name; /* of the benchmark */
	const char *unit;
	size_t sizes[SCHEDULE_SIZES]; /* of messages, in bytes */
	size_t count;		      /* of sizes */
	size_t most;		      /* the largest of them */
	long rounds; /* of each size and path; 0: the default */
	long pieces; /* in a payload */
	bool no_bare;
	struct report_files files;
};

/*
 * schedule_read: reads the command line, whose argv[1] is the benchmark.
 * Returns as app_options does: APP_GO_ON with @schedule filled in, or an exit
 * status.
 */
int schedule_read(struct schedule *schedule, int argc, char **argv);

/*
 * schedule_rounds: how often a message of @bytes is measured on each path:
 * @blocks blocks of @each rounds. A block of a stream has at least 32, two
 * windows, or all rounds if there are fewer.
 */
struct schedule_rounds {
	size_t blocks, each;
};

struct schedule_rounds schedule_rounds(const struct schedule *schedule,
				       size_t bytes);

#endif
