#include "bench/fabric/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "bench/fabric/ours.h"
#include "bench/sample.h"
#include "apps/app.h"
#include "transport/units.h"

#define ROUNDS_MOST 10000000
#define BLOCKS_LEAST 20
#define MIB ((size_t)1 << 20)

/*
 * The rounds of the shortest block of a stream. The time of a block includes
 * the way of its last message, and of the note by which node 0 knows of its
 * arrival. With two windows or more, all PATH_WINDOW messages are under way
 * while at least half of the block is sent.
 */
#define STREAM_LEAST (2 * PATH_WINDOW)

/*
 * The defaults of each benchmark. The number of rounds is @bytes by the size of
 * a message, but from @least to @most. @block is the rounds of a block, if that
 * makes BLOCKS_LEAST blocks; otherwise there are fewer, down to @shortest. A
 * block of a stream is one sample, so these blocks are short: other load on the
 * machine then spoils few samples.
 */
static const struct kind {
	const char *name, *unit, *sizes;
	size_t bytes, least, most, block, shortest;
} kinds[] = {
	[SCHEDULE_LATENCY] = { "latency", "us", "8,64,1KiB,64KiB", 128 * MIB,
			       200, 4000, 200, 1 },
	[SCHEDULE_THROUGHPUT] = { "throughput", "GB/s", "64KiB,1MiB,4MiB",
				  1024 * MIB, 160, 16000, 32, STREAM_LEAST },
	[SCHEDULE_RATE] = { "rate", "M/s", "8,64,128", 1024 * MIB, 160, 100000,
			    500, STREAM_LEAST },
	[SCHEDULE_OVERLAP] = { "overlap", "GB/s", "64KiB,1MiB,4MiB", 2048 * MIB,
			       160, 32000, 400, STREAM_LEAST },
};

static const char help[] =
	"usage: sateen bench latency|throughput|rate|overlap [settings] "
	"[options]\n"
	"Measures Sateen's messages between two nodes, alternating with the "
	"bare fabric.\n"
	"  latency     round trip of an active message\n"
	"  throughput  payloads one way, 16 under way\n"
	"  rate        small messages one way, 16 under way\n"
	"  overlap     payloads one way, and the speed left to a thread that "
	"computes\n"
	"\n"
	"  -S, --sizes SIZES      sizes of messages, such as "
	"8,64,1KiB,64KiB\n"
	"  -r, --rounds ROUNDS    rounds of each size and path\n"
	"      --no-bare          measure Sateen only\n"
	"      --pieces PIECES    throughput: also measure payloads in so "
	"many pieces\n" REPORT_HELP "  -h, --help             show this\n"
	"\n"
	"Settings are those of `sateen run`, such as --transport ofi "
	"--provider tcp\n";

static bool
take_kind(struct schedule *schedule, const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name))
			continue;
		schedule->kind = (enum schedule_kind)i;
		schedule->name = kinds[i].name;
		schedule->unit = kinds[i].unit;
		return true;
	}
	return false;
}

static bool
take_sizes(struct schedule *schedule, const char *text)
{
	char *copy = strdup(text), *at = copy, *word;
	bool good = copy;

	while (good && (word = strsep(&at, ","))) {
		uint64_t bytes;

		good = schedule->count < SCHEDULE_SIZES &&
		       !stn_parse_bytes(word, &bytes) && bytes &&
		       bytes <= SCHEDULE_MOST;
		if (!good)
			break;
		schedule->sizes[schedule->count++] = bytes;
		if (schedule->most < bytes)
			schedule->most = bytes;
	}
	free(copy);
	return good;
}

int
schedule_read(struct schedule *schedule, int argc, char **argv)
{
	const char *kind = NULL, *sizes = NULL;
	const struct app_option table[] = {
		{ .value = "BENCHMARK", .text = &kind, .needed = true },
		{ 'S', "sizes", "SIZES", .text = &sizes },
		{ 'r', "rounds", "ROUNDS", .number = &schedule->rounds,
		  .least = 1, .most = ROUNDS_MOST },
		{ 0, "no-bare", .flag = &schedule->no_bare },
		{ 0, "pieces", "PIECES", .number = &schedule->pieces,
		  .least = 1, .most = OURS_PIECES },
		REPORT_OPTIONS(schedule->files),
		{ 0 },
	};
	int status;

	memset(schedule, 0, sizeof(*schedule));
	schedule->pieces = 1;
	status = app_options(argc, argv, help, table);
	if (status != APP_GO_ON)
		return status;
	if (!take_kind(schedule, kind))
		return app_misuse("there is no benchmark '%s'", kind);
	if (!take_sizes(schedule, sizes ? sizes : kinds[schedule->kind].sizes))
		return app_misuse("SIZES must be up to %d sizes from 1 to "
				  "1GiB, such as 8,64,1KiB, not '%s'",
				  SCHEDULE_SIZES, sizes);
	if (schedule->pieces > 1 && schedule->kind != SCHEDULE_THROUGHPUT)
		return app_misuse("only throughput takes --pieces");
	return APP_GO_ON;
}

static size_t
within(size_t value, size_t least, size_t most)
{
	return value < least ? least : value > most ? most : value;
}

struct schedule_rounds
schedule_rounds(const struct schedule *schedule, size_t bytes)
{
	const struct kind *kind = &kinds[schedule->kind];
	size_t rounds = (size_t)schedule->rounds, blocks, most;

	if (!rounds)
		rounds = within(kind->bytes / bytes, kind->least, kind->most);
	blocks = within(rounds / kind->block, BLOCKS_LEAST, SAMPLE_MOST);
	most = rounds < kind->shortest ? 1 : rounds / kind->shortest;
	if (blocks > most)
		blocks = most;
	return (struct schedule_rounds){ blocks, rounds / blocks };
}
