/*
 * shared.h: the shortest Golomb ruler, or one that is short enough, by tasks
 * that share the best ruler so far, or by a search without tasks.
 */
#ifndef GOLOMB_SHARED_H
#define GOLOMB_SHARED_H

#include <sateen.h>

#include "apps/golomb/kernel.h"
#include "apps/show.h"

#define GOLOMB_DEPTH_MOST 8 /* marks whose gaps fit into a key */

/* The rulers that the search accepts. */
struct golomb_goal {
	int32_t marks; /* 3 to GOLOMB_MARKS_MOST */
	int32_t limit; /* rulers that are longer don't count;
			* GOLOMB_LENGTH_MOST at most */
	int32_t any;   /* the first ruler in search order, not the shortest */
};

/* A ruler, and the number of marks that the search has placed. */
struct golomb_ruler {
	bool found;
	uint8_t mark[GOLOMB_MARKS_MOST];
	uint64_t places;
};

/*
 * golomb_shared: the shortest ruler, and of these the first in search order; or
 * with goal.any, the first ruler. The first @depth marks, at most
 * GOLOMB_DEPTH_MOST, are placed by tasks. Only the number of places depends on
 * where tasks run. The search is shown by @show (apps/show.h), whose witness is
 * the marks.
 */
struct golomb_ruler golomb_shared(STN_FRAME, struct golomb_goal goal,
				  int32_t depth, struct show *show);

/* golomb_alone: the same, by one search. */
struct golomb_ruler golomb_alone(STN_FRAME, struct golomb_goal goal);

#endif
