/*
 * fmm_cost: what a sweep of the fast multipole method costs, without the method.
 * Particles lie in a cube that is cut into 8^depth cells; a cell is a part of
 * an array, in Morton order. A sweep of a cell takes the time of its near field
 * (pairs of particles in it and its neighbours), of its far field (other cells
 * in its interaction list) and of its own expansions. Cells without particles
 * cost nothing. Parts exchange no halos: the kernel only spends the time.
 *
 * For simulations: the kernel tells its work and when it is done on which node.
 * In a real run it computes for the time that --spin says.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "apps/app.h"
#include "bench/fmm_cost/weights.h"
#include "parts/sateen_parts.h"
#include "steal/steal.h"

#define CELL_DOUBLES 128 /* 1 KiB: about 24 particles, and two expansions */

struct cell {
	double value[CELL_DOUBLES];
};

struct options {
	long depth, particles, steps, spare, spin;
	const char *kind;
};

static const char help[] =
	"usage: fmm_cost [--kind KIND] [--depth N] [--particles N] [--steps N]\n"
	"Sweeps cells of particles that cost as much as the fast multipole "
	"method.\n"
	"\n"
	"  -k, --kind KIND       uniform, gaussian, corner or plummer\n"
	"  -d, --depth N         8^N cells (default 4)\n"
	"  -p, --particles N     (default 100000)\n"
	"  -n, --steps N         sweeps (default 1)\n"
	"      --idle N          nodes without parts at first, as --spare "
	"says\n"
	"      --spin N          compute for N / 1000 of the costs, in real "
	"runs\n"
	"  -h, --help            show this\n";

/* When each node has swept its last cell of this step; of a simulation. */
static double *done_s;

/* Computes until this thread has used so much time of its processor. */
static void
spin(uint64_t ns)
{
	struct timespec now;
	uint64_t end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	end = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + ns;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec <
	       end);
}

static void
spend(struct stn_deque *deque, uint64_t ns, long thousandths)
{
	const struct stn_node *node = stn_owner_of(deque)->node;

	if (!node->sim) {
		spin(ns / 1000 * (uint64_t)thousandths);
		return;
	}
	stn_work(deque, ns);
	if (done_s)
		done_s[node->rank] = stn_seconds(deque);
}

STN_KERNEL(cells_begin, struct cell)
{
	memset(at->to, 0, sizeof(*at->to));
	at->to->value[0] = (double)at->row;
}

/*
 * As STN_KERNEL makes it, but the kernel's function passes the worker on, to
 * which the time is charged.
 */
STN_KERNEL_TYPES_(cells_sweep, struct cell, long, kind, long, depth, long,
		  particles, long, thousandths)
static void
cells_sweep_for(struct stn_deque *deque, const struct stn_record *record,
		struct stn_record *head, void *place)
{
	const struct cells_sweep_arguments *arguments =
		(const void *)record->arguments;
	const struct stn_at *at = place;
	struct cell *cell = at->to;
	const uint64_t *weights = weights_of(arguments->kind, arguments->depth,
					     arguments->particles);

	(void)head;
	spend(deque, weights[at->row], arguments->thousandths);
	cell->value[0] = cell->value[0] * 0.75 + (double)weights[at->row];
}
static const struct stn_argument cells_sweep_describe[] = {
	STN_PAIRS_(STN_DESCRIBE_, cells_sweep_arguments, long, kind, long,
		   depth, long, particles, long,
		   thousandths){ NULL, 0, 0, STN_ARGUMENT_SCALAR },
};
static const struct stn_task cells_sweep_task = {
	"cells_sweep",
	"kernel of struct cell",
	cells_sweep_for,
	cells_sweep_describe,
	4,
	sizeof(struct cells_sweep_arguments),
	0,
};
static struct stn_task_entry cells_sweep_entry = { &cells_sweep_task, NULL };
static __attribute__((constructor)) void
cells_sweep_register(void)
{
	stn_task_register(&cells_sweep_entry);
}
STN_KERNEL_CALL_(cells_sweep, void, , sweep, long, kind, long, depth, long,
		 particles, long, thousandths)

STN_MEASURE(cells_sum, struct cell)
{
	return at->from->value[0];
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'k', "kind", "KIND", .text = &to->kind },
		{ 'd', "depth", "N", .number = &to->depth, .least = 1,
		  .most = 7 },
		{ 'p', "particles", "N", .number = &to->particles, .least = 1,
		  .most = 100000000 },
		{ 'n', "steps", "N", .number = &to->steps, .least = 1,
		  .most = 1000000 },
		{ 0, "idle", "N", .number = &to->spare, .most = 100000 },
		{ 0, "spin", "N", .number = &to->spin, .most = 1000000 },
		{ 0 },
	};

	return app_options(argc, argv, help, table);
}

/*
 * The coefficient of variation of the times at which @used nodes were done,
 * counted from @begin. Nodes that had nothing to do were done at once; but a
 * node from which all has moved is not counted.
 */
static double
variation(uint32_t nodes, uint32_t used, double begin)
{
	double sum = 0, squares = 0, count = 0, mean;

	for (uint32_t i = 0; i < nodes; i++) {
		if (done_s[i] <= begin)
			continue;
		sum += done_s[i] - begin;
		squares += (done_s[i] - begin) * (done_s[i] - begin);
		count++;
	}
	count = count < used ? used : count;
	mean = sum / count;
	return sqrt(fmax(0, squares / count - mean * mean)) / mean;
}

static void
print_weights(const struct options *options, long kind)
{
	const uint64_t *weights =
		weights_of(kind, options->depth, options->particles);
	uint64_t cells = UINT64_C(1) << 3 * options->depth, sum = 0, most = 0;

	for (uint64_t i = 0; i < cells; i++) {
		sum += weights[i];
		most = weights[i] > most ? weights[i] : most;
	}
	printf("work: %.3f s, largest cell %.6f s\n", (double)sum * 1e-9,
	       (double)most * 1e-9);
}

STN_MAIN(argc, argv)
{
	struct options options = {
		.depth = 4, .particles = 100000, .steps = 1, .kind = "uniform"
	};
	int status = read_options(argc, argv, &options);
	const struct stn_node *node = stn_owner_of(STN_PASS_FRAME->deque)->node;
	uint32_t nodes = node->topology->nodes;
	uint32_t used = nodes - (uint32_t)options.spare;
	struct stn_parts *grid;
	double total = 0;
	long kind;

	if (status != APP_GO_ON)
		return status;
	kind = weights_kind(options.kind);
	if (kind < 0 || options.spare >= (long)nodes)
		return app_complain(2, "no such kind, or no such nodes");
	if (node->sim)
		done_s = calloc(nodes, sizeof(done_s[0]));
	print_weights(&options, kind);
	grid = STN_GRID(struct cell, 1L << 3 * options.depth, 1, .copies = 1,
			.part_rows = 1, .part_columns = 1);
	STN_FILL(grid, cells_begin);
	for (long i = 0; i < options.steps; i++) {
		double begin = STN_SECONDS(), took;

		STN_SWEEP(grid, cells_sweep, kind, options.depth,
			  options.particles, options.spin);
		took = STN_SECONDS() - begin;
		total += took;
		printf("step %ld: %.6f s", i + 1, took);
		if (done_s)
			printf(", variation %.4f",
			       variation(nodes, used, begin));
		putchar('\n');
	}
	printf("sum = %.17g\n", STN_SUM(grid, cells_sum));
	printf("time: %.6f s, cost: %.3f s\n", total, total * used);
	free(done_s);
	done_s = NULL;
	return 0;
}
