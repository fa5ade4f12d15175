/*
 * guess.c: a random walk over cliques (W. Pullan and H. H. Hoos, "Dynamic local
 * search for the maximum clique problem", JAIR 25, 2006). It adds a vertex to
 * the clique; if none can be added, it exchanges one; if that isn't possible
 * any more, the climb has ended, and another one begins.
 *
 * At first, each climb begins near any vertex. Later there are penalties: a
 * vertex gets one if a climb ends with it, a step takes a vertex with as few as
 * possible, and a climb begins with the last vertex of the one before. So the
 * walk also visits vertices of low degree, among which the largest clique of a
 * graph may be hidden. Penalties are taken back so fast that about three of
 * four vertices have one (W. Pullan, "Phased local search for the maximum
 * clique problem", 2006).
 *
 * A good first clique saves most of a search. It matters even more for several
 * workers: they search later places with it, for which one worker would know a
 * better one. But only one worker walks, so the walk is short compared with the
 * search.
 */
#include "apps/clique/solve.h"
#include "apps/random.h"

#define STEPS 20000 /* without penalties, and between looks at the length */
#define SHARE 64    /* places of a search for each step with penalties */
#define MOST 5e6    /* steps: some searches would never end */

struct walk {
	struct clique_hunt *hunt;
	const struct clique_graph *graph; /* the hunt's */
	struct app_random random;
	struct clique_best now;
	int most; /* vertices of the largest clique so far */
	int last; /* vertex that was added */
	bool penalised;
	int climbs, delay, penalties; /* see take_back */
	/* Vertices that were exchanged in this climb. */
	uint64_t used[CLIQUE_VERTICES_MOST / 64];
	/* Vertices, not of the clique, of which 0 or 1 of it aren't neighbours.
	 */
	uint64_t fits[2][CLIQUE_VERTICES_MOST / 64];
	/* By vertex: how many of the clique aren't its neighbours. */
	uint16_t missing[CLIQUE_VERTICES_MOST];
	uint16_t penalty[CLIQUE_VERTICES_MOST];
};

/* Vertex @to misses @by more of the clique. */
static void
miss(struct walk *walk, int to, int by)
{
	int before = walk->missing[to], after = before + by;

	if (before < 2)
		clique_take(walk->fits[before], to);
	if (after < 2)
		clique_put(walk->fits[after], to);
	walk->missing[to] = (uint16_t)after;
}

/* All that aren't neighbours of the vertex miss @by more. */
static void
miss_vertex(struct walk *walk, int vertex, int by)
{
	const uint64_t *row = clique_row(walk->graph, vertex);

	for (int to = 0; to < walk->graph->vertices; to++)
		if (!clique_has(row, to))
			miss(walk, to, by);
}

static void
remove_vertex(struct walk *walk, int vertex)
{
	clique_take(walk->now.chosen, vertex);
	walk->now.size--;
	miss_vertex(walk, vertex, -1);
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
	walk->last = vertex;
	miss_vertex(walk, vertex, 1);
}

/*
 * Of the vertices that miss that many, one with the fewest penalties, at
 * random; or -1.
 */
static int
pick(struct walk *walk, int missing)
{
	int vertex = -1;
	uint64_t count = 0;

	for (int i = 0; i < walk->graph->words; i++) {
		uint64_t bits = walk->fits[missing][i] &
				~(walk->now.chosen[i] | walk->used[i]);

		for (; bits; bits &= bits - 1) {
			int other = 64 * i + __builtin_ctzll(bits);

			int more = count ? walk->penalty[other] -
						   walk->penalty[vertex]
					 : 0;

			if (more > 0)
				continue;
			if (more < 0)
				count = 0;
			if (!app_random(&walk->random, ++count))
				vertex = other;
		}
	}
	return vertex;
}

/*
 * Takes back one penalty of each vertex after each @delay climbs. Adapts the
 * delay to the number of vertices that have penalties.
 */
static void
take_back(struct walk *walk)
{
	if (++walk->climbs < walk->delay)
		return;
	walk->climbs = 0;
	for (int i = 0; i < walk->graph->vertices; i++)
		if (walk->penalty[i] && !--walk->penalty[i])
			walk->penalties--;
	if (4 * walk->penalties < 3 * walk->graph->vertices)
		walk->delay++;
	else if (walk->delay > 1)
		walk->delay--;
}

static void
penalise(struct walk *walk)
{
	for (int i = 0; i < walk->graph->vertices; i++)
		if (clique_has(walk->now.chosen, i) && !walk->penalty[i]++)
			walk->penalties++;
	take_back(walk);
}

static void
begin_climb(struct walk *walk)
{
	int vertex = walk->last;

	if (walk->penalised) {
		penalise(walk);
		for (int i = 0; i < walk->graph->vertices; i++)
			if (i != vertex && clique_has(walk->now.chosen, i))
				remove_vertex(walk, i);
	} else {
		vertex = (int)app_random(&walk->random,
					 (uint64_t)walk->graph->vertices);
		if (!clique_has(walk->now.chosen, vertex))
			add_vertex(walk, vertex);
	}
	memset(walk->used, 0, sizeof(walk->used));
}

static void
take_step(struct walk *walk)
{
	int vertex = pick(walk, 0);

	if (vertex < 0)
		vertex = pick(walk, 1);
	if (vertex >= 0)
		add_vertex(walk, vertex);
	else
		begin_climb(walk);
}

static void
take_steps(struct walk *walk)
{
	for (int i = 0; i < STEPS; i++) {
		take_step(walk);
		if (walk->now.size <= walk->most)
			continue;
		walk->most = walk->now.size;
		clique_copy(walk->hunt->chosen, walk->now.chosen,
			    walk->graph->words);
		walk->hunt->found(walk->hunt, walk->most);
	}
}

int
clique_guess(struct clique_hunt *hunt)
{
	struct walk walk = { .hunt = hunt, .graph = hunt->graph, .delay = 1 };
	int known = 0;
	double places = 0;

	for (int i = 0; i < walk.graph->vertices; i++)
		clique_put(walk.fits[0], i);
	take_steps(&walk);
	walk.penalised = true;
	for (double steps = STEPS;; steps += STEPS) {
		if (walk.most > known)
			places = clique_estimate(walk.graph, walk.most);
		known = walk.most;
		if (steps > places / SHARE || steps > MOST)
			return known;
		take_steps(&walk);
	}
}
