/*
 * sor: Laplace's equation on a rectangle by successive over-relaxation in
 * red/black order, as in Dobber, Koole and van der Mei, "Dynamic load balancing
 * experiments in a grid", CCGrid 2005. The edge has the values of a harmonic
 * function, and the inside begins with zeros, so the solution is known.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sateen_parts.h>

#include "apps/app.h"
#include "apps/field.h"

struct options {
	long rows, columns, sweeps, every, part_rows, part_columns;
	const char *omega_text, *tolerance_text;
	double omega, tolerance;
	const char *read;
	struct field_options field;
};

static const char help[] =
	"usage: sor [--seq] [--rows N] [--columns N] [--sweeps N]\n"
	"           [--tolerance T] [--omega W]\n"
	"Solves Laplace's equation by red/black over-relaxation.\n"
	"\n"
	"  -r, --rows N          rows of the grid (default 1000)\n"
	"  -c, --columns N       columns, an even number (default 1000)\n"
	"  -n, --sweeps N        sweeps, at most (default 100)\n"
	"  -t, --tolerance T     stop when no point differs from the mean of\n"
	"                        its neighbours by more (default 0: never)\n"
	"  -e, --every N         sweeps between two looks at that (default "
	"10)\n"
	"  -w, --omega W         relaxation, 0 to 2 (default 0: the best)\n"
	"      --block N         sweeps in one go (default: chosen)\n"
	"      --part-rows N     rows of a part (default: chosen)\n"
	"      --part-columns N  columns of a part (default: chosen)\n"
	"      --write FILE      write the grid to a netCDF file, as u\n"
	"      --png FILE        write a picture of it\n"
	"      --read FILE       begin with the u of such a file\n"
	"  -s, --seq             the same as plain loops\n"
	"  -h, --help            show this\n";

/* A harmonic function whose mean over the neighbours of a point is its value.
 */
static double
harmonic(long i, long j, long rows, long columns)
{
	double size = (double)(rows > columns ? rows : columns) + 1;
	double y = (double)(i + 1) / size, x = (double)(j + 1) / size;

	return x * x - y * y;
}

static double
begin_value(long i, long j, long rows, long columns)
{
	bool inside = i >= 0 && i < rows && j >= 0 && j < columns;

	return inside ? 0 : harmonic(i, j, rows, columns);
}

STN_KERNEL(sor_begin, double, long, rows, long, columns)
{
	for (long i = 0; i < at->rows; i++)
		for (long k = 0; k < at->columns; k++) {
			long column = at->column + 2 * k + STN_SHIFT(at, 0, i);

			at->to[i * at->stride + k] =
				begin_value(at->row + i, column, rows, columns);
		}
}

STN_KERNEL(sor_relax, double, double, omega)
{
	const long stride = at->stride, columns = at->columns;

	for (long i = 0; i < at->rows; i++) {
		double *restrict x = at->to + i * stride;
		const double *restrict other = at->from + i * stride;
		const double *west = other + STN_SHIFT(at, 0, i) - 1;

		for (long k = 0; k < columns; k++) {
			double sum = other[k - stride] + other[k + stride] +
				     west[k] + west[k + 1];

			x[k] += omega * (0.25 * sum - x[k]);
		}
	}
}

/* The larger one; a NaN counts as infinite, because STN_MAX ignores it. */
static double
larger(double most, double error)
{
	return isnan(error) ? INFINITY : fmax(most, error);
}

/* How much the points of one colour differ from their neighbours' mean. */
static double
defect_of(const double *x, const double *other, long columns, long stride,
	  long shift)
{
	double most = 0;

	for (long k = 0; k < columns; k++) {
		double sum = other[k - stride] + other[k + stride] +
			     other[k + shift - 1] + other[k + shift];

		most = larger(most, fabs(0.25 * sum - x[k]));
	}
	return most;
}

STN_MEASURE(sor_defect, double)
{
	double most = 0;

	for (long i = 0; i < at->rows; i++) {
		const double *red = at->to + i * at->stride;
		const double *black = at->from + i * at->stride;
		long shift = STN_SHIFT(at, 0, i);

		most = fmax(most, defect_of(red, black, at->columns, at->stride,
					    shift));
		most = fmax(most, defect_of(black, red, at->columns, at->stride,
					    !shift));
	}
	return most;
}

STN_MEASURE(sor_error, double, long, rows, long, columns)
{
	double most = 0;

	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < 2 * at->columns; j++) {
			bool red = !((at->parity + i + j) & 1);
			const double *points = red ? at->to : at->from;
			double error = points[i * at->stride + j / 2] -
				       harmonic(at->row + i, at->column + j,
						rows, columns);

			most = larger(most, fabs(error));
		}
	return most;
}

/* One sweep over a plain array, colour by colour. */
static void
sweep_plainly(double *grid, long rows, long columns, double omega)
{
	long stride = columns + 2;

	for (long colour = 0; colour < 2; colour++)
		for (long i = 0; i < rows; i++) {
			double *x = grid + (i + 1) * stride + 1;

			for (long j = (i + colour) & 1; j < columns; j += 2) {
				double sum = x[j - stride] + x[j + stride] +
					     x[j - 1] + x[j + 1];

				x[j] += omega * (0.25 * sum - x[j]);
			}
		}
}

static double
defect_plainly(const double *grid, long rows, long columns)
{
	long stride = columns + 2;
	double most = 0;

	for (long i = 1; i <= rows; i++)
		for (long j = 1; j <= columns; j++) {
			const double *x = grid + i * stride + j;
			double sum = x[-stride] + x[stride] + x[-1] + x[1];

			most = larger(most, fabs(0.25 * sum - *x));
		}
	return most;
}

/* What solve() does, with a plain array. */
static long
sweeps_plainly(double *grid, const struct options *options)
{
	long rows = options->rows, columns = options->columns, done;

	for (done = 0; done < options->sweeps; done++) {
		if (options->tolerance > 0 && done % options->every == 0 &&
		    defect_plainly(grid, rows, columns) <= options->tolerance)
			break;
		sweep_plainly(grid, rows, columns, options->omega);
	}
	return done;
}

/* Returns false without memory. */
static bool
solve_plainly(const struct options *options, long *sweeps_p, double *seconds_p,
	      double *error_p)
{
	long rows = options->rows, columns = options->columns;
	long stride = columns + 2;
	double *grid =
		malloc((size_t)(rows + 2) * (size_t)stride * sizeof(*grid));
	double most = 0, begin;

	if (!grid)
		return false;
	for (long i = 0; i < rows + 2; i++)
		for (long j = 0; j < stride; j++)
			grid[i * stride + j] =
				begin_value(i - 1, j - 1, rows, columns);
	begin = app_seconds();
	*sweeps_p = sweeps_plainly(grid, options);
	*seconds_p = app_seconds() - begin;
	for (long i = 0; i < rows; i++)
		for (long j = 0; j < columns; j++)
			most = larger(most,
				      fabs(grid[(i + 1) * stride + j + 1] -
					   harmonic(i, j, rows, columns)));
	free(grid);
	*error_p = most;
	return true;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'r', "rows", "N", .number = &to->rows, .least = 1,
		  .most = 1000000 },
		{ 'c', "columns", "N", .number = &to->columns, .least = 2,
		  .most = 1000000 },
		{ 'n', "sweeps", "N", .number = &to->sweeps,
		  .most = 1000000000 },
		{ 't', "tolerance", "T", .text = &to->tolerance_text },
		{ 'e', "every", "N", .number = &to->every, .least = 1,
		  .most = 1000000000 },
		{ 'w', "omega", "W", .text = &to->omega_text },
		{ 0, "part-rows", "N", .number = &to->part_rows,
		  .most = 1000000 },
		{ 0, "part-columns", "N", .number = &to->part_columns,
		  .most = 1000000 },
		FIELD_OPTIONS(&to->field),
		{ 0, "read", "FILE", .text = &to->read },
		{ 0 },
	};
	int status = field_read_options(argc, argv, help, table, &to->field);

	if (status != APP_GO_ON)
		return status;
	if (!app_real(to->omega_text, 0, 2, &to->omega))
		return app_misuse("W must be a number from 0 to 2, not '%s'",
				  to->omega_text);
	if (!app_real(to->tolerance_text, 0, 1, &to->tolerance))
		return app_misuse("T must be a number from 0 to 1, not '%s'",
				  to->tolerance_text);
	if (to->field.sequential && to->read)
		return app_misuse("--seq reads no file");
	if (to->columns % 2)
		return app_misuse("the number of columns must be even");
	if (!(to->omega > 0)) {
		double radius = (cos(M_PI / (double)(to->rows + 1)) +
				 cos(M_PI / (double)(to->columns + 1))) /
				2;

		to->omega = 2 / (1 + sqrt(1 - radius * radius));
	}
	return APP_GO_ON;
}

/* Sweeps until the defect is small. Returns the number of sweeps. */
static long
solve(STN_FRAME, struct stn_parts *grid, const struct options *options)
{
	long done = 0;

	if (!(options->tolerance > 0)) {
		STN_SWEEPS(grid, options->sweeps, sor_relax, options->omega);
		return options->sweeps;
	}
	while (done < options->sweeps &&
	       STN_MAX(grid, sor_defect) > options->tolerance) {
		long left = options->sweeps - done;
		long count = options->every < left ? options->every : left;

		STN_SWEEPS(grid, count, sor_relax, options->omega);
		done += count;
	}
	return done;
}

STN_MAIN(argc, argv)
{
	struct options options = { .rows = 1000,
				   .columns = 1000,
				   .sweeps = 100,
				   .every = 10,
				   .omega_text = "0",
				   .tolerance_text = "0" };
	int status = read_options(argc, argv, &options);
	double seconds = 0, error;
	long sweeps = options.sweeps, resumed = 0;
	struct stn_parts *grid = NULL;

	if (status != APP_GO_ON)
		return status;
	if (options.field.sequential) {
		if (!solve_plainly(&options, &sweeps, &seconds, &error))
			return app_complain(1, "out of memory");
	} else {
		double begin;

		grid = STN_GRID(double, options.rows, options.columns,
				.halo = 1, .star = true, .progress = true,
				.colours = 2,
				.block = (uint32_t)options.field.block,
				.part_rows = (uint32_t)options.part_rows,
				.part_columns = (uint32_t)options.part_columns);
		STN_FILL(grid, sor_begin, options.rows, options.columns);
		if (options.read)
			STN_READ(grid, options.read, "u");
		STN_PROGRESS(0, (uint64_t)options.rows *
					(uint64_t)options.columns *
					(uint64_t)options.sweeps);
		begin = STN_SECONDS();
		sweeps = solve(STN_PASS_FRAME, grid, &options);
		seconds = STN_SECONDS() - begin;
		STN_PROGRESS_END();
		resumed = (long)STN_RESUMED(grid);
		error = STN_MAX(grid, sor_error, options.rows, options.columns);
	}
	printf("sor(%ld x %ld, omega %.6f): error %.17g after %ld sweeps\n",
	       options.rows, options.columns, options.omega, error, sweeps);
	field_print_time(seconds,
			 (double)options.rows * (double)options.columns, sweeps,
			 resumed);
	status = 0;
	if (!isfinite(error))
		status = app_complain(1, "the error is %g", error);
	if (grid && !field_keep(STN_PASS_FRAME, grid, &options.field, 0,
				options.rows, options.columns))
		status = 1;
	return status;
}
