/*
 * bounds.h: the bounds that a node knows, and what it knows of each.
 *
 *	stn_bounds_find	     any thread, no lock
 *	stn_bound_is_max     any thread, no lock
 *	the incumbent	     any thread reads it (sateen_incumbent.h)
 *	all other calls and
 *	members		     one thread at a time: the net lock is held
 */
#ifndef STN_SEARCH_BOUNDS_H
#define STN_SEARCH_BOUNDS_H

#include <stddef.h>

#include "search/sateen_incumbent.h"
#include "transport/error.h"

/* A value that was found, or a limit. */
struct stn_candidate {
	int64_t value;
	uint64_t key;
	bool found; /* with a witness; else it is a limit */
	const void *witness;
	size_t bytes;
	uint32_t finder; /* rank of the node that has found it */
};

/* How much another node knows about one bound, as far as this node knows. */
struct stn_bound_peer {
	uint32_t told;	 /* the last of our versions that it has, or will have
			  * before any later message from here */
	uint32_t spared; /* the version that it gets from a third node */
	bool waiting;	 /* a message to it has not been answered */
};

struct stn_bound_state {
	struct stn_incumbent best;
	struct stn_bound_state *next; /* in its chain; constant */
	uint64_t number;	      /* the bound's; see stn_bound_is_max */
	uint32_t version;  /* how often the incumbent here has changed */
	bool found;	   /* the incumbent has a witness */
	uint32_t finder;   /* rank of the node that has found it */
	uint64_t known_ns; /* when this node learned of it */
	size_t bytes;	   /* of the witness */
	void *witness;
	struct stn_bound_peer *peers; /* by rank */
};

#define STN_BOUNDS_CHAINS 64

/* Bounds live as long as the node. */
struct stn_bounds {
	struct stn_bound_state **chains; /* NULL: there is no bound yet */
	uint32_t nodes;
};

/* stn_bound_is_max: whether the bound of that number is a maximum. */
static inline bool
stn_bound_is_max(uint64_t number)
{
	return number & 1;
}

/* stn_bounds_fini: frees all bounds. */
void stn_bounds_fini(struct stn_bounds *bounds);

/* stn_bounds_find: the bound of that number, or NULL. Any thread. */
struct stn_bound_state *stn_bounds_find(const struct stn_bounds *bounds,
					uint64_t number);

/*
 * stn_bounds_get: the bound of that number; if the node does not know it, adds
 * it, with the worst value and no witness. NULL: out of memory.
 */
struct stn_bound_state *stn_bounds_get(struct stn_bounds *bounds,
				       uint64_t number);

/* stn_bounds_next: the bound after @bound, in no order; NULL: the first. */
struct stn_bound_state *stn_bounds_next(const struct stn_bounds *bounds,
					const struct stn_bound_state *bound);

/*
 * stn_bound_beats: whether @candidate is better than the incumbent, or as good
 * and earlier in search order.
 */
bool stn_bound_beats(const struct stn_bound_state *bound,
		     const struct stn_candidate *candidate);

/*
 * stn_bound_take: makes @candidate, which beats the incumbent, the incumbent,
 * with a copy of its witness. STN_NO_MEMORY: nothing has changed.
 */
STN_CHECKED enum stn_err stn_bound_take(struct stn_bound_state *bound,
					const struct stn_candidate *candidate);

#endif
