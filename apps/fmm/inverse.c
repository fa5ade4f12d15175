/*
 * inverse.c: Jacobi's method with rotations of columns (Hestenes 1958). It
 * turns the columns of a matrix A until they are orthogonal: A V = U S.
 */
#include "apps/fmm/inverse.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS_MOST 60

/* Columns of A V and of V are rows of these arrays. */
struct columns {
	unsigned n;
	double *product, *v;
};

static double
dot(const double *a, const double *b, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void
rotate(double *a, double *b, unsigned n, double cosine, double sine)
{
	for (unsigned i = 0; i < n; i++) {
		double x = a[i], y = b[i];

		a[i] = cosine * x - sine * y;
		b[i] = sine * x + cosine * y;
	}
}

/* Makes two columns orthogonal; returns whether they were. */
static bool
make_orthogonal(struct columns *c, unsigned i, unsigned j)
{
	double *a = c->product + (size_t)i * c->n;
	double *b = c->product + (size_t)j * c->n;
	double aa = dot(a, a, c->n), bb = dot(b, b, c->n);
	double ab = dot(a, b, c->n);
	double zeta, t, cosine;

	if (fabs(ab) <= DBL_EPSILON * sqrt(aa * bb))
		return true;
	zeta = (bb - aa) / (2 * ab);
	t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
	cosine = 1 / sqrt(1 + t * t);
	rotate(a, b, c->n, cosine, cosine * t);
	rotate(c->v + (size_t)i * c->n, c->v + (size_t)j * c->n, c->n, cosine,
	       cosine * t);
	return false;
}

static void
decompose(struct columns *c)
{
	bool done = false;

	for (int sweep = 0; !done && sweep < SWEEPS_MOST; sweep++) {
		done = true;
		for (unsigned i = 0; i < c->n; i++)
			for (unsigned j = i + 1; j < c->n; j++)
				done &= make_orthogonal(c, i, j);
	}
}

/* The factors @second * @first, where each row of @first is divided by s. */
static int
make_factors(struct factors *to, const struct columns *c, const double *rows,
	     const double *s, const double *columns, double least)
{
	unsigned n = c->n, rank = 0;

	to->first = malloc((size_t)n * n * sizeof(double));
	to->second = malloc((size_t)n * n * sizeof(double));
	if (!to->first || !to->second)
		return -1;
	for (unsigned k = 0; k < n; k++)
		rank += s[k] > least;
	to->rank = 0;
	for (unsigned k = 0; k < n; k++) {
		if (s[k] <= least)
			continue;
		for (unsigned i = 0; i < n; i++) {
			to->first[to->rank * n + i] = rows[k * n + i] / s[k];
			to->second[i * rank + to->rank] = columns[k * n + i];
		}
		to->rank++;
	}
	return 0;
}

static int
both_factors(struct columns *c, double *s, double least,
	     struct factors *inverse, struct factors *transposed)
{
	unsigned n = c->n;
	double most = 0;

	for (unsigned k = 0; k < n; k++) {
		double *u = c->product + (size_t)k * n;

		s[k] = sqrt(dot(u, u, n));
		for (unsigned i = 0; i < n && s[k] > 0; i++)
			u[i] /= s[k];
		most = s[k] > most ? s[k] : most;
	}
	if (make_factors(inverse, c, c->product, s, c->v, least * most) < 0)
		return -1;
	return make_factors(transposed, c, c->v, s, c->product, least * most);
}

int
inverse_init(double *matrix, unsigned n, double least, struct factors *inverse,
	     struct factors *transposed)
{
	struct columns c = { .n = n };
	double *s = malloc((n + 1) * sizeof *s);
	int status = -1;

	c.product = malloc((size_t)n * n * sizeof(double) + 1);
	c.v = calloc((size_t)n * n + 1, sizeof(double));
	if (s && c.product && c.v) {
		for (unsigned i = 0; i < n; i++) {
			c.v[(size_t)i * n + i] = 1;
			for (unsigned j = 0; j < n; j++)
				c.product[j * n + i] = matrix[i * n + j];
		}
		decompose(&c);
		status = both_factors(&c, s, least, inverse, transposed);
	}
	free(c.product);
	free(c.v);
	free(s);
	return status;
}

void
inverse_finish(struct factors *factors)
{
	free(factors->first);
	free(factors->second);
}
