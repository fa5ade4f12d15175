/*
 * matrix.h: matrices of random whole numbers, and the test of their product.
 */
#ifndef MATMUL_MATRIX_H
#define MATMUL_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MATRIX_MOST 16384
#define MATRIX_TIMES_MOST 100

/*
 * Three matrices of @n by @n, whose rows lie one after the other. The elements
 * of the factors are whole numbers from -8 to 8, so that all sums are exact in
 * whatever order they are added: below 2^53 by far, even @times of them.
 */
struct matrices {
	size_t n;
	double *a, *b, *c;
};

/* matrices_make: random factors, the same for a seed, and @c all zero. */
bool matrices_make(struct matrices *matrices, size_t n, uint64_t seed);

/* matrices_free: the memory of matrices_make. */
void matrices_free(struct matrices *matrices);

/*
 * matrices_right: is @c that many times @a @b? By Freivalds' method, with a
 * random vector of numbers below 2^20 that @seed yields: so one wrong product
 * in a million passes, and no right one fails. Takes some n * n steps.
 * @checksum_p  one of @c, unless it is wrong
 */
bool matrices_right(const struct matrices *matrices, long times, uint64_t seed,
		    uint64_t *checksum_p);

#endif
