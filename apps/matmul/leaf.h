/*
 * leaf.h: the product of two blocks that are too small to be divided.
 */
#ifndef MATMUL_LEAF_H
#define MATMUL_LEAF_H

#include <stddef.h>

/*
 * A block of a matrix: its first element, and the number of elements from the
 * start of a row to the start of the next.
 */
struct leaf_factor {
	const double *at;
	size_t stride;
};
struct leaf_sum {
	double *at;
	size_t stride;
};

/* A product has @m rows and @n columns. Each element adds up @k products. */
struct leaf_size {
	size_t m, n, k;
};

/*
 * leaf_multiply: c += a b, where a is m by k and b is k by n. The order of the
 * additions depends on the processor, so results are the same everywhere only
 * if all sums are exact, like sums of small whole numbers. Needs less than 1
 * MiB of stack.
 */
void leaf_multiply(struct leaf_size size, struct leaf_factor a,
		   struct leaf_factor b, struct leaf_sum c);

/* leaf_kernel: the name of the code that multiplies on this processor. */
const char *leaf_kernel(void);

#endif
