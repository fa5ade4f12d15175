/*
 * swept.c: sweeps a grid and prints its sum, which has the same bits however
 * the sweeps are divided. With the argument "progress", the grid has the option
 * .progress, and the program says on stderr how many units it has done and
 * known. On one node with one worker these are the sums of the run.
 *
 * The arguments of the kernel have padding between them, which holds other
 * bytes with "progress" than without.
 */
#include <stdio.h>
#include <string.h>
#include <sateen.h>
#include <sateen_parts.h>

enum { ROWS = 200, COLUMNS = 200, SWEEPS = 1000 };

STN_KERNEL(begin, double)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			at->to[i * at->stride + j] =
				(double)((at->row + i) * 31 % 17 +
					 (at->column + j) * 7 % 23);
}

STN_KERNEL(sweep, double, int, distance, double, weight)
{
	const long stride = at->stride;

	for (long i = 0; i < at->rows; i++) {
		const double *from = at->from + i * stride;
		double *to = at->to + i * stride;

		for (long j = 0; j < at->columns; j++)
			to[j] = weight * (from[j - stride] + from[j + stride] +
					  from[j - distance] +
					  from[j + distance]);
	}
}

STN_MEASURE(sum, double)
{
	double sum = 0;

	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			sum += at->from[i * at->stride + j];
	return sum;
}

/* Fills the part of the stack that the sweeps' arguments will use. */
static __attribute__((noinline)) void
fill_stack(int byte)
{
	char stack[4096];

	memset(stack, byte, sizeof(stack));
	__asm__ volatile("" : : "r"(stack) : "memory");
}

static __attribute__((noinline)) void
sweep_all(STN_FRAME, struct stn_parts *grid)
{
	STN_SWEEPS(grid, SWEEPS, sweep, 1, 0.25);
}

STN_MAIN(argc, argv)
{
	struct stn_parts *grid =
		STN_GRID(double, ROWS, COLUMNS, .halo = 1, .star = true,
			 .part_rows = 10, .progress = argc > 1);

	(void)argv;
	STN_FILL(grid, begin);
	STN_PROGRESS(0, argc > 1 ? ROWS * COLUMNS * SWEEPS : 0);
	fill_stack(argc);
	sweep_all(STN_PASS_FRAME, grid);
	fprintf(stderr, "progress: %llu of %llu\n",
		(unsigned long long)stn_frame->deque->done,
		(unsigned long long)stn_frame->deque->known);
	printf("sum = %.17g\n", STN_SUM(grid, sum));
	return 0;
}
