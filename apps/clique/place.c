/*
 * place.c: keys. The keys of a place are divided among its candidates. The n-th
 * branch in search order gets the n-th part. So the keys of the places of tasks
 * depend on the graph and the rules only, if the order of branches does.
 *
 * With colours, it does: a better incumbent removes branches from the list's
 * beginning, which are the last in search order. With the other bound, it
 * changes the order. So the branches of places that split are those for the
 * graph's limit. A place that does not split has one key, but which clique it
 * finds first may depend on the incumbent. Therefore its cliques get the odd
 * key that follows, and if the best one is still the incumbent in the end, the
 * first clique of that size is looked for in an order that depends on nothing
 * else, and gets the place's even key.
 */
#include "apps/clique/place.h"

#include <stdlib.h>

static const uint64_t *
candidates_of(const struct clique_graph *graph, const uint64_t *row)
{
	return row + 1 + graph->words;
}

struct clique_place
clique_start(const struct clique_graph *graph, uint64_t *row)
{
	memset(row, 0, (size_t)clique_row_words(graph) * sizeof(*row));
	row[0] = (uint64_t)graph->vertices;
	for (int i = 0; i < graph->vertices; i++)
		clique_put(row + 1 + graph->words, i);
	return (struct clique_place){ .width = 1ull << 63 };
}

bool
clique_is_cut(struct clique_hunt *hunt, const uint64_t *row,
	      const struct clique_place *place)
{
	hunt->key = place->key;
	return (int)row[0] <= clique_floor(hunt);
}

static uint64_t
width_below(const struct clique_place *place, int candidates)
{
	return place->width / (uint64_t)candidates & ~1ull;
}

bool
clique_splits(const struct clique_graph *graph, const uint64_t *row,
	      const struct clique_place *place)
{
	int candidates = clique_count(candidates_of(graph, row), graph->words);

	return place->depth < graph->rules.depth && candidates &&
	       place->size < graph->rules.enough &&
	       width_below(place, candidates);
}

static int
branches_of(struct clique_hunt *hunt, const uint64_t *candidates, int size,
	    struct clique_branch *to, uint64_t *work)
{
	const struct clique_graph *graph = hunt->graph;
	int floor = clique_floor(hunt) - size;
	int always = graph->rules.limit - size;
	int count = clique_branches(graph, candidates, floor, to, work);

	if (!graph->rules.maxsat || !count || floor == always)
		return count;
	return clique_branches(graph, candidates, always, to, work);
}

/* Writes the rows of the branches. Changes @left, the place's candidates. */
static void
put_rows(const struct clique_graph *graph, const uint64_t *row, int size,
	 const struct clique_branch *branch, struct clique_split *split,
	 uint64_t *left)
{
	uint64_t *to = split->rows;
	int words = graph->words;

	for (int i = 0; i < split->count; i++)
		clique_take(left, branch[i].vertex);
	for (int i = 0; i < split->count; i++) {
		int vertex = branch[i].vertex;

		to[0] = (uint64_t)(size + branch[i].most);
		clique_copy(to + 1, row + 1, words);
		clique_put(to + 1, vertex);
		clique_common(to + 1 + words, left, clique_row(graph, vertex),
			      words);
		clique_put(left, vertex);
		to += clique_row_words(graph);
	}
}

struct clique_split
clique_split(struct clique_hunt *hunt, const uint64_t *row,
	     const struct clique_place *place)
{
	const struct clique_graph *graph = hunt->graph;
	const uint64_t *candidates = candidates_of(graph, row);
	int count = clique_count(candidates, graph->words);
	struct clique_branch *branch =
		clique_memory((size_t)count * sizeof(*branch));
	uint64_t *work = clique_memory(clique_maxsat_bytes(graph, count));
	struct clique_split split = {
		.count = branches_of(hunt, candidates, place->size, branch,
				     work),
		.first = { .key = place->key,
			   .width = width_below(place, count),
			   .size = place->size + 1,
			   .depth = place->depth + 1 },
	};

	split.rows = clique_memory((size_t)split.count *
				   (size_t)clique_row_words(graph) *
				   sizeof(*split.rows));
	clique_copy(work, candidates, graph->words);
	put_rows(graph, row, place->size, branch, &split, work);
	free(work);
	free(branch);
	return split;
}

/* Whether the incumbent was found at this place, see above. */
static bool
is_from_here(struct clique_hunt *hunt, uint64_t key, int64_t best)
{
	return STN_CUTS_MAX(hunt->best, best, key | 1) &&
	       !STN_CUTS_MAX(hunt->best, best, key);
}

void
clique_search_place(struct clique_hunt *hunt, const uint64_t *row,
		    const struct clique_place *place)
{
	const struct clique_graph *graph = hunt->graph;
	const uint64_t *candidates = candidates_of(graph, row);
	int64_t best;

	clique_copy(hunt->chosen, row + 1, graph->words);
	hunt->key = place->key;
	if (place->size >= graph->rules.enough ||
	    clique_none(candidates, graph->words)) {
		if (place->size > clique_floor(hunt))
			clique_found(hunt, place->size);
		return;
	}
	hunt->key |= (uint64_t)graph->rules.maxsat;
	clique_hunt_on(hunt, candidates, place->size);
	best = STN_BOUND_READ(hunt->best);
	if (hunt->key == place->key || !is_from_here(hunt, place->key, best))
		return;
	hunt->key = place->key;
	clique_hunt_first(hunt, candidates, place->size, best);
}
