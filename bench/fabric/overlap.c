#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "bench/fabric/measure.h"
#include "bench/ticks.h"

#define STEPS 1000 /* of one portion of computing, about a microsecond */

/* One stream, which a thread of its own sends. */
struct flow {
	struct path *path;
	size_t bytes, count;
	uint64_t ns;	    /* that the stream took */
	_Atomic(bool) over; /* release in flow_main; acquire in compute_speed */
};

/* The results for one size. */
struct outcome {
	struct sample computing, idle; /* GB/s */
	struct sample kept;	       /* speed left to computing, per cent */
};

static void *
flow_main(void *arg)
{
	struct flow *flow = arg;
	struct path *path = flow->path;
	uint64_t begin;

	path->ops->stream(path, flow->bytes, path_warm(flow->count));
	begin = ticks_clock_ns();
	path->ops->stream(path, flow->bytes, flow->count);
	flow->ns = ticks_clock_ns() - begin;
	atomic_store_explicit(&flow->over, true, memory_order_release);
	return NULL;
}

/* Uses only the processor; each step depends on the one before. */
static uint64_t
compute(uint64_t state)
{
	for (unsigned i = 0; i < STEPS; i++)
		state = state * 6364136223846793005u + 1442695040888963407u;
	return state;
}

/*
 * Computes until @flow is over, or for @ns if @flow is NULL. Returns portions
 * per nanosecond.
 */
static double
compute_speed(const struct flow *flow, uint64_t ns)
{
	static volatile uint64_t sink; /* keeps the work from being removed */
	uint64_t begin = ticks_clock_ns(), passed, portions = 0;

	do {
		sink = compute(sink);
		portions++;
		passed = ticks_clock_ns() - begin;
	} while (flow ? !atomic_load_explicit(&flow->over, memory_order_acquire)
		      : passed < ns);
	return (double)portions / (double)passed;
}

/*
 * Runs a stream, while this thread computes or waits. Returns the speed of
 * computing; 0 if it waited.
 */
static double
run_flow(const struct measured *measured, struct flow *flow, bool computes)
{
	struct ours_order order = { OURS_DRAIN, 0, flow->bytes, flow->count };
	pthread_t thread;
	double speed = 0;

	path_begin(flow->path);
	ours_order(measured->ours, order);
	ours_sleeps(measured->ours, true);
	flow->over = false;
	if (pthread_create(&thread, NULL, flow_main, flow))
		path_fail(flow->path, "can't start a thread");
	if (computes)
		speed = compute_speed(flow, 0);
	pthread_join(thread, NULL);
	ours_sleeps(measured->ours, false);
	return speed;
}

static double
rate(const struct flow *flow)
{
	return (double)(flow->bytes * flow->count) / (double)flow->ns;
}

static void
measure_block(const struct measured *measured, struct flow *flow,
	      struct outcome *outcome)
{
	double during, alone;

	run_flow(measured, flow, false);
	sample_add(&outcome->idle, rate(flow));
	during = run_flow(measured, flow, true);
	sample_add(&outcome->computing, rate(flow));
	alone = compute_speed(NULL, flow->ns);
	sample_add(&outcome->kept, 100 * during / alone);
}

void
measure_overlap(struct measured *measured, const struct schedule *schedule,
		struct report *report)
{
	struct outcome *outcome = malloc(sizeof(*outcome));

	if (!outcome)
		path_fail(measured->paths[0], "out of memory");
	for (size_t i = 0; i < schedule->count; i++) {
		size_t bytes = schedule->sizes[i];
		struct schedule_rounds rounds =
			schedule_rounds(schedule, bytes);
		struct flow flow = { .path = measured->paths[0],
				     .bytes = bytes,
				     .count = rounds.each };

		outcome->computing.count = outcome->idle.count =
			outcome->kept.count = 0;
		while (rounds.blocks--)
			measure_block(measured, &flow, outcome);
		measure_row(measured, schedule, "sateen, computing",
			    schedule->unit, bytes, &outcome->computing, report);
		measure_row(measured, schedule, "sateen, idle", schedule->unit,
			    bytes, &outcome->idle, report);
		measure_row(measured, schedule, "computing left", "%", bytes,
			    &outcome->kept, report);
	}
	free(outcome);
}
