/*
 * kernel.c: the spectra of 1 / distance between the surfaces of cells of one
 * size, for all relative places of cells that aren't next to each other, and
 * whose parents are.
 *
 * Cells are at most 3 apart along each axis. Mirroring or exchanging axes of a
 * place does the same to its spectrum. So 16 spectra suffice.
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/fmm/plan.h"

#define FARTHEST 3
#define PLACES (2 * FARTHEST + 1)
#define CANONICAL ((FARTHEST + 1) * (FARTHEST + 1) * (FARTHEST + 1))

/* Spectra over all n^3 frequencies, for sorted places only, others NULL. */
struct spectra {
	unsigned n;
	double complex *of[CANONICAL];
};

/* One axis of a transform: n elements, @step apart. */
static void
transform_line(const struct fourier *f, double complex *line, size_t step)
{
	double complex to[2 * FMM_ORDER_MOST];

	for (unsigned k = 0; k < f->length; k++) {
		double real = 0, imag = 0;

		for (unsigned j = 0; j < f->length; j++) {
			double c = f->cosine[j * k % f->length];
			double s = f->sine[j * k % f->length];
			double x = creal(line[j * step]);
			double y = cimag(line[j * step]);

			real += x * c + y * s;
			imag += y * c - x * s;
		}
		to[k] = real + imag * I;
	}
	for (unsigned k = 0; k < f->length; k++)
		line[k * step] = to[k];
}

static void
transform(const struct fourier *f, double complex *grid)
{
	size_t n = f->length;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			transform_line(f, grid + (i * n + j) * n, 1);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			transform_line(f, grid + i * n * n + j, n);
	for (size_t i = 0; i < n * n; i++)
		transform_line(f, grid + i, n * n);
}

/* Distances between grid points @i apart along an axis, cells @cells apart. */
static double
distance(const struct fourier *f, unsigned cells, unsigned i)
{
	double steps = i < f->order ? i : (double)i - f->length;

	return 2.0 * cells + INNER * 2 * steps / (f->order - 1);
}

/* Potentials of one cell's charges in another, @x, @y and @z cells further. */
static double complex *
spectrum_of(const struct fourier *f, unsigned x, unsigned y, unsigned z)
{
	size_t n = f->length;
	double complex *grid = malloc(n * n * n * sizeof *grid);

	if (!grid)
		return NULL;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < n; j++)
			for (unsigned k = 0; k < n; k++) {
				double dx = distance(f, x, i);
				double dy = distance(f, y, j);
				double dz = distance(f, z, k);

				grid[(i * n + j) * n + k] =
					1 / sqrt(dx * dx + dy * dy + dz * dz);
			}
	transform(f, grid);
	return grid;
}

static int
make_spectra(const struct fourier *f, struct spectra *spectra)
{
	*spectra = (struct spectra){ .n = f->length };
	for (unsigned z = 2; z <= FARTHEST; z++)
		for (unsigned y = 0; y <= z; y++)
			for (unsigned x = 0; x <= y; x++) {
				double complex *grid = spectrum_of(f, x, y, z);

				if (!grid)
					return -1;
				spectra->of[(x * 4 + y) * 4 + z] = grid;
			}
	return 0;
}

static void
swap_axes(int *place, unsigned *frequency, int i, int j)
{
	if (place[i] > place[j]) {
		int p = place[i];
		unsigned f = frequency[i];

		place[i] = place[j];
		place[j] = p;
		frequency[i] = frequency[j];
		frequency[j] = f;
	}
}

/* The spectrum at frequencies a, b, c for a cell @place further; 0 if near. */
static double complex
look_up(const struct spectra *spectra, const int *at, const unsigned *abc)
{
	int place[3];
	unsigned frequency[3];
	const double complex *grid;

	for (int axis = 0; axis < 3; axis++) {
		place[axis] = abs(at[axis]);
		frequency[axis] = at[axis] < 0 && abc[axis]
					  ? spectra->n - abc[axis]
					  : abc[axis];
	}
	swap_axes(place, frequency, 0, 1);
	swap_axes(place, frequency, 1, 2);
	swap_axes(place, frequency, 0, 1);
	grid = spectra->of[(place[0] * 4 + place[1]) * 4 + place[2]];
	return grid ? grid[(frequency[0] * spectra->n + frequency[1]) *
				   spectra->n +
			   frequency[2]]
		    : 0;
}

static void
put(const struct fmm_plan *plan, size_t i, double value)
{
	if (plan->single)
		((float *)plan->kernel)[i] = (float)value;
	else
		((double *)plan->kernel)[i] = value;
}

/* The kernel at one frequency for the neighbour number @near. */
static void
fill_neighbour(struct fmm_plan *plan, const struct spectra *spectra,
	       size_t start, const int *near, const unsigned *abc, double scale)
{
	for (int from = 0; from < LANES; from++)
		for (int to = 0; to < LANES; to++) {
			int at[3];
			double complex v;
			size_t i = start + from * SPECTRAL + to;

			for (int axis = 0; axis < 3; axis++)
				at[axis] = (to >> axis & 1) -
					   (from >> axis & 1) - 2 * near[axis];
			v = look_up(spectra, at, abc);
			put(plan, i, creal(v) * scale);
			put(plan, i + LANES, cimag(v) * scale);
		}
}

static void
fill_frequency(struct fmm_plan *plan, const struct spectra *spectra,
	       size_t number, const unsigned *abc)
{
	double n = plan->fourier.length;
	/* All frequencies but 0 stand for their conjugates, too. */
	double scale = (number ? 2 : 1) / (n * n * n);
	size_t start = number * NEIGHBOURS * LANES * SPECTRAL;

	for (int i = 0; i < 27; i++) {
		int near[3] = { i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1 };

		if (i == 13)
			continue;
		fill_neighbour(plan, spectra, start, near, abc, scale);
		start += LANES * SPECTRAL;
	}
}

/* In the order of kernel_number(). */
static void
fill_kernel(struct fmm_plan *plan, const struct spectra *spectra)
{
	size_t number = 0;
	unsigned abc[3];

	for (abc[2] = 0; abc[2] < plan->fourier.order; abc[2]++)
		for (abc[1] = 0; abc[1] <= abc[2]; abc[1]++)
			for (abc[0] = 0; abc[0] <= abc[1]; abc[0]++)
				fill_frequency(plan, spectra, number++, abc);
}

int
plan_kernel(struct fmm_plan *plan)
{
	size_t p = plan->fourier.order, count = p * (p + 1) * (p + 2) / 6;
	struct spectra spectra = { 0 };
	int status = -1;

	plan->kernel = plan_allocate(count * plan_kernel_bytes(plan));
	if (plan->kernel && make_spectra(&plan->fourier, &spectra) == 0) {
		fill_kernel(plan, &spectra);
		status = 0;
	}
	for (int i = 0; i < CANONICAL; i++)
		free(spectra.of[i]);
	return status;
}
