#include <stdlib.h>

#include "apps/clique/place.h"
#include "apps/clique/solve.h"

struct shared_hunt {
	struct clique_hunt hunt; /* first: the functions below cast it */
	struct stn_frame *frame;
	struct stn_bound most;
};

static void
shared_found(struct clique_hunt *hunt, int size)
{
	struct shared_hunt *shared = (struct shared_hunt *)hunt;
	STN_FRAME = shared->frame;

	STN_IMPROVE(shared->most, size, hunt->key, hunt->chosen,
		    (size_t)hunt->graph->words * sizeof(*hunt->chosen));
}

static void
shared_look(struct clique_hunt *hunt)
{
	STN_FRAME = ((struct shared_hunt *)hunt)->frame;

	STN_POLL(CLIQUE_LOOK);
}

/* How a task gets its graph. */
#define GRAPH struct stn_in
#define GRAPH_TO_PASS(graph)                                                   \
	STN_IN((const unsigned char *)(graph), clique_graph_bytes(graph))
#define GRAPH_AT(graph) (graph).at

/*
 * Spawns the first place in search order last, so that a worker that nobody
 * steals from searches in search order.
 */
STN_TASK_VOID(grow, GRAPH, graph, struct stn_in, sets, struct stn_bound, most,
	      struct clique_place, place)
{
	struct shared_hunt shared = { .hunt = { .graph = GRAPH_AT(graph),
						.best = STN_BOUND_AT(most),
						.found = shared_found,
						.look = shared_look },
				      .frame = stn_frame,
				      .most = most };
	const struct clique_graph *all = shared.hunt.graph;
	struct clique_split split;

	if (clique_is_cut(&shared.hunt, &place))
		return;
	if (!clique_splits(all, sets.at, &place)) {
		clique_search_place(&shared.hunt, sets.at, &place);
		STN_WORK(shared.hunt.places % CLIQUE_LOOK);
		return;
	}
	STN_WORK(1);
	split = clique_split(&shared.hunt, sets.at, &place);
	for (int i = 0; i < split.count; i++)
		STN_SPAWN(grow, graph,
			  STN_IN(clique_sets(all, &split, i), 2 * all->words),
			  most, split.place[i]);
	while (split.count--)
		STN_SYNC(grow);
	free(split.memory);
}

struct clique_best
clique_shared(STN_FRAME, const struct clique_graph *graph)
{
	struct stn_bound most = STN_BOUND_MAX(graph->rules.limit);
	uint64_t sets[2 * CLIQUE_VERTICES_MOST / 64];
	struct clique_place start = clique_start(graph, sets);
	struct clique_best best = { 0 };

	STN_CALL(grow, GRAPH_TO_PASS(graph), STN_IN(sets, 2 * graph->words),
		 most, start);
	best.size = (int)STN_BEST(most, best.chosen,
				  (size_t)graph->words * sizeof(uint64_t));
	return best;
}
