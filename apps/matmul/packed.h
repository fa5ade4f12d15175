/*
 * packed.h: the product of two blocks by packed copies and tiles (tile.h). The
 * leaf (leaf.h) of builds without OpenBLAS.
 */
#ifndef MATMUL_PACKED_H
#define MATMUL_PACKED_H

#include "apps/matmul/leaf.h"
#include "apps/matmul/tile.h"

/* packed_multiply: as leaf_multiply, with tiles of the kind @tile. */
void packed_multiply(const struct tile *tile, struct leaf_size size,
		     struct leaf_factor a, struct leaf_factor b,
		     struct leaf_sum c);

#endif
