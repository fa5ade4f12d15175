#include <stdlib.h>

#include "apps/clique/place.h"
#include "apps/clique/solve.h"

/* A hunt whose incumbent nobody else sees. */
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

/* Like the task of shared.c. */
static void
grow_alone(struct clique_hunt *hunt, const uint64_t *sets,
	   const struct clique_place *place)
{
	struct clique_split split;

	if (clique_is_cut(hunt, place))
		return;
	if (!clique_splits(hunt->graph, sets, place)) {
		clique_search_place(hunt, sets, place);
		return;
	}
	hunt->places++;
	split = clique_split(hunt, sets, place);
	while (split.count--)
		grow_alone(hunt, clique_sets(hunt->graph, &split, split.count),
			   &split.place[split.count]);
	free(split.memory);
}

struct clique_best
clique_alone(STN_FRAME, const struct clique_graph *graph)
{
	struct lone_hunt lone = { .hunt = { .graph = graph,
					    .best = &lone.best,
					    .found = lone_found },
				  .best.value = graph->rules.limit,
				  .found.size = graph->rules.limit };
	uint64_t sets[2 * CLIQUE_VERTICES_MOST / 64];
	struct clique_place start = clique_start(graph, sets);

	grow_alone(&lone.hunt, sets, &start);
	STN_WORK(lone.hunt.places);
	return lone.found;
}
