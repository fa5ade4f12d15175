/*
 * numbers.c: a place has two sets: candidates, and excluded vertices, which are
 * also neighbours of all vertices of the clique, but belong to cliques that
 * were counted before. @need is how many vertices the clique needs, or MAXIMAL.
 */
#include "apps/clique/numbers.h"

#include <stdlib.h>

#include "apps/clique/search.h"

#define MAXIMAL (-1)

/* The sets of the places below a place. */
struct below {
	int count;
	uint64_t *sets;
};

/*
 * The cliques of a place that are counted there: all that need one vertex, or
 * the maximal clique itself.
 */
static uint64_t
counted_here(const struct clique_graph *graph, const uint64_t *sets, int need)
{
	if (need == MAXIMAL)
		return clique_none(sets, 2 * graph->words);
	return need == 1 ? (uint64_t)clique_count(sets, graph->words) : 0;
}

/* The vertex, of both sets, with the most neighbours among the candidates. */
static int
pivot(const struct clique_graph *graph, const uint64_t *sets, uint64_t *work)
{
	int words = graph->words, best = 0, most = -1;

	for (int i = 0; i < graph->vertices; i++) {
		int count;

		if (!clique_has(sets, i) && !clique_has(sets + words, i))
			continue;
		clique_common(work, sets, clique_row(graph, i), words);
		count = clique_count(work, words);
		if (count > most) {
			best = i;
			most = count;
		}
	}
	return best;
}

/* A maximal clique has the pivot, or a vertex that isn't its neighbour. */
static int
maximal_branches(const struct clique_graph *graph, const uint64_t *sets,
		 struct clique_branch *branch, uint64_t *work)
{
	const uint64_t *row = clique_row(graph, pivot(graph, sets, work));
	int count = 0;

	for (int i = 0; i < graph->vertices; i++)
		if (clique_has(sets, i) && !clique_has(row, i))
			branch[count++].vertex = (uint16_t)i;
	return count;
}

/* Lists the branches; the last one is taken first. */
static int
list_branches(const struct clique_graph *graph, const uint64_t *sets, int need,
	      struct clique_branch *branch, uint64_t *work)
{
	if (need == MAXIMAL)
		return maximal_branches(graph, sets, branch, work);
	return need > 1 ? clique_colour_branches(graph, sets, need - 1, branch,
						 work)
			: 0;
}

/* Writes the sets of the places below. @left are those of the place itself. */
static void
put_below(const struct clique_graph *graph, const struct clique_branch *branch,
	  uint64_t *left, struct below *below)
{
	int words = graph->words;

	for (int i = below->count - 1; i >= 0; i--) {
		const uint64_t *row = clique_row(graph, branch[i].vertex);
		uint64_t *to = below->sets + (ptrdiff_t)i * 2 * words;

		clique_common(to, left, row, words);
		clique_common(to + words, left + words, row, words);
		clique_take(left, branch[i].vertex);
		clique_put(left + words, branch[i].vertex);
	}
}

static struct below
places_below(const struct clique_graph *graph, const uint64_t *sets, int need)
{
	size_t words = (size_t)graph->words;
	size_t count = (size_t)clique_count(sets, graph->words);
	uint64_t *left = clique_memory(4 * words * sizeof(*left));
	struct clique_branch *branch = clique_memory(count * sizeof(*branch));
	struct below below = { .count = list_branches(graph, sets, need, branch,
						      left) };

	below.sets = clique_memory((size_t)below.count * 2 * words *
				   sizeof(*below.sets));
	clique_copy(left, sets, 2 * graph->words);
	put_below(graph, branch, left, &below);
	free(branch);
	free(left);
	return below;
}

static int
need_below(int need)
{
	return need == MAXIMAL ? MAXIMAL : need - 1;
}

static uint64_t
number_alone(const struct clique_graph *graph, const uint64_t *sets, int need,
	     uint64_t *places)
{
	uint64_t total = counted_here(graph, sets, need);
	struct below below = places_below(graph, sets, need);

	++*places;
	while (below.count--)
		total += number_alone(graph,
				      below.sets + (ptrdiff_t)below.count * 2 *
							   graph->words,
				      need_below(need), places);
	free(below.sets);
	return total;
}

/* The first @depth vertices are tasks. */
STN_TASK(uint64_t, number, struct stn_const, graph, struct stn_in, sets,
	 int32_t, need, int32_t, depth)
{
	const struct clique_graph *all = STN_CONST_AT(graph);
	uint64_t total, places = 0;
	struct below below;

	if (depth == 0) {
		total = number_alone(all, sets.at, need, &places);
		STN_WORK(places);
		return total;
	}
	STN_WORK(1);
	total = counted_here(all, sets.at, need);
	below = places_below(all, sets.at, need);
	for (int i = 0; i < below.count; i++)
		STN_SPAWN(number, graph,
			  STN_IN(below.sets + (ptrdiff_t)i * 2 * all->words,
				 2 * all->words),
			  need_below(need), depth - 1);
	while (below.count--)
		total += STN_SYNC(number);
	free(below.sets);
	return total;
}

static uint64_t
number_from_start(STN_FRAME, const struct clique_graph *graph, int need,
		  bool alone)
{
	uint64_t sets[2 * CLIQUE_VERTICES_MOST / 64] = { 0 };
	uint64_t total, places = 0;

	for (int i = 0; i < graph->vertices; i++)
		clique_put(sets, i);
	if (!alone)
		return STN_CALL(number,
				STN_CONST(graph, clique_graph_bytes(graph)),
				STN_IN(sets, 2 * graph->words), need,
				graph->rules.depth);
	total = number_alone(graph, sets, need, &places);
	STN_WORK(places);
	return total;
}

uint64_t
clique_number_of(STN_FRAME, const struct clique_graph *graph, int size,
		 bool alone)
{
	return number_from_start(STN_PASS_FRAME, graph, size, alone);
}

uint64_t
clique_number_maximal(STN_FRAME, const struct clique_graph *graph, bool alone)
{
	return number_from_start(STN_PASS_FRAME, graph, MAXIMAL, alone);
}
