/*
 * measure.c: what sateen bench checks, over a path that the test makes up. Here
 * the other node's part of a message is to write it into this node's memory.
 */
#include "bench/fabric/measure.h"

#include <sys/wait.h>

#include "tests/tap.h"

#define BYTES 64
#define ROUNDS 100
#define NEVER SIZE_MAX

enum fault { CHANGED, MISSING };

static struct world {
	struct measured measured;
	struct path path;
	char in[BYTES];
	size_t messages, rows;
	size_t faulty; /* number of the message with the fault */
	enum fault fault;
	struct ours_order order; /* for node 1, which then leaves */
} world;

/* The parts of the program that the test replaces. */

void
path_fail(struct path *path, const char *format, ...)
{
	(void)path;
	(void)format;
	_exit(EXIT_FAILURE);
}

void
path_begin(struct path *path)
{
	(void)path;
}

void
ours_pieces(struct ours *ours, size_t pieces)
{
	(void)ours;
	(void)pieces;
}

void
ours_order(struct ours *ours, struct ours_order order)
{
	(void)ours;
	(void)order;
}

struct ours_order
ours_obey(struct ours *ours)
{
	struct ours_order order = world.order;

	(void)ours;
	world.order.task = OURS_LEAVE;
	return order;
}

void
report_add(struct report *report, const struct report_row *row)
{
	(void)report;
	(void)row;
	world.rows++;
}

/* One message of the other node arrives. */
static void
arrive(struct path *path, size_t bytes)
{
	bool is_faulty = ++world.messages == world.faulty;

	if (is_faulty && world.fault == MISSING)
		return;
	for (size_t i = 0; i < bytes; i++)
		path->in[i] = path_byte(!path->rank, i);
	if (is_faulty)
		path->in[bytes / 2]++;
}

static void
arrive_all(struct path *path, size_t bytes, size_t count)
{
	while (count--)
		arrive(path, bytes);
}

static const struct path_ops ops = {
	.name = "made up",
	.messages = true,
	.payloads = true,
	.ping = arrive,
	.pong = arrive,
	.stream = arrive_all,
	.drain = arrive_all,
};

static void
begin(uint32_t rank, size_t faulty, enum fault fault)
{
	world.path.ops = &ops;
	world.path.rank = rank;
	world.path.in = world.in;
	world.path.most = BYTES;
	world.measured.paths[0] = &world.path;
	world.measured.count = 1;
	world.faulty = faulty;
	world.fault = fault;
}

/* Node 0 measures latency, in blocks of ROUNDS / 20 timed round trips. */
static void
lead(void)
{
	const struct schedule schedule = { .kind = SCHEDULE_LATENCY,
					   .name = "latency",
					   .unit = "us",
					   .sizes = { BYTES },
					   .count = 1,
					   .most = BYTES,
					   .rounds = ROUNDS,
					   .pieces = 1 };

	measure(&world.measured, &schedule, NULL);
	if (world.rows != 1)
		_exit(EXIT_FAILURE);
}

/* Node 1 obeys one order. */
static void
answer(void)
{
	world.order = (struct ours_order){ OURS_ANSWER, 0, BYTES, ROUNDS };
	measure_serve(&world.measured);
}

static void
drain(void)
{
	world.order = (struct ours_order){ OURS_DRAIN, 0, BYTES, ROUNDS };
	measure_serve(&world.measured);
}

/* Does a node's part end well? Its message number @faulty has the fault. */
static bool
ends_well(void (*part)(void), uint32_t rank, size_t faulty, enum fault fault)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		begin(rank, faulty, fault);
		part();
		_exit(EXIT_SUCCESS);
	}
	waitpid(child, &status, 0);
	return !status;
}

static void
round_trips(void)
{
	size_t block = 1 + ROUNDS / 20; /* the first one is not timed */

	tap_ok(ends_well(lead, 0, NEVER, CHANGED),
	       "latency is measured if all answers arrive unchanged");
	tap_ok(!ends_well(lead, 0, 1, CHANGED),
	       "node 0 checks the first answer of a block");
	tap_ok(!ends_well(lead, 0, block, CHANGED), "and the last one");
	tap_ok(!ends_well(lead, 0, block + 1, MISSING),
	       "bytes of an earlier answer do not pass for those of a later "
	       "one");
	tap_ok(ends_well(answer, 1, NEVER, CHANGED),
	       "node 1 answers if all messages arrive unchanged");
	tap_ok(!ends_well(answer, 1, ROUNDS, CHANGED),
	       "node 1 checks the last message of a block");
}

/* The rounds of each block; 0 if there is no block. */
static size_t
rounds_of(enum schedule_kind kind, size_t bytes, long rounds)
{
	const struct schedule schedule = { .kind = kind, .rounds = rounds };
	struct schedule_rounds found = schedule_rounds(&schedule, bytes);

	return found.blocks ? found.each : 0;
}

/* In a block of two windows, a full window is under way for half of it. */
static void
windows_are_full(enum schedule_kind kind, const char *name)
{
	size_t each, least = SIZE_MAX, whole = 0, windows = 2 * PATH_WINDOW;

	for (size_t bytes = 8; bytes <= SCHEDULE_MOST; bytes *= 2) {
		each = rounds_of(kind, bytes, 0);
		least = each < least ? each : least;
	}
	for (size_t rounds = windows; rounds < 3000; rounds++) {
		each = rounds_of(kind, 8, (long)rounds);
		least = each < least ? each : least;
	}
	for (size_t rounds = 1; rounds < windows; rounds++)
		whole += rounds_of(kind, 8, (long)rounds) == rounds;
	tap_ok(least >= windows, "a block of %s has two windows: %zu messages",
	       name, least);
	tap_ok(whole == windows - 1, "or all messages, if there are fewer");
}

static void
blocks(void)
{
	windows_are_full(SCHEDULE_THROUGHPUT, "throughput");
	windows_are_full(SCHEDULE_RATE, "rate");
	windows_are_full(SCHEDULE_OVERLAP, "overlap");
	tap_ok(rounds_of(SCHEDULE_LATENCY, 8, 40) == 2,
	       "40 round trips are 20 blocks");
}

static void
streams(void)
{
	tap_ok(ends_well(drain, 1, NEVER, CHANGED),
	       "node 1 takes a stream if all messages arrive unchanged");
	tap_ok(!ends_well(drain, 1, PATH_WINDOW + ROUNDS, CHANGED),
	       "node 1 checks the last message of a stream");
}

int
main(void)
{
	tap_begin();
	round_trips();
	streams();
	blocks();
	return tap_end();
}
