/*
 * spawn.c: measures the time from the spawn of an empty call to its result if
 * the other node runs it, and the round trip of a message. The two alternate
 * under the same conditions: before each, node 0 computes for a while. Beside
 * them it measures the rate of a call with an array: the array's bytes by the
 * time from the spawn to the result.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/app.h"
#include "bench/steal/echo.h"
#include "bench/steal/steal.h"
#include "bench/ticks.h"

#define BLOCKS 10
#define TRIES 20 /* spawns for each one that the other node should run */
#define PATIENCE_NS (5 * STN_SECOND_NS)

/*
 * Is this process node 0? Set by spawn_main, which only node 0 runs. The
 * numbers of processes would not tell: nodes in two containers may have the
 * same one.
 */
static bool is_spawner;

/* Does almost nothing. Returns 1 on the node that has stolen it. */
STN_TASK(int32_t, spawn_empty)
{
	return !is_spawner;
}

/* Like spawn_empty, with an array that is sent along. */
STN_TASK(int32_t, spawn_take, struct stn_in, array)
{
	(void)array;
	return !is_spawner;
}

/* Answers messages if the other node has stolen it. */
STN_TASK(int32_t, spawn_echo, struct stn_in, address)
{
	static struct echo echo; /* outlives its last message */
	struct stn_why why;

	if (is_spawner)
		return 0;
	if (echo_open(&echo, 1, &why) ||
	    echo_serve(&echo, address.at, address.row_bytes, &why)) {
		_exit(app_complain(EXIT_FAILURE, "%s", why.text));
	}
	stn_transport_close(echo.transport, STN_SECOND_NS);
	return 1;
}

/*
 * Spawns and syncs a call; without an array, an empty one. Returns whether the
 * other node has run it.
 */
static bool
call(STN_FRAME, const char *array, size_t bytes)
{
	if (!array) {
		STN_SPAWN(spawn_empty);
		return STN_SYNC(spawn_empty);
	}
	STN_SPAWN(spawn_take, STN_IN(array, bytes));
	return STN_SYNC(spawn_take);
}

/* Leaves out the calls that node 0 ran itself. */
static void
measure_spawns(STN_FRAME, const char *array, size_t bytes, long count,
	       uint64_t gap_ns, struct sample *sample)
{
	for (long tries = TRIES * count; count && tries; tries--) {
		uint64_t begin;

		steal_compute(gap_ns);
		begin = ticks_clock_ns();
		if (!call(STN_PASS_FRAME, array, bytes))
			continue;
		sample_add(sample, (double)(ticks_clock_ns() - begin));
		count--;
	}
}

static enum stn_err
ping(struct echo *echo, long count, uint64_t gap_ns, struct sample *sample,
     struct stn_why *why)
{
	enum stn_err err = echo_await(echo, PATIENCE_NS, why);

	for (long i = 0; !err && i < count; i++) {
		steal_compute(gap_ns);
		sample_add(sample, (double)echo_ping(echo));
	}
	if (!err)
		echo_stop(echo);
	return err;
}

static enum stn_err
measure_messages(STN_FRAME, long count, uint64_t gap_ns, struct sample *sample,
		 struct stn_why *why)
{
	unsigned char address[STN_ADDRESS_BYTES];
	struct echo echo;
	enum stn_err err = echo_open(&echo, 0, why);
	size_t bytes;

	if (err)
		return err;
	bytes = stn_transport_address(echo.transport, address);
	STN_SPAWN(spawn_echo, STN_IN(address, bytes));
	err = ping(&echo, count, gap_ns, sample, why);
	STN_SYNC(spawn_echo);
	stn_transport_close(echo.transport, STN_SECOND_NS);
	return err;
}

int
spawn_main(struct stn_frame *stn_frame, const struct steal_options *options)
{
	static struct sample spawns, messages, arrays;
	uint64_t gap_ns = (uint64_t)options->gap_us * 1000;
	struct app_why why;
	struct stn_why reason;
	char *array;
	struct report *report = report_open(&options->files, &why);

	if (!report)
		return app_complain(EXIT_FAILURE, "%s", why.text);
	array = malloc((size_t)options->bytes);
	if (!array)
		return app_complain(EXIT_FAILURE, "out of memory");
	memset(array, 'a', (size_t)options->bytes);
	is_spawner = true;
	report_headline(report, "An empty call, spawned on node 0 and run on "
				"node 1");
	/* Makes connections. */
	measure_spawns(STN_PASS_FRAME, NULL, 0, 20, gap_ns, &spawns);
	spawns.count = 0;
	for (int i = 0; i < BLOCKS; i++) {
		long count = (options->rounds + BLOCKS - 1) / BLOCKS;

		measure_spawns(STN_PASS_FRAME, NULL, 0, count, gap_ns, &spawns);
		measure_spawns(STN_PASS_FRAME, array, (size_t)options->bytes,
			       count, gap_ns, &arrays);
		if (measure_messages(STN_PASS_FRAME, count, gap_ns, &messages,
				     &reason))
			return app_complain(EXIT_FAILURE, "%s", reason.text);
	}
	free(array);
	if (!spawns.count)
		return app_complain(EXIT_FAILURE, "node 1 stole no call");
	if (!arrays.count)
		return app_complain(EXIT_FAILURE,
				    "node 1 stole no call with an array");
	report_note(report, "node 0 computes for %ld us before each",
		    options->gap_us);
	steal_row(report, "spawn", "spawn and sync", &spawns);
	steal_row(report, "spawn", "message and answer", &messages);
	steal_rate_row(report, "spawn, array", "spawn and sync",
		       (uint64_t)options->bytes, &arrays);
	if (!report_close(report, &why))
		return app_complain(EXIT_FAILURE, "%s", why.text);
	return EXIT_SUCCESS;
}
