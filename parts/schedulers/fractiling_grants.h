/*
 * fractiling_grants.h: the state of the scheduler fractiling (fractiling.c),
 * and the parts that resident sets are granted. Net lock held.
 */
#ifndef STN_PARTS_SCHEDULERS_FRACTILING_GRANTS_H
#define STN_PARTS_SCHEDULERS_FRACTILING_GRANTS_H

#include "parts/moves/tiles.h"
#include "parts/scheduler.h"

/*
 * Sets that are to sweep a part; by the lowest bit of the version that the part
 * has then. Known where the part's tile is, and to these sets.
 */
struct stn_fractiling_grants {
	uint64_t version[2];
	uint32_t heir[2];
};

struct stn_fractiling {
	uint32_t sets;
	uint32_t least;
	uint64_t service_ns;

	/* Of the resident set on this node. */
	uint32_t left;	    /* parts granted, not swept */
	bool asking;	    /* an answer is due */
	bool early;	    /* to a request that was early */
	bool expected;	    /* the set is here, its state is on its way */
	uint32_t operation; /* that the set has begun */
	uint64_t asked_ns;
	uint64_t answer_ns; /* how long answers have taken, in the mean */

	/* Of the master, where it is. */
	bool master;
	uint32_t mastered;	 /* the operation that it has begun */
	uint64_t version, end;	 /* of the sweep; of the operation */
	uint32_t turns;		 /* requests so far */
	uint32_t serving;	 /* the set whose request is dealt with, */
	uint64_t served_ns;	 /* until then */
	struct stn_tile tiles[]; /* then the grants */
};

static inline struct stn_fractiling_grants *
stn_fractiling_grants(const struct stn_parts *array)
{
	struct stn_fractiling *state = array->scheduling;

	return (struct stn_fractiling_grants *)(void *)&state
		->tiles[array->nodes];
}

/*
 * stn_fractiling_over: parts are not handed out any more.
 * stn_fractiling_hands_out: parts of the current operation are.
 * stn_fractiling_tile: the first part of the tile of set @set.
 * stn_fractiling_note: notes that set @heir is to sweep the part.
 * stn_fractiling_place: the part is to be swept here, or is sent where it
 * belongs.
 * stn_fractiling_take: the master grants parts, or has granted them, and the
 * node that has their tile has passed that on.
 */
bool stn_fractiling_over(const struct stn_parts *array);
bool stn_fractiling_hands_out(const struct stn_parts *array);
uint32_t stn_fractiling_tile(const struct stn_parts *array, uint64_t set);
void stn_fractiling_note(struct stn_parts *array, uint32_t part,
			 uint64_t version, uint32_t heir);
void stn_fractiling_place(struct stn_part *part);
void stn_fractiling_take(struct stn_parts *array, struct stn_parts_ask answer);

#endif
