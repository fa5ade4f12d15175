#include <stdlib.h>

#include "apps/clique/place.h"
#include "apps/clique/solve.h"

/* A hunt whose incumbent no other hunt sees. */
struct lone_hunt {
	struct clique_hunt hunt; /* first: found casts it */
	struct stn_incumbent best;
	struct clique_best found;
};

static void
lone_found(struct clique_hunt *hunt, int size)
{
	struct lone_hunt *lone = (struct lone_hunt *)hunt;

	lone->best = (struct stn_incumbent){ size, hunt->key };
	lone->found.size = size;
	clique_copy(lone->found.chosen, hunt->chosen, hunt->graph->words);
}

/* Like the tasks of shared.c. */
static void
grow_alone(struct clique_hunt *hunt, const uint64_t *row,
	   const struct clique_place *place)
{
	int words = clique_row_words(hunt->graph);
	struct clique_split split;

	if (clique_is_cut(hunt, row, place))
		return;
	if (!clique_splits(hunt->graph, row, place)) {
		clique_search_place(hunt, row, place);
		return;
	}
	hunt->places++;
	split = clique_split(hunt, row, place);
	while (split.count--) {
		grow_alone(hunt, split.rows + (ptrdiff_t)split.count * words,
			   &split.first);
		split.first = clique_later(split.first, 1);
	}
	free(split.rows);
}

struct clique_best
clique_alone(STN_FRAME, struct clique_graph *graph, bool guesses)
{
	struct lone_hunt lone = { .hunt = { .graph = graph,
					    .best = &lone.best,
					    .found = lone_found },
				  .best.value = graph->rules.limit,
				  .found.size = graph->rules.limit };
	uint64_t row[CLIQUE_ROW_MOST];
	struct clique_place start;

	if (guesses)
		graph->rules.limit = clique_guess(&lone.hunt);
	start = clique_start(graph, row);
	grow_alone(&lone.hunt, row, &start);
	STN_WORK(lone.hunt.places);
	return lone.found;
}
