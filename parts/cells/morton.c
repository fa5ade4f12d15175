#include "parts/cells/morton.h"

#include <math.h>

#define SIDE (1u << STN_CELL_LEVELS) /* deepest cells along the cube */
#define INDEX_BITS (3 * (STN_KEY_LEVELS - STN_CELL_LEVELS))

struct stn_cube
stn_cube_around(const double low[3], const double high[3])
{
	struct stn_cube cube = { { 0, 0, 0 }, 0 };

	if (low[0] > high[0])
		return (struct stn_cube){ { 0, 0, 0 }, 1 };
	for (int d = 0; d < 3; d++)
		cube.width = fmax(cube.width, high[d] - low[d]);
	if (!(cube.width > 0))
		cube.width = 1;
	for (int d = 0; d < 3; d++)
		cube.low[d] = (low[d] + high[d] - cube.width) / 2;
	return cube;
}

/* The factor above 1 keeps the records at the upper side in the last cell. */
struct stn_cube
stn_cube_divide(struct stn_cube cube, uint32_t across)
{
	uint32_t cells = 1;

	while (cells < across)
		cells *= 2;
	if (cells > across)
		cube.width *= (1 + 0x1p-30) * cells / across;
	return cube;
}

/* Spreads the lowest 21 bits so that two free bits follow each. */
static uint64_t
spread_bits(uint64_t x)
{
	x = (x | x << 32) & 0x001f00000000ffff;
	x = (x | x << 16) & 0x001f0000ff0000ff;
	x = (x | x << 8) & 0x100f00f00f00f00f;
	x = (x | x << 4) & 0x10c30c30c30c30c3;
	return (x | x << 2) & 0x1249249249249249;
}

static uint32_t
gather_bits(uint64_t x)
{
	x &= 0x1249249249249249;
	x = (x | x >> 2) & 0x10c30c30c30c30c3;
	x = (x | x >> 4) & 0x100f00f00f00f00f;
	x = (x | x >> 8) & 0x001f0000ff0000ff;
	x = (x | x >> 16) & 0x001f00000000ffff;
	return (uint32_t)(x | x >> 32) & (SIDE - 1);
}

/* The places at the cube's upper sides belong to the last cells. */
static uint64_t
coordinate(double low, double scale, double place)
{
	double x = (place - low) * scale;

	return x > 0 ? x < SIDE - 1 ? (uint64_t)x : SIDE - 1 : 0;
}

uint64_t
stn_morton(const struct stn_cube *cube, const double place[3])
{
	double scale = SIDE / cube->width;
	uint64_t key = 0;

	for (int d = 0; d < 3; d++)
		key |= spread_bits(coordinate(cube->low[d], scale, place[d]))
		       << d;
	return key;
}

uint32_t
stn_key_octant(struct stn_record_key key, uint32_t level)
{
	if (level < STN_CELL_LEVELS)
		return key.place >> 3 * (STN_CELL_LEVELS - 1 - level) & 7;
	return key.index >> 3 * (STN_KEY_LEVELS - 1 - level) & 7;
}

uint32_t
stn_key_bin(struct stn_record_key key, uint32_t level, uint32_t levels)
{
	uint32_t bin = 0;

	for (uint32_t i = 0; i < levels; i++)
		bin = bin << 3 | stn_key_octant(key, level + i);
	return bin;
}

/* The bits of a number of @bits bits behind its first @octants octants. */
static uint64_t
rest_of(uint32_t octants, uint32_t bits)
{
	return (UINT64_C(1) << (bits - 3 * octants)) - 1;
}

/* The bits of a key that do not say in which cell of level @level it is. */
static struct stn_record_key
rest_below(uint32_t level)
{
	if (level < STN_CELL_LEVELS)
		return (struct stn_record_key){ rest_of(level,
							3 * STN_CELL_LEVELS),
						rest_of(0, INDEX_BITS) };
	return (struct stn_record_key){ 0, rest_of(level - STN_CELL_LEVELS,
						   INDEX_BITS) };
}

struct stn_record_key
stn_key_first(struct stn_record_key key, uint32_t level)
{
	struct stn_record_key rest = rest_below(level);

	return (struct stn_record_key){ key.place & ~rest.place,
					key.index & ~rest.index };
}

struct stn_record_key
stn_key_last(struct stn_record_key key, uint32_t level)
{
	struct stn_record_key rest = rest_below(level);

	return (struct stn_record_key){ key.place | rest.place,
					key.index | rest.index };
}

struct stn_cell
stn_cell_at(const struct stn_cube *cube, struct stn_record_key key,
	    uint32_t level)
{
	uint32_t depth = level < STN_CELL_LEVELS ? level : STN_CELL_LEVELS;
	struct stn_cell cell = { .level = (int)depth,
				 .width = ldexp(cube->width, -(int)depth) };

	for (int d = 0; d < 3; d++) {
		cell.at[d] = gather_bits(key.place >> d) >>
			     (STN_CELL_LEVELS - depth);
		cell.low[d] = cube->low[d] + cell.at[d] * cell.width;
	}
	return cell;
}
