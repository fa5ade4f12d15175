/*
 * spawn.c: from the spawn of a call of nothing to its result, when another
 * node runs it; and a message there and back, in turn, under the same
 * circumstances: before each, node 0 computes for a while.
 */
#include <unistd.h>

#include "apps/bench/steal/line.h"
#include "apps/bench/steal/steal.h"
#include "apps/bench/ticks.h"

#define BLOCKS 10
#define TRIES 20 /* at a call that the other node should take */
#define PATIENCE_NS (5 * STN_SECOND_NS)

STN_TASK(int32_t, spawn_where)
{
	return getpid();
}

/* Answers messages, on any node but the spawner's. */
STN_TASK(int32_t, spawn_echo, int32_t, spawner, struct stn_in, address)
{
	static struct line line; /* it outlives its last answer */
	struct stn_why why;

	if (getpid() == spawner)
		return 0;
	if (line_open(&line, 1, &why) ||
	    line_echo(&line, address.at, address.row_bytes, &why)) {
		fprintf(stderr, "sateen-steal: %s\n", why.text);
		_exit(EXIT_FAILURE);
	}
	line_close(&line);
	return 1;
}

/* Calls that node 0 ran itself tell nothing. */
STN_TASK_VOID(measure_spawns, long, count, uint64_t, gap_ns, struct sample *,
	      sample)
{
	int32_t here = getpid();

	for (long tries = TRIES * count; count && tries; tries--) {
		uint64_t begin;
		int32_t there;

		steal_compute(gap_ns);
		begin = ticks_clock_ns();
		STN_SPAWN(spawn_where);
		there = STN_SYNC(spawn_where);
		if (there == here)
			continue;
		sample_add(sample, (double)(ticks_clock_ns() - begin));
		count--;
	}
}

static enum stn_err
ping(struct line *line, long count, uint64_t gap_ns, struct sample *sample,
     struct stn_why *why)
{
	enum stn_err err = line_await(line, PATIENCE_NS, why);

	for (long i = 0; !err && i < count; i++) {
		steal_compute(gap_ns);
		sample_add(sample, (double)line_ping(line));
	}
	if (!err)
		line_hang_up(line);
	return err;
}

STN_TASK(enum stn_err, measure_messages, long, count, uint64_t, gap_ns,
	 struct sample *, sample, struct stn_why *, why)
{
	unsigned char address[STN_ADDRESS_BYTES];
	struct line line;
	enum stn_err err = line_open(&line, 0, why);
	size_t bytes;

	if (err)
		return err;
	bytes = line_address(&line, address);
	STN_SPAWN(spawn_echo, getpid(), STN_IN(address, bytes));
	err = ping(&line, count, gap_ns, sample, why);
	STN_SYNC(spawn_echo);
	line_close(&line);
	return err;
}

int
spawn_main(struct stn_frame *stn_frame, const struct steal_options *options)
{
	static struct sample spawns, messages;
	uint64_t gap_ns = (uint64_t)options->gap_us * 1000;
	struct app_why why;
	struct stn_why reason;
	struct report *report = report_open(&options->files, &why);

	if (!report)
		return app_complain(EXIT_FAILURE, "%s", why.text);
	report_headline(report, "A call of nothing, spawned here and run on "
				"another node");
	STN_CALL(measure_spawns, 20, gap_ns, &spawns); /* they connect */
	spawns.count = 0;
	for (int i = 0; i < BLOCKS; i++) {
		long count = (options->rounds + BLOCKS - 1) / BLOCKS;

		STN_CALL(measure_spawns, count, gap_ns, &spawns);
		if (STN_CALL(measure_messages, count, gap_ns, &messages,
			     &reason))
			return app_complain(EXIT_FAILURE, "%s", reason.text);
	}
	if (!spawns.count)
		return app_complain(EXIT_FAILURE, "no other node took a call");
	report_note(report, "node 0 computes for %ld us before each",
		    options->gap_us);
	steal_row(report, "spawn", "spawn and sync", &spawns);
	steal_row(report, "spawn", "message and answer", &messages);
	if (!report_close(report, &why))
		return app_complain(EXIT_FAILURE, "%s", why.text);
	return EXIT_SUCCESS;
}
