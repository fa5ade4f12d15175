/*
 * matrix.h: the product of two square matrices, and what all who compute it
 * share: the innermost blocks, and the test of the result.
 */
#ifndef BENCH_MATRIX_H
#define BENCH_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MATRIX_LEAF 64 /* rows and columns of a block that isn't divided */

/* c = a * b, of @n rows each, which start @stride elements apart. */
struct matrix_product {
	double *a, *b, *c;
	size_t n, stride;
};

/* matrix_make: fills @a and @b, with c all zero; false if out of memory. */
bool matrix_make(struct matrix_product *product, size_t n);

/* matrix_free: frees the memory of matrix_make. */
void matrix_free(struct matrix_product *product);

/* matrix_right: is c the product? */
bool matrix_right(const struct matrix_product *product);

/* matrix_leaf: c += a * b, of blocks of MATRIX_LEAF rows and columns. */
void matrix_leaf(const double *a, size_t a_stride, const double *b,
		 size_t b_stride, double *c, size_t c_stride);

#ifdef __cplusplus
}
#endif

#endif
