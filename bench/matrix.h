/*
 * matrix.h: the product of two square matrices: memory, the product of the
 * smallest blocks, and the check of the result. Shared by all bench_ programs.
 */
#ifndef BENCH_MATRIX_H
#define BENCH_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MATRIX_LEAF 64 /* rows and columns of the smallest blocks */

/* c = a * b. Each has @n rows, which start @stride elements apart. */
struct matrix_product {
	double *a, *b, *c;
	size_t n, stride;
};

/* matrix_make: fills a and b, and c with zeros; false if out of memory. */
bool matrix_make(struct matrix_product *product, size_t n);

/* matrix_free: frees the memory of matrix_make. */
void matrix_free(struct matrix_product *product);

/* matrix_right: returns true if c is the product. */
bool matrix_right(const struct matrix_product *product);

/*
 * matrix_leaf: c += a * b, for blocks of MATRIX_LEAF rows and columns. Strides
 * are in elements.
 */
void matrix_leaf(const double *a, size_t a_stride, const double *b,
		 size_t b_stride, double *c, size_t c_stride);

#ifdef __cplusplus
}
#endif

#endif
