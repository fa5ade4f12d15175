/*
 * leaf.h: the product of two blocks that are not divided any further.
 */
#ifndef MATMUL_LEAF_H
#define MATMUL_LEAF_H

#include <stddef.h>

/* A block of a matrix: its first element, and how far apart its rows start. */
struct leaf_factor {
	const double *at;
	size_t stride;
};
struct leaf_sum {
	double *at;
	size_t stride;
};

/* A product's size: of @m by @n, each element a sum of @k products. */
struct leaf_size {
	size_t m, n, k;
};

/*
 * leaf_multiply: c += a b, where a is of m by k and b of k by n. What it adds
 * up in which order depends on the processor: only sums that are exact, as
 * those of small whole numbers, are the same everywhere. Takes less than 1 MiB
 * of stack.
 */
void leaf_multiply(struct leaf_size size, struct leaf_factor a,
		   struct leaf_factor b, struct leaf_sum c);

/* leaf_kernel: what multiplies here, in a word. */
const char *leaf_kernel(void);

#endif
