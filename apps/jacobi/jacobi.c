/*
 * jacobi: Laplace's equation on a rectangle by Jacobi's method: each sweep
 * replaces each point by the mean of its four neighbours.
 *
 * The program begins with a harmonic function plus one wave, sin x sin y, which
 * is zero at the edge. Each sweep multiplies the wave by a number that is
 * known, and leaves the harmonic function alone. So the right value of every
 * point is known after any number of sweeps.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sateen_parts.h>

#include "apps/app.h"
#include "apps/field.h"

#define TOLERANCE 1e-10 /* of values around 1 */

struct options {
	long rows, columns, sweeps, part_rows, part_columns;
	struct field_options field;
};

static const char help[] =
	"usage: jacobi [--seq] [--rows N] [--columns N] [--sweeps N]\n"
	"Sweeps a grid by Jacobi's method and checks the result.\n"
	"\n"
	"  -r, --rows N          rows of the grid (default 1000)\n"
	"  -c, --columns N       columns (default 1000)\n"
	"  -n, --sweeps N        sweeps (default 100)\n"
	"      --block N         sweeps in one go (default: chosen)\n"
	"      --part-rows N     rows of a part (default: chosen)\n"
	"      --part-columns N  columns of a part (default: chosen)\n"
	"      --write FILE      write the grid to a netCDF file, as u\n"
	"      --png FILE        write a picture of it\n"
	"  -s, --seq             the same as plain loops\n"
	"  -h, --help            show this\n";

/* The value at a point when the wave has been multiplied by @wave. */
static double
solution(long i, long j, long rows, long columns, double wave)
{
	double y = (double)(i + 1) / (double)(rows + 1);
	double x = (double)(j + 1) / (double)(columns + 1);
	double dy = 1 / (double)(rows + 1), dx = 1 / (double)(columns + 1);

	/* The mean of the neighbours of x^2 / dx^2 - y^2 / dy^2 is itself. */
	return (x * x / (dx * dx) - y * y / (dy * dy)) * dx * dy +
	       wave * sin(M_PI * x) * sin(M_PI * y);
}

/* By which number a sweep multiplies the wave. */
static double
damping(long rows, long columns)
{
	return (cos(M_PI / (double)(rows + 1)) +
		cos(M_PI / (double)(columns + 1))) /
	       2;
}

STN_KERNEL(jacobi_begin, double, long, rows, long, columns)
{
	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			at->to[i * at->stride + j] = solution(
				at->row + i, at->column + j, rows, columns, 1);
}

STN_KERNEL(jacobi_sweep, double)
{
	const long stride = at->stride, columns = at->columns;

	for (long i = 0; i < at->rows; i++) {
		const double *from = at->from + i * stride;
		double *to = at->to + i * stride;

		for (long j = 0; j < columns; j++)
			to[j] = 0.25 * (from[j - stride] + from[j + stride] +
					from[j - 1] + from[j + 1]);
	}
}

STN_MEASURE(jacobi_error, double, long, rows, long, columns, double, wave)
{
	double most = 0;

	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++) {
			double error = at->from[i * at->stride + j] -
				       solution(at->row + i, at->column + j,
						rows, columns, wave);

			/* STN_MAX ignores a NaN. */
			if (!(fabs(error) <= most))
				most = isnan(error) ? INFINITY : fabs(error);
		}
	return most;
}

STN_MEASURE(jacobi_sum, double)
{
	double sum = 0;

	for (long i = 0; i < at->rows; i++)
		for (long j = 0; j < at->columns; j++)
			sum += at->from[i * at->stride + j];
	return sum;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'r', "rows", "N", .number = &to->rows, .least = 1,
		  .most = 1000000 },
		{ 'c', "columns", "N", .number = &to->columns, .least = 1,
		  .most = 1000000 },
		{ 'n', "sweeps", "N", .number = &to->sweeps,
		  .most = 1000000000 },
		{ 0, "part-rows", "N", .number = &to->part_rows,
		  .most = 1000000 },
		{ 0, "part-columns", "N", .number = &to->part_columns,
		  .most = 1000000 },
		FIELD_OPTIONS(&to->field),
		{ 0 },
	};

	return field_read_options(argc, argv, help, table, &to->field);
}

/* The same as plain loops over one array. Returns false without memory. */
static bool
sweep_sequentially(const struct options *options, double *seconds_p,
		   double *error_p)
{
	long rows = options->rows, columns = options->columns;
	long stride = columns + 2, points = (rows + 2) * stride;
	double *from = malloc(2 * (size_t)points * sizeof(*from));
	double *to = from + points, begin;
	struct jacobi_error_at look = { .rows = rows,
					.columns = columns,
					.stride = stride };

	if (!from)
		return false;
	for (long i = 0; i < rows + 2; i++)
		for (long j = 0; j < stride; j++)
			from[i * stride + j] = to[i * stride + j] =
				solution(i - 1, j - 1, rows, columns, 1);
	begin = app_seconds();
	for (long n = 0; n < options->sweeps; n++) {
		struct jacobi_sweep_at at = {
			.to = (n % 2 ? from : to) + stride + 1,
			.from = (n % 2 ? to : from) + stride + 1,
			.rows = rows,
			.columns = columns,
			.stride = stride,
		};

		jacobi_sweep_body(&at);
	}
	*seconds_p = app_seconds() - begin;
	look.from = (options->sweeps % 2 ? to : from) + stride + 1;
	*error_p = jacobi_error_body(
		&look, rows, columns,
		pow(damping(rows, columns), (double)options->sweeps));
	free(from);
	return true;
}

STN_MAIN(argc, argv)
{
	struct options options = { .rows = 1000,
				   .columns = 1000,
				   .sweeps = 100 };
	int status = read_options(argc, argv, &options);
	double begin, seconds = 0, error, wave;
	struct stn_parts *grid = NULL;
	long resumed = 0;

	if (status != APP_GO_ON)
		return status;
	if (options.field.sequential) {
		if (!sweep_sequentially(&options, &seconds, &error))
			return app_complain(1, "out of memory");
	} else {
		grid = STN_GRID(double, options.rows, options.columns,
				.halo = 1, .star = true, .progress = true,
				.block = (uint32_t)options.field.block,
				.part_rows = (uint32_t)options.part_rows,
				.part_columns = (uint32_t)options.part_columns);
		STN_FILL(grid, jacobi_begin, options.rows, options.columns);
		STN_PROGRESS(0, (uint64_t)options.rows *
					(uint64_t)options.columns *
					(uint64_t)options.sweeps);
		begin = STN_SECONDS();
		STN_SWEEPS(grid, options.sweeps, jacobi_sweep);
		seconds = STN_SECONDS() - begin;
		STN_PROGRESS_END();
		resumed = (long)STN_RESUMED(grid);
		wave = pow(damping(options.rows, options.columns),
			   (double)options.sweeps);
		error = STN_MAX(grid, jacobi_error, options.rows,
				options.columns, wave);
		printf("sum = %.17g\n", STN_SUM(grid, jacobi_sum));
	}
	printf("jacobi(%ld x %ld, %ld sweeps): error %.2g\n", options.rows,
	       options.columns, options.sweeps, error);
	field_print_time(seconds,
			 (double)options.rows * (double)options.columns,
			 options.sweeps, resumed);
	status = 0;
	if (!(error <=
	      TOLERANCE * fmax((double)options.rows, (double)options.columns)))
		status = app_complain(1, "the error is %g", error);
	if (grid && !field_keep(STN_PASS_FRAME, grid, &options.field, 0,
				options.rows, options.columns))
		status = 1;
	return status;
}
