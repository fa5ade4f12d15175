#include "apps/fmm/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/fmm/inverse.h"
#include "apps/fmm/surface.h"

/* Singular values below this part of the largest one are noise. */
#define LEAST_SINGULAR 1e-14

/*
 * Measurements of each order (README.md): the errors for charges of one sign
 * and of both signs, and the size of leaves with which it is fastest.
 */
static const struct {
	double errors[2];
	unsigned leaf;
} measured[FMM_ORDER_MOST + 1] = {
	[2] = { { 1e-1, 1e-1 }, 40 },	    [3] = { { 1e-3, 4e-3 }, 56 },
	[4] = { { 2e-4, 5e-4 }, 64 },	    [5] = { { 8e-6, 5e-5 }, 90 },
	[6] = { { 1e-6, 6e-6 }, 110 },	    [7] = { { 2e-7, 8e-7 }, 130 },
	[8] = { { 1e-8, 1e-7 }, 200 },	    [9] = { { 1e-9, 2e-8 }, 220 },
	[10] = { { 2e-10, 4e-9 }, 260 },    [11] = { { 2e-11, 8e-10 }, 300 },
	[12] = { { 4e-12, 2e-10 }, 350 },
};

unsigned
fmm_order(double error, bool both_signs)
{
	unsigned order = FMM_ORDER_LEAST;

	while (order < FMM_ORDER_MOST &&
	       measured[order].errors[both_signs] > error)
		order++;
	return order;
}

void *
plan_allocate(size_t bytes)
{
	return aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
}

/* The distance between two points, as its inverse. */
static double
inverse_distance(const double *a, const double *b)
{
	double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];

	return 1 / sqrt(x * x + y * y + z * z);
}

/* The point number @i of the unit surface, times @scale, plus @shift. */
static void
surface_point(const struct surface *s, unsigned i, double scale, double shift,
	      double *to)
{
	for (int axis = 0; axis < 3; axis++)
		to[axis] = s->unit[axis][i] * scale + shift;
}

/* Column @j, as far as @inner is concerned, is charge number j. */
static double
potential_at(const struct surface *s, unsigned outer, unsigned inner,
	     double scale, double shift)
{
	double a[3], b[3];

	surface_point(s, outer, OUTER, 0, a);
	surface_point(s, inner, scale, shift, b);
	return inverse_distance(a, b);
}

/*
 * Folds the columns of a matrix of @n rows, then transposes it. Twice this, and
 * the matrix falls into one block for each parity.
 */
static void
fold_columns(const struct fmm_plan *plan, double *matrix, unsigned n,
	     double *rows, double *transposed)
{
	for (unsigned first = 0; first < n; first += LANES) {
		unsigned lanes = n - first < LANES ? n - first : LANES;

		memset(rows, 0, n * LANES * sizeof *rows);
		for (unsigned i = 0; i < n; i++)
			for (unsigned k = 0; k < lanes; k++)
				rows[i * LANES + k] = matrix[i * n + first + k];
		plan->wide->fold(&plan->surface.symmetry, rows);
		for (unsigned i = 0; i < n; i++)
			for (unsigned k = 0; k < lanes; k++)
				transposed[(first + k) * n + i] =
					rows[i * LANES + k];
	}
	memcpy(matrix, transposed, (size_t)n * n * sizeof *matrix);
}

/* Sets the pseudo-inverse of one parity's block. */
static int
invert_parity(struct fmm_plan *plan, const double *matrix, unsigned parity)
{
	const struct surface *s = &plan->surface;
	unsigned first = s->first[parity], n = s->first[parity + 1] - first;
	double *block = malloc((n * n + 1) * sizeof *block);
	int status;

	if (!block)
		return -1;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < n; j++)
			block[i * n + j] =
				matrix[(first + i) * s->count + first + j];
	status = inverse_init(block, n, LEAST_SINGULAR, &plan->up[parity],
			      &plan->down[parity]);
	free(block);
	return status;
}

static int
make_inverses(struct fmm_plan *plan)
{
	const struct surface *s = &plan->surface;
	size_t n = s->count, bytes = n * n * sizeof(double);
	double *matrix = malloc(bytes), *transposed = malloc(bytes);
	double *rows = plan_allocate(n * LANES * sizeof(double));
	int status = matrix && transposed && rows ? 0 : -1;

	if (status == 0) {
		for (unsigned i = 0; i < n; i++)
			for (unsigned j = 0; j < n; j++)
				matrix[i * n + j] =
					potential_at(s, i, j, INNER, 0);
		fold_columns(plan, matrix, s->count, rows, transposed);
		fold_columns(plan, matrix, s->count, rows, transposed);
	}
	for (unsigned parity = 0; parity < PARITIES && status == 0; parity++)
		status = invert_parity(plan, matrix, parity);
	free(matrix);
	free(transposed);
	free(rows);
	return status;
}

/*
 * From a child to its parent, and back. Child 0's centre is at (-1/2, -1/2,
 * -1/2) of its parent. Its half edge is half as long, so that potentials in its
 * unit are half as large.
 */
static int
make_shifts(struct fmm_plan *plan)
{
	const struct surface *s = &plan->surface;
	size_t n = s->count, bytes = n * n * sizeof(double);

	plan->to_parent = plan_allocate(bytes);
	plan->to_child = plan_allocate(bytes);
	if (!plan->to_parent || !plan->to_child)
		return -1;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < n; j++) {
			double v = potential_at(s, i, j, INNER / 2, -0.5);

			plan->to_parent[i * n + j] = v;
			plan->to_child[j * n + i] = v / 2;
		}
	return 0;
}

static int
scale_surface(struct fmm_plan *plan, double scale, double **memory_p,
	      struct points *points)
{
	const struct surface *s = &plan->surface;
	double *memory = plan_allocate(3 * s->padded * sizeof(double));

	*memory_p = memory;
	if (!memory)
		return -1;
	for (int axis = 0; axis < 3; axis++)
		for (unsigned i = 0; i < s->padded; i++)
			memory[axis * s->padded + i] = scale * s->unit[axis][i];
	*points = (struct points){ memory, memory + s->padded,
				   memory + 2 * s->padded, s->count };
	return 0;
}

static int
make_tables(struct fmm_plan *plan, unsigned order)
{
	if (surface_init(&plan->surface, order) < 0 ||
	    make_inverses(plan) < 0 || make_shifts(plan) < 0 ||
	    scale_surface(plan, INNER, &plan->scaled[0], &plan->inner) < 0 ||
	    scale_surface(plan, OUTER, &plan->scaled[1], &plan->outer) < 0)
		return -1;
	return plan_frequencies(plan) < 0 ? -1 : plan_kernel(plan);
}

struct fmm_plan *
fmm_plan_create(const struct fmm_options *options)
{
	unsigned order =
		options->order ? options->order
			       : fmm_order(options->error, options->both_signs);
	struct fmm_plan *plan = calloc(1, sizeof *plan);

	if (!plan)
		return NULL;
	plan->wide = wide_find(options->isa, options->arithmetic);
	plan->leaf = options->leaf ? options->leaf : measured[order].leaf;
	plan->exact = order > 7;
	plan->single = order <= 7;
	plan->real = plan->single ? sizeof(float) : sizeof(double);
	if (plan->wide && make_tables(plan, order) == 0)
		return plan;
	fmm_plan_free(plan);
	return NULL;
}

void
fmm_plan_free(struct fmm_plan *plan)
{
	if (!plan)
		return;
	surface_finish(&plan->surface);
	for (unsigned parity = 0; parity < PARITIES; parity++) {
		inverse_finish(&plan->up[parity]);
		inverse_finish(&plan->down[parity]);
	}
	free(plan->to_parent);
	free(plan->to_child);
	free(plan->scaled[0]);
	free(plan->scaled[1]);
	free(plan->cosine);
	free(plan->sine);
	free(plan->frequencies);
	free(plan->turned);
	free(plan->kernel);
	free(plan);
}

const char *
fmm_isa(const struct fmm_plan *plan)
{
	return plan->wide->name;
}

static void
apply_factors(const struct fmm_plan *plan, const struct factors *factors,
	      double *rows, double *scratch)
{
	const struct wide *wide = plan->wide;
	const struct surface *s = &plan->surface;

	wide->fold(&s->symmetry, rows);
	for (unsigned parity = 0; parity < PARITIES; parity++) {
		const struct factors *f = &factors[parity];
		double *block = rows + s->first[parity] * LANES;
		size_t n = s->first[parity + 1] - s->first[parity];

		wide->multiply(f->first, f->rank, n, block, scratch);
		wide->multiply(f->second, n, f->rank, scratch, block);
	}
	wide->fold(&s->symmetry, rows);
}

void
plan_charges(const struct fmm_plan *plan, double *rows, double *scratch)
{
	apply_factors(plan, plan->up, rows, scratch);
}

void
plan_outer(const struct fmm_plan *plan, double *rows, double *scratch)
{
	apply_factors(plan, plan->down, rows, scratch);
}
