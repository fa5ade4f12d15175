#include "apps/bench/fabric/plan.h"

#include <stdlib.h>
#include <string.h>

#include "apps/bench/fabric/ours.h"
#include "apps/bench/sample.h"
#include "apps/options.h"
#include "transport/units.h"

#define ROUNDS_MOST 10000000
#define BLOCKS_LEAST 20
#define MIB ((size_t)1 << 20)

/*
 * What each is by default: as many rounds as move this many bytes, within
 * limits; and of how many a block is. A stream is one sample, so that its
 * blocks are short: then something else's turn on the machine spoils few.
 */
static const struct kind {
	const char *name, *unit, *sizes;
	size_t bytes, least, most, block;
} kinds[] = {
	[PLAN_LATENCY] = { "latency", "us", "8,64,1KiB,64KiB", 128 * MIB, 200,
			   4000, 200 },
	[PLAN_THROUGHPUT] = { "throughput", "GB/s", "64KiB,1MiB,4MiB",
			      1024 * MIB, 80, 16000, 32 },
	[PLAN_RATE] = { "rate", "M/s", "8,64,128", 1024 * MIB, 80, 100000,
			500 },
	[PLAN_OVERLAP] = { "overlap", "GB/s", "64KiB,1MiB,4MiB", 2048 * MIB, 80,
			   32000, 400 },
};

static const char help[] =
	"usage: sateen bench latency|throughput|rate|overlap [settings] "
	"[options]\n"
	"Measures Sateen's messages between two nodes, and the bare fabric "
	"next "
	"to them,\nin turns.\n"
	"  latency     round trip of an active message\n"
	"  throughput  payloads one way, 16 under way\n"
	"  rate        small messages one way, 16 under way\n"
	"  overlap     payloads one way, and what is left to who computes\n"
	"\n"
	"  -S, --sizes SIZES      of messages: 8,64,1KiB,64KiB\n"
	"  -r, --rounds ROUNDS    of each size and path\n"
	"      --no-bare          Sateen only\n"
	"      --pieces PIECES    also payloads in so many pieces "
	"(throughput)\n" REPORT_HELP "  -h, --help             show this\n"
	"\n"
	"Settings are those of `sateen run`: --transport ofi --provider tcp\n";

static bool
take_kind(struct plan *plan, const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name))
			continue;
		plan->kind = (enum plan_kind)i;
		plan->name = kinds[i].name;
		plan->unit = kinds[i].unit;
		return true;
	}
	return false;
}

static bool
take_sizes(struct plan *plan, const char *text)
{
	char *copy = strdup(text), *at = copy, *word;
	bool good = copy;

	while (good && (word = strsep(&at, ","))) {
		uint64_t bytes;

		good = plan->count < PLAN_SIZES &&
		       !stn_parse_bytes(word, &bytes) && bytes &&
		       bytes <= PLAN_MOST;
		if (!good)
			break;
		plan->sizes[plan->count++] = bytes;
		if (plan->most < bytes)
			plan->most = bytes;
	}
	free(copy);
	return good;
}

int
plan_read(struct plan *plan, int argc, char **argv)
{
	const char *kind = NULL, *sizes = NULL;
	const struct app_option table[] = {
		{ .value = "BENCHMARK", .text = &kind, .needed = true },
		{ 'S', "sizes", "SIZES", .text = &sizes },
		{ 'r', "rounds", "ROUNDS", .number = &plan->rounds, .least = 1,
		  .most = ROUNDS_MOST },
		{ 0, "no-bare", .flag = &plan->no_bare },
		{ 0, "pieces", "PIECES", .number = &plan->pieces, .least = 1,
		  .most = OURS_PIECES },
		REPORT_OPTIONS(plan->files),
		{ 0 },
	};
	int status;

	memset(plan, 0, sizeof(*plan));
	plan->pieces = 1;
	status = app_options(argc, argv, help, table);
	if (status != APP_GO_ON)
		return status;
	if (!take_kind(plan, kind))
		return app_misuse("there is no benchmark '%s'", kind);
	if (!take_sizes(plan, sizes ? sizes : kinds[plan->kind].sizes))
		return app_misuse("SIZES must be up to %d from 1 to 1GiB, as "
				  "8,64,1KiB, not '%s'",
				  PLAN_SIZES, sizes);
	if (plan->pieces > 1 && plan->kind != PLAN_THROUGHPUT)
		return app_misuse("only throughput takes --pieces");
	return APP_GO_ON;
}

static size_t
within(size_t value, size_t least, size_t most)
{
	return value < least ? least : value > most ? most : value;
}

struct plan_rounds
plan_rounds(const struct plan *plan, size_t bytes)
{
	const struct kind *kind = &kinds[plan->kind];
	size_t rounds = (size_t)plan->rounds, blocks;

	if (!rounds)
		rounds = within(kind->bytes / bytes, kind->least, kind->most);
	blocks = within(rounds / kind->block, BLOCKS_LEAST, SAMPLE_MOST);
	if (blocks > rounds)
		blocks = rounds;
	return (struct plan_rounds){ blocks, rounds / blocks };
}
