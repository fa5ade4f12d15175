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
 * Three @n by @n matrices, in row-major order. The elements of the factors are
 * whole numbers from -8 to 8. So all sums, also of several products, stay far
 * below 2^53, and are exact in any order of additions.
 */
struct matrices {
	size_t n;
	double *a, *b, *c;
};

/*
 * matrices_make: makes random factors, which depend only on @seed, and a zero
 * @c. Returns false if memory runs out. After true the caller calls
 * matrices_free.
 */
bool matrices_make(struct matrices *matrices, size_t n, uint64_t seed);

/* matrices_free: frees the memory of matrices_make. */
void matrices_free(struct matrices *matrices);

/*
 * matrices_right: true if @c is @times @a @b, by Freivalds' method with a
 * random vector from @seed, whose elements are less than 2^20. About one wrong
 * product in a million passes, and no right one fails. Takes about n * n steps.
 * @checksum_p  receives a checksum of @c if the product is right
 */
bool matrices_right(const struct matrices *matrices, long times, uint64_t seed,
		    uint64_t *checksum_p);

#endif
