#include "bench/matrix.h"

#include <stdlib.h>

/* Elements between rows; keeps a block's rows out of the same cache sets. */
#define PADDING 8

/* Elements are small integers, so all sums are exact. */
static void
fill(const struct matrix_product *product)
{
	for (size_t i = 0; i < product->n; i++)
		for (size_t j = 0; j < product->n; j++) {
			size_t at = i * product->stride + j;

			product->a[at] = (double)((3 * i + j) % 7);
			product->b[at] = (double)((i + 5 * j) % 11);
			product->c[at] = 0;
		}
}

bool
matrix_make(struct matrix_product *product, size_t n)
{
	size_t stride = n + PADDING, bytes = n * stride * sizeof(double);

	product->n = n;
	product->stride = stride;
	product->a = malloc(bytes);
	product->b = malloc(bytes);
	product->c = malloc(bytes);
	if (product->a && product->b && product->c) {
		fill(product);
		return true;
	}
	matrix_free(product);
	return false;
}

void
matrix_free(struct matrix_product *product)
{
	free(product->a);
	free(product->b);
	free(product->c);
}

/*
 * For a row u and a column v, u(c v) = (u a)(b v); each side takes n * n steps.
 * The elements of u and v are all different. A wrong or misplaced element of c
 * therefore changes the left side.
 */
bool
matrix_right(const struct matrix_product *product)
{
	long left = 0, right = 0;

	for (size_t i = 0; i < product->n; i++) {
		long ua = 0, bv = 0, cv = 0;

		for (size_t j = 0; j < product->n; j++) {
			size_t at = i * product->stride + j;

			ua += (long)(j + 1) *
			      (long)product->a[j * product->stride + i];
			bv += (long)(j + 1) * (long)product->b[at];
			cv += (long)(j + 1) * (long)product->c[at];
		}
		left += (long)(i + 1) * cv;
		right += ua * bv;
	}
	return left == right;
}

/* Aligned, because the loop's speed depends on its address. */
__attribute__((aligned(64))) void
matrix_leaf(const double *restrict a, size_t a_stride, const double *restrict b,
	    size_t b_stride, double *restrict c, size_t c_stride)
{
	for (size_t i = 0; i < MATRIX_LEAF; i++)
		for (size_t k = 0; k < MATRIX_LEAF; k++)
			for (size_t j = 0; j < MATRIX_LEAF; j++)
				c[i * c_stride + j] += a[i * a_stride + k] *
						       b[k * b_stride + j];
}
