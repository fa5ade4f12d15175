/*
 * latency: measures the time from a busy worker's spawn to the call's start on
 * another worker of the node, which is awake or asleep. For comparison it
 * measures how long a cache line takes from core to core. For two workers.
 *
 * The tasks communicate through shared memory, which tasks of other programs
 * must not. The program therefore runs on one node only.
 */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"
#include "bench/sample.h"
#include "bench/ticks.h"

#define BUSY_NS 1e3   /* between spawns; the other worker stays awake */
#define DROWSY_NS 5e6 /* between spawns; the other worker falls asleep */
#define LATEST_NS 2e7 /* longest wait for a start; later ones don't count */
#define TRIALS 10     /* if no call of these starts, no other worker exists */
#define TRIPS 100     /* round trips of the cache line in one sample */
#define LINE_END UINT_MAX

static const char help[] =
	"usage: STN_WORKERS=2 latency [-r ROUNDS] [-s ROUNDS]\n"
	"Measures the time from a spawn to the call's start on the node's\n"
	"other worker, which is awake or asleep, and the time that a cache\n"
	"line takes from core to core.\n"
	"\n"
	"  -r, --rounds ROUNDS  with the other worker awake (default 10000)\n"
	"  -s, --sleeps ROUNDS  with the other worker asleep (default 200)\n"
	"  -h, --help           show this\n";

static double ticks_a_ns;
/*
 * Time of the start on the other worker; 0: not yet. The stores in start and
 * answer pair with the loads in starts and measure_start.
 */
static _Alignas(128) _Atomic uint64_t started;
/*
 * Goes back and forth. The release in one_way_ns pairs with the load in answer,
 * the release in answer with the load in one_way_ns.
 */
static _Alignas(128) _Atomic unsigned line;

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

/* Spins until the spawned call has started on the other worker. */
static bool
starts(void)
{
	uint64_t begin = ticks_now();

	while (!started)
		if (ns_since(begin) > LATEST_NS)
			return false;
	return true;
}

/* Reads the clock first, because its time is the result. */
STN_TASK_VOID(start, pthread_t, spawner)
{
	uint64_t now = ticks_now();

	if (!pthread_equal(pthread_self(), spawner))
		started = now;
}

static void
measure_start(STN_FRAME, double pause_ns, struct sample *sample)
{
	uint64_t begin;

	started = 0;
	compute(pause_ns);
	begin = ticks_now();
	STN_SPAWN(start, pthread_self());
	starts();
	STN_SYNC(start);
	/* Negative if the two cores' counters differ by more than the time. */
	if (started)
		sample_add(sample,
			   (double)(int64_t)(started - begin) / ticks_a_ns);
}

/* Answers each odd number in the line with the next number. */
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

static void
measure_line(STN_FRAME, long rounds, struct sample *sample)
{
	started = 0;
	line = 0;
	STN_SPAWN(answer, pthread_self());
	if (starts())
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
	for (long i = 0; i < rounds && (awake.count || i < TRIALS); i++)
		measure_start(STN_PASS_FRAME, BUSY_NS, &awake);
	for (long i = 0; i < sleeps && awake.count; i++)
		measure_start(STN_PASS_FRAME, DROWSY_NS, &asleep);
	measure_line(STN_PASS_FRAME, rounds, &lines);
	if (!awake.count || !asleep.count || !lines.count)
		return app_complain(1, "no other worker stole a call; "
				       "set STN_WORKERS=2");
	sample_print(&awake, "awake");
	sample_print(&asleep, "asleep");
	sample_print(&lines, "line");
	return 0;
}
