#include "apps/tsp/branch.h"

#include <string.h>

/*
 * An ascent: the scale of its steps (of 1/ONETREE_UNIT) is halved after
 * @patience steps without a better bound, and it ends when the scale is less
 * than @least.
 */
struct ascent {
	int steps, patience, scale, least;
	int taken;
	int64_t bound; /* the best one */
	int64_t multiplier[ONETREE_CITIES]; /* those of the best bound */
};

static void
note_bound(const struct onetree *tree, struct ascent *ascent, int *waited)
{
	size_t bytes = (size_t)tree->cities * sizeof(tree->multiplier[0]);

	if (tree->length > ascent->bound) {
		ascent->bound = tree->length;
		memcpy(ascent->multiplier, tree->multiplier, bytes);
		*waited = 0;
	} else if (++*waited >= ascent->patience) {
		ascent->scale /= 2;
		*waited = 0;
	}
}

/*
 * Returns false if it has ended early: there is no tour, or the 1-tree is one,
 * or the bound suffices, which @best and @key decide; @best may be NULL.
 */
static bool
ascend(struct onetree *tree, struct ascent *ascent,
       const struct stn_incumbent *best, uint64_t key)
{
	int last[ONETREE_CITIES], waited = 0;

	for (int i = 0; i < tree->cities; i++)
		last[i] = 2;
	ascent->bound = INT64_MIN;
	for (ascent->taken = 0; ascent->taken < ascent->steps;
	     ascent->taken++) {
		if (!onetree_grow(tree)) {
			ascent->bound = ONETREE_FORBIDDEN;
			return false;
		}
		note_bound(tree, ascent, &waited);
		if (onetree_is_tour(tree) ||
		    (best && branch_cuts(best, ascent->bound, key)))
			return false;
		if (ascent->scale < ascent->least)
			break;
		onetree_step(tree, ascent->scale, last);
	}
	return true;
}

/* The 1-tree of the best bound. */
static void
return_to_best(struct onetree *tree, const struct ascent *ascent)
{
	memcpy(tree->multiplier, ascent->multiplier,
	       (size_t)tree->cities * sizeof(tree->multiplier[0]));
	(void)onetree_grow(tree);
}

static void
make_graph(const struct tsplib *tsp, int64_t limit, struct onetree_graph *graph)
{
	graph->cities = tsp->cities;
	graph->edges = 0;
	graph->limit = limit;
	for (int a = 0; a < tsp->cities; a++)
		for (int b = a + 1; b < tsp->cities; b++)
			graph->edge[graph->edges++] = (struct onetree_edge){
				(uint8_t)a, (uint8_t)b, tsp->distance[a][b]
			};
}

/* The most expensive edge on the way between two cities of the tree. */
static int64_t
dearest_between(const struct onetree *tree, int a, int b)
{
	int64_t most = INT64_MIN;

	while (a != b) {
		int *low = tree->depth[a] > tree->depth[b] ? &a : &b;
		int64_t cost =
			onetree_edge_cost(tree, *low, tree->parent[*low]);

		if (cost > most)
			most = cost;
		*low = tree->parent[*low];
	}
	return most;
}

/* By how much the 1-tree becomes longer if an edge is required. */
static int64_t
cost_of_requiring(const struct onetree *tree, int a, int b)
{
	int64_t cost = onetree_edge_cost(tree, a, b);

	return cost - (a ? dearest_between(tree, a, b)
			 : onetree_edge_cost(tree, 0, tree->home[1]));
}

/* Removes the edges that no tour shorter than the limit has. */
static void
reduce(const struct onetree *tree, struct onetree_graph *graph)
{
	int64_t most = (graph->limit - 1) * ONETREE_UNIT;
	int32_t kept = 0;

	for (int32_t i = 0; i < graph->edges; i++) {
		struct onetree_edge edge = graph->edge[i];

		if (tree->length + cost_of_requiring(tree, edge.a, edge.b) <=
		    most)
			graph->edge[kept++] = edge;
	}
	graph->edges = kept;
}

int64_t
branch_prepare(const struct tsplib *tsp, int64_t limit,
	       struct onetree_graph *graph, int64_t *multiplier, int *trees_p)
{
	struct ascent ascent = { .steps = 20 * tsp->cities,
				 .patience = tsp->cities / 8 + 4,
				 .scale = 2 * ONETREE_UNIT,
				 .least = ONETREE_UNIT / 64 };
	struct onetree tree;

	make_graph(tsp, limit, graph);
	onetree_begin(&tree, graph);
	memset(tree.multiplier, 0, sizeof(tree.multiplier));
	(void)ascend(&tree, &ascent, NULL, 0);
	return_to_best(&tree, &ascent);
	if (ascent.bound <= (limit - 1) * ONETREE_UNIT)
		reduce(&tree, graph);
	memset(multiplier, 0, sizeof(tree.multiplier));
	memcpy(multiplier, ascent.multiplier,
	       (size_t)tsp->cities * sizeof(multiplier[0]));
	*trees_p = ascent.taken + 2;
	return ascent.bound;
}

/* Two edges of the 1-tree at one city, with their penalties. */
struct fork {
	int city, to[2];
	int64_t penalty[2], rest; /* the highest penalty of the others */
};

static void
consider_edge(struct fork *fork, int to, int64_t penalty)
{
	if (penalty > fork->penalty[0]) {
		fork->rest = fork->penalty[1];
		fork->to[1] = fork->to[0];
		fork->penalty[1] = fork->penalty[0];
		fork->to[0] = to;
		fork->penalty[0] = penalty;
	} else if (penalty > fork->penalty[1]) {
		fork->rest = fork->penalty[1];
		fork->to[1] = to;
		fork->penalty[1] = penalty;
	} else if (penalty > fork->rest) {
		fork->rest = penalty;
	}
}

/* For each city, the two edges at it that can least be spared. */
static void
find_forks(const struct onetree *tree, struct fork *fork)
{
	int64_t penalty[ONETREE_CITIES], home;

	onetree_penalties(tree, penalty);
	for (int i = 0; i < tree->cities; i++)
		fork[i] = (struct fork){ i, { 0, 0 }, { -1, -1 }, -1 };
	for (int i = 2; i < tree->cities; i++) {
		int parent = tree->parent[i];

		if (onetree_is_required(tree, i, parent))
			continue;
		consider_edge(&fork[i], parent, penalty[i]);
		consider_edge(&fork[parent], i, penalty[i]);
	}
	for (int i = 0; i < 2; i++) {
		int city = tree->home[i];

		if (onetree_is_required(tree, 0, city))
			continue;
		home = onetree_edge_cost(tree, 0, tree->home[2]) -
		       onetree_edge_cost(tree, 0, city);
		consider_edge(&fork[city], 0, home);
	}
}

/* Whether to branch at @a rather than at @b. */
static bool
is_better(const struct fork *a, const struct fork *b)
{
	return a->penalty[0] + a->penalty[1] > b->penalty[0] + b->penalty[1];
}

/* The city at which to branch; the 1-tree is no tour. */
static struct fork
choose_fork(const struct onetree *tree)
{
	struct fork fork[ONETREE_CITIES];
	int best = -1;

	find_forks(tree, fork);
	for (int i = 0; i < tree->cities; i++)
		if (tree->degree[i] > 2 &&
		    (best < 0 || is_better(&fork[i], &fork[best])))
			best = i;
	return fork[best];
}

static void
add_place(struct branch_places *places, int64_t bound, int decisions,
	  struct branch_decision first, struct branch_decision second)
{
	int number = places->count++;

	places->place[number].bound = bound;
	places->place[number].decisions = decisions;
	places->place[number].decision[0] = first;
	places->place[number].decision[1] = second;
}

static struct branch_decision
decide(const struct fork *fork, int edge, bool required)
{
	return (struct branch_decision){ (uint8_t)fork->city,
					 (uint8_t)fork->to[edge], required };
}

static void
make_places(const struct onetree *tree, int64_t bound,
	    struct branch_places *places)
{
	struct fork fork = choose_fork(tree);
	struct branch_decision with[2] = { decide(&fork, 0, true),
					   decide(&fork, 1, true) };
	struct branch_decision without[2] = { decide(&fork, 0, false),
					      decide(&fork, 1, false) };

	places->count = 0;
	if (tree->needs[fork.city]) {
		add_place(places, bound + fork.penalty[1], 1, with[0],
			  with[0]);
	} else {
		add_place(places, bound + fork.rest, 2, with[0], with[1]);
		add_place(places, bound + fork.penalty[1], 2, with[0],
			  without[1]);
	}
	add_place(places, bound + fork.penalty[0], 1, without[0], without[0]);
}

/* Returns false if no tour accords with the decisions. */
static bool
apply_decisions(struct branch_hunt *hunt)
{
	onetree_begin(&hunt->tree, hunt->graph);
	for (int i = 0; i < hunt->decisions; i++) {
		struct branch_decision decision = hunt->decision[i];

		if (!(decision.required
			      ? onetree_require(&hunt->tree, decision.a,
						decision.b)
			      : onetree_forbid(&hunt->tree, decision.a,
					       decision.b)))
			return false;
	}
	return true;
}

static bool
look_at(struct branch_hunt *hunt, struct ascent *ascent,
	struct branch_places *places_p)
{
	struct onetree *tree = &hunt->tree;
	bool goes_on = ascend(tree, ascent, hunt->best, hunt->key);

	if (branch_cuts(hunt->best, ascent->bound, hunt->key))
		return false;
	if (!goes_on) {
		hunt->found(hunt, tree->length / ONETREE_UNIT);
		return false;
	}
	return_to_best(tree, ascent);
	make_places(tree, ascent->bound, places_p);
	memcpy(places_p->multiplier, ascent->multiplier,
	       sizeof(places_p->multiplier));
	return true;
}

bool
branch_look(struct branch_hunt *hunt, const int64_t *multiplier,
	    struct branch_places *places_p)
{
	struct ascent ascent = { .steps = hunt->graph->cities / 4 + 6,
				 .patience = 3,
				 .scale = ONETREE_UNIT,
				 .least = 1 };
	bool follows;

	if (!apply_decisions(hunt))
		return false;
	memcpy(hunt->tree.multiplier, multiplier,
	       (size_t)hunt->graph->cities * sizeof(multiplier[0]));
	follows = look_at(hunt, &ascent, places_p);
	if (hunt->look)
		hunt->look(hunt, ascent.taken + 1);
	return follows;
}

void
branch_hunt_on(struct branch_hunt *hunt, int64_t bound,
	       const int64_t *multiplier)
{
	struct branch_places places;

	if (branch_cuts(hunt->best, bound, hunt->key) ||
	    !branch_look(hunt, multiplier, &places))
		return;
	for (int i = 0; i < places.count; i++) {
		int count = places.place[i].decisions;

		for (int j = 0; j < count; j++)
			hunt->decision[hunt->decisions++] =
				places.place[i].decision[j];
		branch_hunt_on(hunt, places.place[i].bound, places.multiplier);
		hunt->decisions -= count;
	}
}

/* A hunt whose incumbent no other hunt sees. */
struct lone_branch {
	struct branch_hunt hunt; /* first: found casts it */
	struct stn_incumbent best;
	struct branch_tour tour;
	uint64_t trees;
};

static void
lone_found(struct branch_hunt *hunt, int64_t length)
{
	struct lone_branch *lone = (struct lone_branch *)hunt;

	lone->best.value = lone->tour.length = length;
	onetree_order(&hunt->tree, lone->tour.order);
}

static void
lone_look(struct branch_hunt *hunt, int trees)
{
	((struct lone_branch *)hunt)->trees += (uint64_t)trees;
}

struct branch_tour
branch_search(const struct onetree_graph *graph, int64_t bound,
	      const int64_t *multiplier, uint64_t *trees_p)
{
	struct lone_branch lone;

	lone.hunt.graph = graph;
	lone.hunt.decisions = 0;
	lone.hunt.key = 0;
	lone.hunt.best = &lone.best;
	lone.hunt.found = lone_found;
	lone.hunt.look = lone_look;
	lone.best = (struct stn_incumbent){ .value = graph->limit };
	lone.tour = (struct branch_tour){ .length = graph->limit };
	lone.trees = 0;
	branch_hunt_on(&lone.hunt, bound, multiplier);
	*trees_p = lone.trees;
	return lone.tour;
}
