/*
 * tiles.c: every kind of tile that this processor can run multiplies correctly.
 */
#include <string.h>

#include "apps/matmul/packed.h"
#include "tests/tap.h"

#define MOST 300 /* larger than a packed block, in each direction */

struct product {
	double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
};

/*
 * Whole numbers make sums exact. c isn't zero, because products are added to
 * it.
 */
static void
fill(struct product *product)
{
	for (int i = 0; i < MOST * MOST; i++) {
		product->a[i] = i % 17 - 8;
		product->b[i] = i * 7 % 13 - 6;
		product->c[i] = i % 5;
	}
}

static void
multiply_plainly(struct leaf_size size, struct product *product)
{
	for (size_t i = 0; i < size.m; i++)
		for (size_t p = 0; p < size.k; p++)
			for (size_t j = 0; j < size.n; j++)
				product->c[i * MOST + j] +=
					product->a[i * MOST + p] *
					product->b[p * MOST + j];
}

/* Compares the whole of c: no element outside the product may change. */
static bool
is_right(const struct tile *tile, struct leaf_size size)
{
	static struct product ours, right;
	bool same;

	fill(&ours);
	fill(&right);
	packed_multiply(tile, size, (struct leaf_factor){ ours.a, MOST },
			(struct leaf_factor){ ours.b, MOST },
			(struct leaf_sum){ ours.c, MOST });
	multiply_plainly(size, &right);
	same = !memcmp(ours.c, right.c, sizeof(right.c));
	if (!same)
		printf("# wrong: %zu by %zu, of %zu\n", size.m, size.n, size.k);
	return same;
}

/* Every size up to one more than a tile, and sizes around a packed block. */
static void
check_kind(const struct tile *tile)
{
	static const size_t large[] = { 95, 96, 97, 255, 256, 257, 300 };
	size_t count = sizeof(large) / sizeof(*large);
	bool right = true;

	for (size_t m = 1; m <= tile->rows + 1; m++)
		for (size_t n = 1; n <= tile->columns + 1; n++)
			right = is_right(tile, (struct leaf_size){ m, n, 3 }) &&
				right;
	tap_ok(right, "%s: products up to the size of a tile are right",
	       tile->name);
	right = true;
	for (size_t i = 0; i < count; i++)
		right = is_right(tile,
				 (struct leaf_size){
					 large[i], large[(i + 3) % count],
					 large[(i + 5) % count] }) &&
			right;
	tap_ok(right, "%s: products of many tiles are right", tile->name);
}

int
main(void)
{
	unsigned kinds = 0;

	tap_begin();
	while (tile_kind(kinds))
		check_kind(tile_kind(kinds++));
	tap_ok(kinds > 0, "this processor has %u kinds of tiles, at least one",
	       kinds);
	return tap_end();
}
