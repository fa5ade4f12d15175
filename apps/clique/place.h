/*
 * place.h: the first places of a search, which tasks have, and their keys.
 */
#ifndef CLIQUE_PLACE_H
#define CLIQUE_PLACE_H

#include "apps/clique/search.h"

/*
 * A place. Its sets are the clique and its candidates, one after the other in
 * an array. The keys from @key on, @width of them, belong to it; both are even.
 */
struct clique_place {
	uint64_t key, width;
	int32_t size;  /* vertices of the clique */
	int32_t most;  /* no clique that contains it has more vertices */
	int32_t depth; /* the number of places above it */
};

/* clique_start: the place of the empty clique. Fills its sets. */
struct clique_place clique_start(const struct clique_graph *graph,
				 uint64_t *sets);

/* clique_is_cut: whether no clique at the place is good enough. */
bool clique_is_cut(struct clique_hunt *hunt, const struct clique_place *place);

/* clique_splits: whether the place has places below it that tasks have. */
bool clique_splits(const struct clique_graph *graph, const uint64_t *sets,
		   const struct clique_place *place);

/* Places, the last one in search order first. The caller frees @memory. */
struct clique_split {
	int count;
	struct clique_place *place;
	uint64_t *sets;
	void *memory;
};

/* clique_sets: the sets of place @i of a split. */
static inline uint64_t *
clique_sets(const struct clique_graph *graph, const struct clique_split *split,
	    int i)
{
	return split->sets + (ptrdiff_t)i * 2 * graph->words;
}

/*
 * clique_split: the places below a place, without those that the hunt's
 * incumbent cuts. Their order and their keys do not depend on the incumbent.
 */
struct clique_split clique_split(struct clique_hunt *hunt, const uint64_t *sets,
				 const struct clique_place *place);

/* clique_search_place: searches all below a place that does not split. */
void clique_search_place(struct clique_hunt *hunt, const uint64_t *sets,
			 const struct clique_place *place);

#endif
