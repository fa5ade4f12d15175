/*
 * packed.h: the product of two blocks by way of packed copies (tile.h); what
 * leaf.h is if no other library is.
 */
#ifndef MATMUL_PACKED_H
#define MATMUL_PACKED_H

#include "apps/matmul/leaf.h"
#include "apps/matmul/tile.h"

/* packed_multiply: as leaf_multiply, by tiles of this kind. */
void packed_multiply(const struct tile *tile, struct leaf_size size,
		     struct leaf_factor a, struct leaf_factor b,
		     struct leaf_sum c);

#endif
