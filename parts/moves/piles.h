/*
 * piles.h: the parts of a sweep that no node has been granted, in a pile for
 * each node that has them. A pile is sorted by the numbers of parts. For
 * chunks.h.
 */
#ifndef STN_PARTS_MOVES_PILES_H
#define STN_PARTS_MOVES_PILES_H

#include <stdbool.h>
#include <stdint.h>

struct stn_pile {
	uint32_t count, first, last; /* parts */
	uint32_t known;		     /* the count by which the heap is sorted */
	uint32_t heap; /* entry i of a heap of nodes is in the i-th pile */
};

struct stn_piled {
	uint32_t home;
	uint32_t before, after; /* its neighbours in its pile; undefined at the
				 * pile's ends */
};

/* The arrays are the caller's memory. */
struct stn_piles {
	uint32_t nodes, parts;
	struct stn_pile *of;	/* each node */
	struct stn_piled *each; /* part; the caller sets the homes */
};

/*
 * stn_piles_fill: all parts are in the piles of their homes. O(parts + nodes).
 * stn_piles_take: takes the first part, or the last part, from the pile of
 * @node, which must not be empty. Returns the part's number. O(1).
 * stn_piles_highest: the node whose pile has the most parts; of several nodes
 * the one with the lowest rank. O(log nodes) for each take since the last call,
 * at most.
 */
void stn_piles_fill(struct stn_piles *piles);
uint32_t stn_piles_take(struct stn_piles *piles, uint32_t node, bool last);
uint32_t stn_piles_highest(struct stn_piles *piles);

#endif
