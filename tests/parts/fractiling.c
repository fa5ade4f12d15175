/*
 * fractiling.c: what the fractiling master grants, compared with arithmetic by
 * hand.
 */
#include "parts/moves/tiles.h"
#include "tests/tap.h"

static struct stn_tile tiles[4];

/* Four tiles of 16 parts. */
static void
begin_tiles(void)
{
	for (uint32_t i = 0; i < 4; i++)
		tiles[i] =
			(struct stn_tile){ .low = 16 * i, .high = 16 * i + 16 };
}

static bool
grants(uint32_t set, uint32_t least, uint32_t first, uint32_t count)
{
	struct stn_tile_chunk chunk;

	return stn_tile_take(tiles, 4, set, least, &chunk) &&
	       chunk.first == first && chunk.count == count &&
	       chunk.tile == first / 16;
}

static void
test_chunks(void)
{
	struct stn_tile_chunk chunk;
	uint32_t rest = 0;

	begin_tiles();
	tap_ok(grants(1, 1, 16, 8) && grants(1, 1, 24, 4) &&
		       grants(1, 1, 28, 2) && grants(1, 1, 30, 1) &&
		       grants(1, 1, 31, 1),
	       "half of the own tile, then half of the rest");
	tap_ok(grants(0, 1, 0, 8) && grants(2, 1, 32, 8) &&
		       grants(2, 1, 40, 4) && grants(1, 1, 56, 8),
	       "then half of the fullest tile, from its end");
	tap_ok(grants(1, 1, 12, 4) && grants(3, 1, 48, 4),
	       "of two that are equally full, the first; the owner takes from "
	       "the begin");
	for (int i = 0; i < 64 && stn_tile_take(tiles, 4, 1, 1, &chunk); i++)
		rest += chunk.count;
	tap_ok(rest == 12 && !stn_tile_take(tiles, 4, 3, 1, &chunk),
	       "each part is granted once: the last %u", rest);
	begin_tiles();
	tap_ok(grants(2, 4, 32, 8) && grants(2, 4, 40, 4) &&
		       grants(2, 4, 44, 4) && grants(2, 9, 7, 9),
	       "no chunk is smaller than the least one");
	tap_ok(grants(3, 99, 48, 16), "but there may be fewer parts left");
	tap_ok(stn_tile_chunk(5, 1) == 3 && stn_tile_chunk(0, 2) == 0,
	       "half of an odd number is rounded up");
}

static void
test_turns(void)
{
	begin_tiles();
	tap_ok(stn_tile_first(tiles, 4, 7) == 4, "no set wants a chunk");
	tiles[3].operation = 7;
	tiles[3].turn = UINT32_MAX;
	tiles[0].operation = 7;
	tiles[0].turn = 0;
	tiles[1].operation = 6;
	tiles[1].turn = UINT32_MAX - 1;
	tap_ok(stn_tile_first(tiles, 4, 7) == 3,
	       "the set that has waited longest comes first");
	for (uint32_t i = 0; i < 4; i++) {
		tiles[i].version = 5;
		tiles[i].operation = i > 0;
	}
	tap_ok(!stn_tiles_behind(tiles, 4, 5) && stn_tiles_behind(tiles, 4, 6),
	       "a set that was granted parts and has not asked is behind");
	tiles[0].operation = 1;
	tap_ok(!stn_tiles_behind(tiles, 4, 6), "none is if all have asked");
	tiles[2].early = true;
	tap_ok(stn_tiles_behind(tiles, 4, 6),
	       "an early question does not count");
}

int
main(void)
{
	tap_begin();
	test_chunks();
	test_turns();
	return tap_end();
}
