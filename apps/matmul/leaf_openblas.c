#include "apps/matmul/leaf.h"

#include <cblas.h>

/* Sateen's workers use all cores, so OpenBLAS must start no threads. */
__attribute__((constructor)) static void
one_thread(void)
{
	openblas_set_num_threads(1);
}

void
leaf_multiply(struct leaf_size size, struct leaf_factor a, struct leaf_factor b,
	      struct leaf_sum c)
{
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)size.m,
		    (int)size.n, (int)size.k, 1, a.at, (int)a.stride, b.at,
		    (int)b.stride, 1, c.at, (int)c.stride);
}

const char *
leaf_kernel(void)
{
	return "OpenBLAS";
}
