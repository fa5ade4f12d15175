/*
 * latency: how long after a busy worker's spawn the call starts on another
 * worker of the node, which is awake, or asleep; and, to compare with, how
 * long a cache line takes from one to the other. For two workers.
 *
 * Its tasks tell what they see by shared memory, which tasks shouldn't: it runs
 * on one node only.
 */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/bench/sample.h"
#include "apps/bench/ticks.h"
#include "apps/options.h"

#define BUSY_NS 1e3   /* between spawns, for the other to stay awake, */
#define DROWSY_NS 5e6 /* or fall asleep */
#define AWAKE_NS 1e5  /* the longest wait for it to start */
#define ASLEEP_NS 2e7 /* likewise */
#define TRIPS 100     /* of a cache line, there and back, in one sample */
#define LINE_END UINT_MAX

static const char help[] =
	"usage: STN_WORKERS=2 latency [-r ROUNDS] [-s ROUNDS]\n"
	"Measures the time from a spawn to the call's start on the node's\n"
	"other worker: awake, asleep; and a cache line's from core to core.\n"
	"\n"
	"  -r, --rounds ROUNDS  with the other awake (default 10000)\n"
	"  -s, --sleeps ROUNDS  with the other asleep (default 200)\n"
	"  -h, --help           show this\n";

static double ticks_a_ns;
static _Alignas(128) _Atomic uint64_t started; /* elsewhere, at; 0: not yet */
static _Alignas(128) _Atomic unsigned line;    /* goes back and forth */

static double
ns_since(uint64_t begin)
{
	return (double)(ticks_now() - begin) / ticks_a_ns;
}

static void
compute(double ns)
{
	uint64_t begin = ticks_now();

	while (ns_since(begin) < ns)
		;
}

/* Waits, computing, until the spawned call has started elsewhere. */
static bool
starts(double patience_ns)
{
	uint64_t begin = ticks_now();

	while (!started)
		if (ns_since(begin) > patience_ns)
			return false;
	return true;
}

/* The clock first: it is what is measured. */
STN_TASK_VOID(start, pthread_t, spawner)
{
	uint64_t now = ticks_now();

	if (!pthread_equal(pthread_self(), spawner))
		started = now;
}

STN_TASK_VOID(measure_start, double, pause_ns, double, patience_ns,
	      struct sample *, sample)
{
	uint64_t begin;

	started = 0;
	compute(pause_ns);
	begin = ticks_now();
	STN_SPAWN(start, pthread_self());
	starts(patience_ns);
	STN_SYNC(start);
	if (started)
		sample_add(sample, (double)(started - begin) / ticks_a_ns);
}

/* Answers an odd number in the line by the next one. */
STN_TASK_VOID(answer, pthread_t, spawner)
{
	unsigned seen;

	if (pthread_equal(pthread_self(), spawner))
		return;
	started = 1;
	while ((seen = line) != LINE_END)
		if (seen % 2)
			atomic_store_explicit(&line, seen + 1,
					      memory_order_release);
}

static double
one_way_ns(void)
{
	uint64_t begin = ticks_now();

	for (unsigned i = 1; i < 2 * TRIPS; i += 2) {
		atomic_store_explicit(&line, i, memory_order_release);
		while (line == i)
			;
	}
	return ns_since(begin) / TRIPS / 2;
}

STN_TASK_VOID(measure_line, long, rounds, struct sample *, sample)
{
	started = 0;
	line = 0;
	STN_SPAWN(answer, pthread_self());
	if (starts(ASLEEP_NS))
		for (long i = 0; i < rounds; i += TRIPS)
			sample_add(sample, one_way_ns());
	line = LINE_END;
	STN_SYNC(answer);
}

STN_MAIN(argc, argv)
{
	static struct sample awake, asleep, lines;
	long rounds = 10000, sleeps = 200;
	const struct app_option table[] = {
		{ 'r', "rounds", "ROUNDS", .number = &rounds, .least = 1,
		  .most = SAMPLE_MOST },
		{ 's', "sleeps", "ROUNDS", .number = &sleeps, .least = 1,
		  .most = SAMPLE_MOST },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	if (status != APP_GO_ON)
		return status;
	ticks_a_ns = ticks_per_ns();
	for (long i = 0; i < rounds; i++)
		STN_CALL(measure_start, BUSY_NS, AWAKE_NS, &awake);
	for (long i = 0; i < sleeps; i++)
		STN_CALL(measure_start, DROWSY_NS, ASLEEP_NS, &asleep);
	STN_CALL(measure_line, rounds, &lines);
	if (!awake.count || !asleep.count || !lines.count)
		return app_complain(1, "no other worker took a call; "
				       "set STN_WORKERS=2");
	sample_print(&awake, "awake");
	sample_print(&asleep, "asleep");
	sample_print(&lines, "line");
	return 0;
}
