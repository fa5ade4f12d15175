#include "parts/moves/tiles.h"

uint32_t
stn_tile_chunk(uint32_t left, uint32_t least)
{
	uint32_t half = left / 2 + left % 2;

	return half > least ? half : left < least ? left : least;
}

static uint32_t
find_fullest_tile(const struct stn_tile *tiles, uint32_t count)
{
	uint32_t fullest = 0;

	for (uint32_t i = 1; i < count; i++)
		if (tiles[i].high - tiles[i].low >
		    tiles[fullest].high - tiles[fullest].low)
			fullest = i;
	return fullest;
}

bool
stn_tile_take(struct stn_tile *tiles, uint32_t count, uint32_t set,
	      uint32_t least, struct stn_tile_chunk *chunk)
{
	bool own = tiles[set].low < tiles[set].high;
	uint32_t from = own ? set : find_fullest_tile(tiles, count);
	struct stn_tile *tile = &tiles[from];
	uint32_t size = stn_tile_chunk(tile->high - tile->low, least);

	*chunk = (struct stn_tile_chunk){ own ? tile->low : tile->high - size,
					  size, from };
	if (own)
		tile->low += size;
	else
		tile->high -= size;
	return size > 0;
}

uint32_t
stn_tile_first(const struct stn_tile *tiles, uint32_t count, uint32_t operation)
{
	uint32_t first = count;

	for (uint32_t i = 0; i < count; i++)
		if (tiles[i].operation == operation &&
		    (first == count ||
		     (int32_t)(tiles[i].turn - tiles[first].turn) < 0))
			first = i;
	return first;
}

bool
stn_tiles_behind(const struct stn_tile *tiles, uint32_t count, uint64_t version)
{
	for (uint32_t i = 0; i < count; i++)
		if (tiles[i].version < version &&
		    (!tiles[i].operation || tiles[i].early))
			return true;
	return false;
}
