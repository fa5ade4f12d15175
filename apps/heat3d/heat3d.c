/*
 * heat3d: how heat spreads in a box whose surface is kept at zero: explicit
 * steps in time of the heat equation in three dimensions. It begins with one
 * wave, sin x sin y sin z, which each step multiplies by a number that is
 * known.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sateen_parts.h>

#include "apps/app.h"
#include "apps/field.h"

#define TOLERANCE 1e-11
#define RATE                                                                   \
	(1.0 / 7) /* of the difference to the neighbours; stable to 1/6        \
		   */

struct options {
	long size, sweeps;
	struct field_options field;
};

static const char help[] =
	"usage: heat3d [--seq] [--size N] [--sweeps N]\n"
	"Steps the heat equation in a cube of N points in each direction, and\n"
	"checks the result.\n"
	"\n"
	"  -n, --size N      points in each direction (default 128)\n"
	"  -t, --sweeps N    steps in time (default 50)\n"
	"      --block N     steps in one go (default: chosen)\n"
	"      --write FILE  write the grid to a netCDF file, as u\n"
	"      --png FILE    write a picture of its middle plane\n"
	"  -s, --seq         the same as plain loops\n"
	"  -h, --help        show this\n";

/* The wave in one direction. The sine of M_PI is not 0. */
static double
half_wave(long at, double size)
{
	return (double)at < size ? sin(M_PI * (double)(at + 1) / (size + 1))
				 : 0;
}

static double
wave(long plane, long row, long column, double size)
{
	return half_wave(plane, size) * half_wave(row, size) *
	       half_wave(column, size);
}

/* By which number a step multiplies the wave. */
static double
damping(double size)
{
	return 1 - 6 * RATE * (1 - cos(M_PI / (size + 1)));
}

STN_KERNEL(heat_begin, double, double, size)
{
	for (long p = 0; p < at->planes; p++)
		for (long i = 0; i < at->rows; i++)
			for (long j = 0; j < at->columns; j++)
				at->to[p * at->plane_stride + i * at->stride +
				       j] = wave(at->plane + p, at->row + i,
						 at->column + j, size);
}

STN_KERNEL(heat_step, double)
{
	const long plane = at->plane_stride, row = at->stride;

	for (long p = 0; p < at->planes; p++)
		for (long i = 0; i < at->rows; i++) {
			const double *x = at->from + p * plane + i * row;
			double *restrict to = at->to + p * plane + i * row;

			for (long j = 0; j < at->columns; j++) {
				double sum = x[j - plane] + x[j + plane] +
					     x[j - row] + x[j + row] +
					     x[j - 1] + x[j + 1];

				to[j] = x[j] + RATE * (sum - 6 * x[j]);
			}
		}
}

STN_MEASURE(heat_error, double, double, size, double, factor)
{
	double most = 0;

	for (long p = 0; p < at->planes; p++)
		for (long i = 0; i < at->rows; i++)
			for (long j = 0; j < at->columns; j++) {
				double right = factor *
					       wave(at->plane + p, at->row + i,
						    at->column + j, size);
				double error =
					fabs(at->from[p * at->plane_stride +
						      i * at->stride + j] -
					     right);

				/* STN_MAX ignores a NaN. */
				if (!(error <= most))
					most = isnan(error) ? INFINITY : error;
			}
	return most;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'n', "size", "N", .number = &to->size, .least = 1,
		  .most = 100000 },
		{ 't', "sweeps", "N", .number = &to->sweeps,
		  .most = 1000000000 },
		FIELD_OPTIONS(&to->field),
		{ 0 },
	};

	return field_read_options(argc, argv, help, table, &to->field);
}

/* Returns false without memory. */
static bool
step_plainly(const struct options *options, double *seconds_p, double *error_p)
{
	long size = options->size, row = size + 2, plane = row * row;
	double *from = calloc(2 * (size_t)(plane * row), sizeof(*from));
	double *to = from + plane * row, factor, begin;
	struct heat_step_at at = { .planes = size,
				   .rows = size,
				   .columns = size,
				   .plane_stride = plane,
				   .stride = row };
	struct heat_error_at look = { .planes = size,
				      .rows = size,
				      .columns = size,
				      .plane_stride = plane,
				      .stride = row };

	if (!from)
		return false;
	for (long p = 0; p < size; p++)
		for (long i = 0; i < size; i++)
			for (long j = 0; j < size; j++)
				from[(p + 1) * plane + (i + 1) * row + j + 1] =
					wave(p, i, j, (double)size);
	begin = app_seconds();
	for (long n = 0; n < options->sweeps; n++) {
		at.to = (n % 2 ? from : to) + plane + row + 1;
		at.from = (n % 2 ? to : from) + plane + row + 1;
		heat_step_body(&at);
	}
	*seconds_p = app_seconds() - begin;
	look.from = (options->sweeps % 2 ? to : from) + plane + row + 1;
	factor = pow(damping((double)size), (double)options->sweeps);
	*error_p = heat_error_body(&look, (double)size, factor);
	free(from);
	return true;
}

STN_MAIN(argc, argv)
{
	struct options options = { .size = 128, .sweeps = 50 };
	int status = read_options(argc, argv, &options);
	double seconds = 0, error, size = (double)options.size;
	struct stn_parts *grid = NULL;
	long resumed = 0;

	if (status != APP_GO_ON)
		return status;
	if (options.field.sequential) {
		if (!step_plainly(&options, &seconds, &error))
			return app_complain(1, "out of memory");
	} else {
		double begin;

		grid = STN_GRID_3D(double, options.size, options.size,
				   options.size, .halo = 1, .star = true,
				   .progress = true,
				   .block = (uint32_t)options.field.block);
		STN_FILL(grid, heat_begin, size);
		STN_PROGRESS(0, (uint64_t)options.size *
					(uint64_t)options.size *
					(uint64_t)options.size *
					(uint64_t)options.sweeps);
		begin = STN_SECONDS();
		STN_SWEEPS(grid, options.sweeps, heat_step);
		seconds = STN_SECONDS() - begin;
		STN_PROGRESS_END();
		resumed = (long)STN_RESUMED(grid);
		error = STN_MAX(grid, heat_error, size,
				pow(damping(size), (double)options.sweeps));
	}
	printf("heat3d(%ld^3, %ld steps): error %.3g\n", options.size,
	       options.sweeps, error);
	field_print_time(seconds, size * size * size, options.sweeps, resumed);
	status = 0;
	if (!(error <= TOLERANCE))
		status = app_complain(1, "the error is %g", error);
	if (grid && !field_keep(STN_PASS_FRAME, grid, &options.field,
				options.size / 2, options.size, options.size))
		status = 1;
	return status;
}
