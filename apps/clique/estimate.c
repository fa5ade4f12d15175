/*
 * estimate.c: the number of places of a search, by dives (D. E. Knuth,
 * "Estimating the efficiency of backtrack programs", 1975). A dive goes down
 * from the start, at each place by a random branch. If it has passed places
 * with a, b, c branches, it counts the next place for a * b * c places.
 */
#include <stdlib.h>

#include "apps/clique/solve.h"
#include "apps/random.h"

#define DIVES 256

/* The memory of a dive. */
struct dive {
	uint64_t left[CLIQUE_VERTICES_MOST / 64]; /* the candidates */
	struct clique_branch *branch;
	uint64_t *work;
	struct app_random random;
};

static void
take_branch(const struct clique_graph *graph, struct dive *dive, int count)
{
	int choice = (int)app_random(&dive->random, (uint64_t)count);

	/* Branches that come earlier in search order are searched before. */
	while (--count > choice)
		clique_take(dive->left, dive->branch[count].vertex);
	clique_common(dive->left, dive->left,
		      clique_row(graph, dive->branch[choice].vertex),
		      graph->words);
}

static double
count_places(const struct clique_graph *graph, int limit, struct dive *dive)
{
	double weight = 1, places = 0;

	memset(dive->left, 0, sizeof(dive->left));
	for (int i = 0; i < graph->vertices; i++)
		clique_put(dive->left, i);
	for (int size = 0; !clique_none(dive->left, graph->words); size++) {
		int count = clique_branches(graph, dive->left, limit - size,
					    dive->branch, dive->work);

		places += weight;
		if (!count)
			break;
		weight *= count;
		take_branch(graph, dive, count);
	}
	return places;
}

double
clique_estimate(const struct clique_graph *graph, int limit)
{
	size_t vertices = (size_t)graph->vertices;
	struct dive dive = {
		.branch = clique_memory(vertices * sizeof(*dive.branch)),
		.work = clique_memory(
			clique_maxsat_bytes(graph, graph->vertices)),
	};
	double places = 0;

	for (int i = 0; i < DIVES; i++)
		places += count_places(graph, limit, &dive);
	free(dive.branch);
	free(dive.work);
	return places / DIVES;
}
