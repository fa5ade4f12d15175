#include "apps/clique/solve.h"

#define STARTS 64

/* The candidate with the most neighbours among the candidates. */
static int
best_candidate(const struct clique_graph *graph, const uint64_t *candidates)
{
	uint64_t common[CLIQUE_VERTICES_MOST / 64];
	int best = -1, most = -1;

	for (int i = 0; i < graph->vertices; i++) {
		int count;

		if (!clique_has(candidates, i))
			continue;
		clique_common(common, candidates, clique_row(graph, i),
			      graph->words);
		count = clique_count(common, graph->words);
		if (count > most) {
			best = i;
			most = count;
		}
	}
	return best;
}

static struct clique_best
guess_from(const struct clique_graph *graph, int vertex)
{
	uint64_t candidates[CLIQUE_VERTICES_MOST / 64];
	struct clique_best guess = { .size = 1 };

	clique_put(guess.chosen, vertex);
	clique_copy(candidates, clique_row(graph, vertex), graph->words);
	while (!clique_none(candidates, graph->words)) {
		vertex = best_candidate(graph, candidates);
		clique_put(guess.chosen, vertex);
		guess.size++;
		clique_common(candidates, candidates, clique_row(graph, vertex),
			      graph->words);
	}
	return guess;
}

struct clique_best
clique_guess(const struct clique_graph *graph)
{
	int step = (graph->vertices + STARTS - 1) / STARTS;
	struct clique_best best = { 0 }, guess;

	for (int i = 0; i < graph->vertices; i += step) {
		guess = guess_from(graph, i);
		if (guess.size > best.size)
			best = guess;
	}
	return best;
}
