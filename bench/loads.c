/*
 * loads.c: makes a file of speeds (emul/speeds.h) for `sateen sim --speeds`:
 * nodes whose speeds differ, and change because others use them as well.
 *
 * paper004: a world like that of Dobber, Koole and van der Mei, CCGrid 2005,
 * whose traces are not published. The logarithm of a node's own speed is
 * uniform between -1.2 and 1.2. Three foreign loads come and go on each node,
 * for hours, for minutes and for seconds; while one is there, its size is its
 * amplitude times a number between 0.5 and 1.5. With a load of 1 a node is half
 * as fast.
 *
 * planetlab: the share of a processor that is free, every five minutes, as in
 * the traces of CoMon (github.com/beloglazov/planetlab-workload-traces): each
 * node has a mean of its own, from which the share differs at random, with an
 * autocorrelation of 0.06.
 *
 * A node's speeds depend on the seed and its rank only. They are computed with
 * the machine's exp and log, and rounded to four digits.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/random.h"
#include "transport/units.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array[0]))

/* From this time on the node has this speed. */
struct change {
	uint64_t ms;
	uint32_t node;
	uint32_t order; /* of the node's changes */
	double speed;
};

struct changes {
	struct change *list;
	size_t count, room;
};

struct world {
	const char *name;
	void (*make)(struct changes *changes, uint32_t node, uint64_t end_ms,
		     struct stn_random *random);
};

static void
add_change(struct changes *changes, uint64_t ms, uint32_t node, double speed)
{
	if (changes->count == changes->room) {
		changes->room = 2 * changes->room + 64;
		changes->list = reallocarray(changes->list, changes->room,
					     sizeof(changes->list[0]));
	}
	if (!changes->list) {
		fputs("loads: out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	changes->list[changes->count] =
		(struct change){ ms, node, (uint32_t)changes->count, speed };
	changes->count++;
}

/* Uniform, above 0 and up to 1. */
static double
draw_share(struct stn_random *random)
{
	return (double)((stn_random_next(random) >> 11) + 1) * 0x1p-53;
}

static double
draw_uniform(struct stn_random *random, double low, double high)
{
	return low + (high - low) * draw_share(random);
}

static double
draw_exponential(struct stn_random *random, double mean)
{
	return -mean * log(draw_share(random));
}

/* A foreign load: exponential times, but those of a Pareto load. */
static const struct load {
	double on_s, off_s; /* means */
	double pareto_s;    /* not 0: on for a Pareto(1.5) time, from this */
	double amplitude;
} loads[] = {
	{ 4000, 9000, 0, 1 },
	{ 450, 1500, 150, 0.7 },
	{ 45, 260, 0, 1 },
};

#define PARETO 1.5

static double
draw_on(const struct load *load, struct stn_random *random)
{
	if (load->pareto_s > 0)
		return load->pareto_s / pow(draw_share(random), 1 / PARETO);
	return draw_exponential(random, load->on_s);
}

/* A load's size now, and when that changes. */
struct presence {
	double size, until_s;
};

static void
begin_load(const struct load *load, struct presence *presence,
	   struct stn_random *random)
{
	bool on =
		draw_uniform(random, 0, load->on_s + load->off_s) < load->on_s;

	presence->size =
		on ? load->amplitude * draw_uniform(random, 0.5, 1.5) : 0;
	presence->until_s = on ? draw_on(load, random)
			       : draw_exponential(random, load->off_s);
}

static void
change_load(const struct load *load, struct presence *presence,
	    struct stn_random *random)
{
	if (presence->size > 0) {
		presence->size = 0;
		presence->until_s += draw_exponential(random, load->off_s);
		return;
	}
	presence->size = load->amplitude * draw_uniform(random, 0.5, 1.5);
	presence->until_s += draw_on(load, random);
}

static void
make_paper004(struct changes *changes, uint32_t node, uint64_t end_ms,
	      struct stn_random *random)
{
	double base = exp(draw_uniform(random, -1.2, 1.2));
	struct presence presence[COUNT_OF(loads)];
	uint64_t now_ms = 0;

	for (size_t i = 0; i < COUNT_OF(loads); i++)
		begin_load(&loads[i], &presence[i], random);
	while (now_ms < end_ms) {
		double sum = 0;
		size_t next = 0;

		for (size_t i = 0; i < COUNT_OF(loads); i++) {
			sum += presence[i].size;
			if (presence[i].until_s < presence[next].until_s)
				next = i;
		}
		add_change(changes, now_ms, node, base / (1 + sum));
		now_ms = (uint64_t)(presence[next].until_s * 1000);
		change_load(&loads[next], &presence[next], random);
	}
}

/*
 * The mean distance of the traces' values from their median is 4.1 points. A
 * Laplace distribution of this width gives a forecaster about the errors that
 * it has with the traces: 4.1 points for the median of 21, 4.8 for exponential
 * smoothing.
 */
#define STEP_MS 300000
#define CORRELATION 0.06
#define WIDTH 0.041

static double
draw_laplace(struct stn_random *random)
{
	double size = draw_exponential(random, WIDTH);

	return stn_random_below(random, 2) ? size : -size;
}

static void
make_planetlab(struct changes *changes, uint32_t node, uint64_t end_ms,
	       struct stn_random *random)
{
	double mean = draw_uniform(random, 0.75, 0.97);
	double off = draw_laplace(random);

	for (uint64_t ms = 0; ms < end_ms; ms += STEP_MS) {
		double free_share = mean + off;

		add_change(changes, ms, node,
			   free_share > 1      ? 1
			   : free_share < 0.02 ? 0.02
					       : free_share);
		off = CORRELATION * off + sqrt(1 - CORRELATION * CORRELATION) *
						  draw_laplace(random);
	}
}

static const struct world worlds[] = {
	{ "paper004", make_paper004 },
	{ "planetlab", make_planetlab },
};

static int
compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->ms != y->ms)
		return x->ms < y->ms ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void
print_changes(const struct changes *changes)
{
	uint64_t ms = 0;

	for (size_t i = 0; i < changes->count; i++) {
		const struct change *change = &changes->list[i];

		if (change->ms != ms)
			printf("@ %" PRIu64 "ms\n", change->ms);
		ms = change->ms;
		printf("%" PRIu32 " %.4g\n", change->node, change->speed);
	}
}

static const char help[] =
	"usage: loads [--nodes N] [--duration TIME] [--seed N]\n"
	"             [--kind paper004|planetlab]\n"
	"Makes a file of speeds for `sateen sim --speeds`, on the standard "
	"output.\n";

static _Noreturn void
refuse(void)
{
	fputs("loads: an option is wrong; see loads --help\n", stderr);
	exit(2);
}

static const struct world *
find_world(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(worlds); i++)
		if (!strcmp(worlds[i].name, name))
			return &worlds[i];
	fprintf(stderr, "loads: no kind \"%s\"; see loads --help\n", name);
	exit(2);
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "nodes", required_argument, NULL, 'n' },
		{ "duration", required_argument, NULL, 'd' },
		{ "seed", required_argument, NULL, 's' },
		{ "kind", required_argument, NULL, 'k' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t nodes = 4, seed = 1, duration_ns = 100000 * STN_SECOND_NS;
	const struct world *world = &worlds[0];
	struct changes changes = { NULL, 0, 0 };
	bool wrong = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "n:d:s:k:h", options, NULL)) !=
	       -1) {
		if (option == 'n')
			wrong |= stn_parse_count(optarg, 1, 100000, &nodes);
		else if (option == 'd')
			wrong |= stn_parse_duration(optarg, &duration_ns);
		else if (option == 's')
			wrong |= stn_parse_count(optarg, 0, INT64_MAX, &seed);
		else if (option == 'k')
			world = find_world(optarg);
		else if (option == 'h')
			return fputs(help, stdout) < 0;
		else
			refuse();
	}
	if (wrong || optind < argc)
		refuse();
	for (uint32_t i = 0; i < nodes; i++) {
		struct stn_random random;

		stn_random_seed(&random, seed, i);
		world->make(&changes, i, duration_ns / 1000000, &random);
	}
	qsort(changes.list, changes.count, sizeof(changes.list[0]),
	      compare_changes);
	printf("# loads --kind %s --nodes %" PRIu64 " --seed %" PRIu64 "\n",
	       world->name, nodes, seed);
	print_changes(&changes);
	free(changes.list);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
