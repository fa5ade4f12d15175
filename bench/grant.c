/*
 * grant: measures how soon a node gets work from a node whose only worker
 * computes. Node 0 spawns some calls and then computes for a long time. Node 1
 * steals the calls one after the other. Each call returns the time of its
 * start. Both nodes must be on one host, because they use its clock.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sateen.h>

#include "apps/app.h"
#include "bench/sample.h"
#include "bench/ticks.h"

#define RECORDS 10
#define REST_NS 50000000 /* before spawning; node 1 becomes idle meanwhile */

static const char help[] =
	"usage: sateen run -n 2 -w 1 grant [-r ROUNDS] [-l MS]\n"
	"Measures how soon another node of this host gets work while this "
	"node\n"
	"computes: the time from the spawn to the start of the first stolen\n"
	"call, and from each stolen call to the next.\n"
	"\n"
	"  -r, --rounds ROUNDS  rounds of 10 calls each (default 5)\n"
	"  -l, --leaf MS        how long this node computes, in milliseconds\n"
	"                       (default 1000)\n"
	"  -h, --help           show this\n";

struct begun {
	uint64_t ns;
	int32_t process;
};

STN_TASK(struct begun, begin)
{
	return (struct begun){ ticks_clock_ns(), getpid() };
}

static void
compute(uint64_t until_ns)
{
	while (ticks_clock_ns() < until_ns)
		;
}

static int
by_time(const void *a, const void *b)
{
	const struct begun *left = a, *right = b;

	return (left->ns > right->ns) - (left->ns < right->ns);
}

/* Leaves out the calls that node 0 itself ran in the end. */
static void
evaluate(struct begun *begun, uint64_t spawned_ns, struct sample *first,
	 struct sample *gaps)
{
	int32_t here = getpid();
	uint64_t last = spawned_ns;

	qsort(begun, RECORDS, sizeof(*begun), by_time);
	for (int i = 0; i < RECORDS; i++) {
		if (begun[i].process == here)
			continue;
		sample_add(last == spawned_ns ? first : gaps,
			   (double)(begun[i].ns - last));
		last = begun[i].ns;
	}
}

static void
measure(STN_FRAME, uint64_t leaf_ns, struct sample *first, struct sample *gaps)
{
	struct begun begun[RECORDS];
	uint64_t spawned_ns;

	compute(ticks_clock_ns() + REST_NS);
	spawned_ns = ticks_clock_ns();
	for (int i = 0; i < RECORDS; i++)
		STN_SPAWN(begin);
	compute(spawned_ns + leaf_ns);
	for (int i = 0; i < RECORDS; i++)
		begun[i] = STN_SYNC(begin);
	evaluate(begun, spawned_ns, first, gaps);
}

STN_MAIN(argc, argv)
{
	static struct sample first, gaps;
	long rounds = 5, leaf_ms = 1000;
	const struct app_option table[] = {
		{ 'r', "rounds", "ROUNDS", .number = &rounds, .least = 1,
		  .most = SAMPLE_MOST / RECORDS },
		{ 'l', "leaf", "MS", .number = &leaf_ms, .least = 1,
		  .most = 60000 },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	if (status != APP_GO_ON)
		return status;
	measure(STN_PASS_FRAME, REST_NS, &first, &gaps); /* makes connections */
	first.count = gaps.count = 0;
	for (long i = 0; i < rounds; i++)
		measure(STN_PASS_FRAME, (uint64_t)leaf_ms * 1000000, &first,
			&gaps);
	if (!gaps.count)
		return app_complain(1, "no other node stole a call; "
				       "use sateen run -n 2 -w 1");
	sample_print(&first, "first");
	sample_print(&gaps, "next");
	return 0;
}
