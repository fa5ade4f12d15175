#include "apps/matmul/matrix.h"

#include <math.h>
#include <stdlib.h>

#include "apps/random.h"

static uint64_t
next_random(uint64_t *state)
{
	return app_mix(*state += APP_RANDOM_STEP);
}

static void
randomise(double *matrix, size_t elements, uint64_t *state)
{
	for (size_t i = 0; i < elements; i++)
		matrix[i] = (double)(next_random(state) % 17) - 8;
}

bool
matrices_make(struct matrices *matrices, size_t n, uint64_t seed)
{
	size_t elements = n * n;

	matrices->n = n;
	matrices->a = malloc(elements * sizeof(double));
	matrices->b = malloc(elements * sizeof(double));
	matrices->c = malloc(elements * sizeof(double));
	if (!matrices->a || !matrices->b || !matrices->c) {
		matrices_free(matrices);
		return false;
	}
	randomise(matrices->a, elements, &seed);
	randomise(matrices->b, elements, &seed);
	for (size_t i = 0; i < elements; i++)
		matrices->c[i] = 0;
	return true;
}

void
matrices_free(struct matrices *matrices)
{
	free(matrices->a);
	free(matrices->b);
	free(matrices->c);
}

/* The product of a row, whose elements are whole numbers, and a vector. */
static int64_t
times_vector(const double *row, const int64_t *vector, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (int64_t)row[i] * vector[i];
	return sum;
}

/* True if each can be a sum of @most products of elements (-8 to 8). */
static bool
are_sums(const double *row, size_t n, double most)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabs(row[i]) <= 64 * most) || row[i] != rint(row[i]))
			return false;
	return true;
}

/*
 * Nothing overflows. The elements of vector are less than 2^20; of b vector, at
 * most n 2^23 <= 2^37; of a (b vector), at most n 2^40 <= 2^54; of @times that,
 * less than 2^61. The same holds for c vector.
 */
static bool
right_by(const struct matrices *matrices, long times, const int64_t *vector,
	 int64_t *product, uint64_t *checksum_p)
{
	size_t n = matrices->n;
	uint64_t checksum = 0;

	for (size_t i = 0; i < n; i++)
		product[i] = times_vector(matrices->b + i * n, vector, n);
	for (size_t i = 0; i < n; i++) {
		const double *c = matrices->c + i * n;
		int64_t right = times_vector(matrices->a + i * n, product, n);

		if (!are_sums(c, n, (double)n * (double)times) ||
		    times_vector(c, vector, n) != times * right)
			return false;
		checksum = 31 * checksum + (uint64_t)right;
	}
	*checksum_p = checksum;
	return true;
}

bool
matrices_right(const struct matrices *matrices, long times, uint64_t seed,
	       uint64_t *checksum_p)
{
	size_t n = matrices->n;
	int64_t *vectors = malloc(2 * n * sizeof(*vectors));
	uint64_t state = ~seed; /* not the seed of the elements */
	bool right;

	if (!vectors)
		return false;
	for (size_t i = 0; i < n; i++)
		vectors[i] = (int64_t)(next_random(&state) >> 44);
	right = right_by(matrices, times, vectors, vectors + n, checksum_p);
	free(vectors);
	return right;
}
