/*
 * tile.h: the innermost loop of a matrix product, for each kind of processor.
 *
 * A tile of the product is kept in vector registers while products are added
 * to it. To that end the factors are packed: of a, the tile's rows lie side by
 * side, of b, its columns, so that both are read from the first element to the
 * last.
 */
#ifndef MATMUL_TILE_H
#define MATMUL_TILE_H

#include <stddef.h>

#define TILE_MOST 192 /* elements */

/* A kind of tile. */
struct tile {
	const char *name;
	size_t rows, columns;
	/*
	 * Adds to the tile at @c the product of @a, which is @k columns of
	 * @rows elements each, and @b, @k rows of @columns elements each. The
	 * tile's own rows start @stride elements apart.
	 */
	void (*multiply)(size_t k, const double *a, const double *b, double *c,
			 size_t stride);
};

/*
 * tile_kind: the kinds that this processor can make, from the fastest, number
 * 0, on; NULL after the last.
 */
const struct tile *tile_kind(unsigned number);

#endif
