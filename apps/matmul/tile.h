/*
 * tile.h: the innermost loop of a matrix product, for each kind of processor.
 *
 * The loop keeps a tile of the product in vector registers while it adds
 * products to the tile. It reads both factors from packed copies, from the
 * first element to the last: the copy of a has the tile's rows side by side,
 * and the copy of b the tile's columns.
 */
#ifndef MATMUL_TILE_H
#define MATMUL_TILE_H

#include <stddef.h>

#define TILE_MOST 192 /* elements */

/* A kind of tile, for a kind of processor. */
struct tile {
	const char *name;
	size_t rows, columns;
	/*
	 * Adds the product of @a and @b to the tile at @c. @a has @k columns of
	 * @rows elements each, and @b has @k rows of @columns elements each.
	 * The rows of the tile at @c start @stride elements apart.
	 */
	void (*multiply)(size_t k, const double *a, const double *b, double *c,
			 size_t stride);
};

/*
 * tile_kind: the kinds of tiles that this processor can execute, from number 0,
 * the fastest, on. Returns NULL after the last.
 */
const struct tile *tile_kind(unsigned number);

#endif
