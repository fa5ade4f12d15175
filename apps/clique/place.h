/*
 * place.h: the first places of a search, which tasks have, and their keys.
 */
#ifndef CLIQUE_PLACE_H
#define CLIQUE_PLACE_H

#include "apps/clique/search.h"

/*
 * A place. It also has a row of words: the size that no clique of the place
 * exceeds, its clique, and the candidates. The keys from @key on, @width of
 * them, belong to it; both are even.
 */
struct clique_place {
	uint64_t key, width;
	int32_t size;  /* vertices of the clique */
	int32_t depth; /* the number of places above it */
};

#define CLIQUE_ROW_MOST (1 + 2 * CLIQUE_VERTICES_MOST / 64)

/* clique_row_words: the words of a place's row. */
static inline int
clique_row_words(const struct clique_graph *graph)
{
	return 1 + 2 * graph->words;
}

/* clique_start: the place of the empty clique. Fills its row. */
struct clique_place clique_start(const struct clique_graph *graph,
				 uint64_t *row);

/* clique_is_cut: whether no clique at the place is good enough. */
bool clique_is_cut(struct clique_hunt *hunt, const uint64_t *row,
		   const struct clique_place *place);

/* clique_splits: whether the place has places below it that tasks have. */
bool clique_splits(const struct clique_graph *graph, const uint64_t *row,
		   const struct clique_place *place);

/*
 * The rows of the places below a place; the last row is that of the first place
 * in search order, @first. The caller frees the rows.
 */
struct clique_split {
	int count;
	uint64_t *rows;
	struct clique_place first;
};

/* clique_later: the place that has comes @places places after @place. */
static inline struct clique_place
clique_later(struct clique_place place, int places)
{
	place.key += (uint64_t)places * place.width;
	return place;
}

/*
 * clique_split: the places below a place, without those that the hunt's
 * incumbent cuts. Their order and their keys do not depend on the incumbent.
 */
struct clique_split clique_split(struct clique_hunt *hunt, const uint64_t *row,
				 const struct clique_place *place);

/* clique_search_place: searches all below a place that does not split. */
void clique_search_place(struct clique_hunt *hunt, const uint64_t *row,
			 const struct clique_place *place);

#endif
