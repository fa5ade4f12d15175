/*
 * guess.c: a random walk over cliques, as in W. Pullan and H. H. Hoos, "Dynamic
 * local search for the maximum clique problem", JAIR 25, 2006, without
 * penalties. It adds a vertex to the clique; if none can be added, it exchanges
 * one; if that isn't possible any more, it begins again near any vertex. A good
 * first clique matters most for several workers: they search later places with
 * it, for which one worker would know a better one.
 */
#include "apps/clique/solve.h"
#include "apps/random.h"

#define STEPS 20000

struct walk {
	const struct clique_graph *graph;
	struct app_random random;
	struct clique_best now;
	/* Vertices that were exchanged since the walk began near a vertex. */
	uint64_t used[CLIQUE_VERTICES_MOST / 64];
	/* By vertex: how many of the clique aren't its neighbours. */
	uint16_t missing[CLIQUE_VERTICES_MOST];
};

/* Adds @by to the missing ones of all that aren't neighbours of the vertex. */
static void
miss(struct walk *walk, int vertex, int by)
{
	const uint64_t *row = clique_row(walk->graph, vertex);

	for (int i = 0; i < walk->graph->vertices; i++)
		walk->missing[i] = (uint16_t)(walk->missing[i] +
					      (clique_has(row, i) ? 0 : by));
}

static void
remove_vertex(struct walk *walk, int vertex)
{
	clique_take(walk->now.chosen, vertex);
	walk->now.size--;
	miss(walk, vertex, -1);
}

/* Adds a vertex, and removes those that aren't its neighbours. */
static void
add_vertex(struct walk *walk, int vertex)
{
	const uint64_t *row = clique_row(walk->graph, vertex);

	for (int i = 0; i < walk->graph->words; i++) {
		uint64_t strange = walk->now.chosen[i] & ~row[i];

		for (; strange; strange &= strange - 1) {
			int other = 64 * i + __builtin_ctzll(strange);

			remove_vertex(walk, other);
			clique_put(walk->used, other);
		}
	}
	clique_put(walk->now.chosen, vertex);
	walk->now.size++;
	miss(walk, vertex, 1);
}

/* A random vertex that misses that many, or -1. */
static int
pick(struct walk *walk, int missing)
{
	int vertex = -1;
	uint64_t count = 0;

	for (int i = 0; i < walk->graph->vertices; i++)
		if (walk->missing[i] == missing &&
		    !clique_has(walk->now.chosen, i) &&
		    !clique_has(walk->used, i) &&
		    !app_random(&walk->random, ++count))
			vertex = i;
	return vertex;
}

static void
take_step(struct walk *walk)
{
	int vertex = pick(walk, 0);

	if (vertex < 0)
		vertex = pick(walk, 1);
	if (vertex >= 0) {
		add_vertex(walk, vertex);
		return;
	}
	vertex =
		(int)app_random(&walk->random, (uint64_t)walk->graph->vertices);
	if (!clique_has(walk->now.chosen, vertex))
		add_vertex(walk, vertex);
	memset(walk->used, 0, sizeof(walk->used));
}

struct clique_best
clique_guess(const struct clique_graph *graph)
{
	struct walk walk = { .graph = graph };
	struct clique_best best = { 0 };

	for (int i = 0; i < STEPS; i++) {
		take_step(&walk);
		if (walk.now.size > best.size)
			best = walk.now;
	}
	return best;
}
