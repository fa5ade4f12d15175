#include "apps/matmul/packed.h"

#include <string.h>

/*
 * The sizes of the parts of the factors that are packed at a time. They are
 * large, so that packing costs little in comparison, and still fit into caches:
 * the parts of a and b into the second level, and the columns of b for one tile
 * into the first.
 */
#define ROWS 96 /* of a; a multiple of the rows of every tile */
#define COLUMNS 256
#define DEPTH 256

struct packed {
	double a[ROWS * DEPTH], b[DEPTH * COLUMNS];
} __attribute__((aligned(64)));

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The block of a factor that begins at @row and @column. */
static struct leaf_factor
part(struct leaf_factor factor, size_t row, size_t column)
{
	factor.at += row * factor.stride + column;
	return factor;
}

/* Packs rows of a for one tile, column by column; missing rows are zero. */
static void
pack_rows(double *to, size_t tile_rows, size_t rows, size_t depth,
	  struct leaf_factor a)
{
	for (size_t i = 0; i < rows; i++)
		for (size_t p = 0; p < depth; p++)
			to[p * tile_rows + i] = a.at[i * a.stride + p];
	for (size_t i = rows; i < tile_rows; i++)
		for (size_t p = 0; p < depth; p++)
			to[p * tile_rows + i] = 0;
}

static void
pack_a(double *to, const struct tile *tile, struct leaf_size size,
       struct leaf_factor a)
{
	for (size_t i = 0; i < size.m; i += tile->rows)
		pack_rows(to + i * size.k, tile->rows,
			  smaller(tile->rows, size.m - i), size.k,
			  part(a, i, 0));
}

/* Packs columns of b for one tile, row by row; missing columns are zero. */
static void
pack_columns(double *to, size_t tile_columns, size_t columns, size_t depth,
	     struct leaf_factor b)
{
	for (size_t p = 0; p < depth; p++, to += tile_columns) {
		memcpy(to, b.at + p * b.stride, columns * sizeof(*to));
		memset(to + columns, 0, (tile_columns - columns) * sizeof(*to));
	}
}

static void
pack_b(double *to, const struct tile *tile, struct leaf_size size,
       struct leaf_factor b)
{
	for (size_t j = 0; j < size.n; j += tile->columns)
		pack_columns(to + j * size.k, tile->columns,
			     smaller(tile->columns, size.n - j), size.k,
			     part(b, 0, j));
}

/* A tile at the product's edge: only m by n of its elements are stored. */
static void
multiply_edge(const struct tile *tile, struct leaf_size size, const double *a,
	      const double *b, struct leaf_sum c)
{
	double whole[TILE_MOST] = { 0 };

	tile->multiply(size.k, a, b, whole, tile->columns);
	for (size_t i = 0; i < size.m; i++)
		for (size_t j = 0; j < size.n; j++)
			c.at[i * c.stride + j] += whole[i * tile->columns + j];
}

static void
multiply_parts(const struct tile *tile, struct leaf_size size,
	       const struct packed *packed, struct leaf_sum c)
{
	for (size_t j = 0; j < size.n; j += tile->columns)
		for (size_t i = 0; i < size.m; i += tile->rows) {
			size_t m = smaller(tile->rows, size.m - i);
			size_t n = smaller(tile->columns, size.n - j);
			const double *a = packed->a + i * size.k;
			const double *b = packed->b + j * size.k;
			double *at = c.at + i * c.stride + j;

			if (m == tile->rows && n == tile->columns)
				tile->multiply(size.k, a, b, at, c.stride);
			else
				multiply_edge(
					tile,
					(struct leaf_size){ m, n, size.k }, a,
					b, (struct leaf_sum){ at, c.stride });
		}
}

/* Multiplies all rows of a by one packed part of b. */
static void
multiply_rows(const struct tile *tile, struct leaf_size size,
	      struct packed *packed, struct leaf_factor a, struct leaf_sum c)
{
	struct leaf_size some = size;

	for (size_t i = 0; i < size.m; i += ROWS) {
		some.m = smaller(ROWS, size.m - i);
		pack_a(packed->a, tile, some, part(a, i, 0));
		multiply_parts(
			tile, some, packed,
			(struct leaf_sum){ c.at + i * c.stride, c.stride });
	}
}

void
packed_multiply(const struct tile *tile, struct leaf_size size,
		struct leaf_factor a, struct leaf_factor b, struct leaf_sum c)
{
	struct leaf_size some = size;
	struct packed packed;

	for (size_t j = 0; j < size.n; j += COLUMNS)
		for (size_t p = 0; p < size.k; p += DEPTH) {
			some.n = smaller(COLUMNS, size.n - j);
			some.k = smaller(DEPTH, size.k - p);
			pack_b(packed.b, tile, some, part(b, p, j));
			multiply_rows(tile, some, &packed, part(a, 0, p),
				      (struct leaf_sum){ c.at + j, c.stride });
		}
}
