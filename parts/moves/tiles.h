/*
 * tiles.h: the data of the fractiling master: which parts of a sweep have not
 * been granted to a resident set, and which sets want some. Arithmetic only.
 *
 * Each resident set has a tile, a run of parts. A chunk is half of the parts
 * that are left of a tile, but at least the least chunk, or all that are left.
 * A set gets chunks of its own tile as long as parts are left of it, from the
 * tile's begin on; then of the tile of which most parts are left, from that
 * tile's end.
 */
#ifndef STN_PARTS_MOVES_TILES_H
#define STN_PARTS_MOVES_TILES_H

#include <stdbool.h>
#include <stdint.h>

struct stn_tile {
	uint32_t low, high; /* parts that are not granted in this sweep */
	uint32_t operation; /* for which its set wants a chunk; 0: for none */
	uint32_t turn;	    /* lower: its set has waited longer */
	bool early;	    /* the set has not swept all that it was granted */
	uint64_t version;   /* of the last sweep of which its set got parts */
};

/* Parts that are granted to a set. */
struct stn_tile_chunk {
	uint32_t first, count, tile;
};

/*
 * stn_tile_chunk: the size of a chunk, if @left parts are left of a tile.
 * stn_tile_take: grants set @set, one of @count, the next chunk, and sets
 * *@chunk. False if none of the tiles has parts left.
 * @least  the least chunk, in parts
 * stn_tile_first: the set that has wanted a chunk for @operation longest;
 * @count: no set wants one.
 * stn_tiles_behind: whether a set has still to sweep parts of a sweep before
 * the one of version @version.
 */
uint32_t stn_tile_chunk(uint32_t left, uint32_t least);
bool stn_tile_take(struct stn_tile *tiles, uint32_t count, uint32_t set,
		   uint32_t least, struct stn_tile_chunk *chunk);
uint32_t stn_tile_first(const struct stn_tile *tiles, uint32_t count,
			uint32_t operation);
bool stn_tiles_behind(const struct stn_tile *tiles, uint32_t count,
		      uint64_t version);

#endif
