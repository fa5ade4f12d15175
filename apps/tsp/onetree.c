#include "apps/tsp/onetree.h"

#include <string.h>

/*
 * Required edges cost so much less that each 1-tree has them. An edge costs
 * less than 2^40, and a multiplier is less than MULTIPLIER_MOST; so sums over
 * all cities stay below 2^58.
 */
#define REQUIRED (INT64_C(1) << 47)
#define MULTIPLIER_MOST (INT64_C(1) << 43)

_Static_assert(ONETREE_CITIES <= 128, "cities are bytes, and sums don't wrap");
_Static_assert((int64_t)TSPLIB_DISTANCE_MOST * ONETREE_UNIT < INT64_C(1) << 40,
	       "an edge costs less than 2^40");

static void
clear_cities(struct onetree *tree)
{
	for (int i = 0; i < tree->cities; i++) {
		tree->needs[i] = tree->open[i] = 0;
		tree->end[i] = i;
		for (int j = 0; j < tree->cities; j++)
			tree->cost[i][j] = ONETREE_FORBIDDEN;
	}
}

void
onetree_begin(struct onetree *tree, const struct onetree_graph *graph)
{
	tree->graph = graph;
	tree->cities = graph->cities;
	tree->required = 0;
	clear_cities(tree);
	for (int32_t i = 0; i < graph->edges; i++) {
		int a = graph->edge[i].a, b = graph->edge[i].b;

		tree->cost[a][b] = tree->cost[b][a] =
			(int64_t)graph->edge[i].length * ONETREE_UNIT;
		tree->open[a]++;
		tree->open[b]++;
	}
}

static bool
is_forbidden(const struct onetree *tree, int a, int b)
{
	return tree->cost[a][b] == ONETREE_FORBIDDEN;
}

/* A tour has the last two edges of a city. */
static bool
require_last_two(struct onetree *tree, int city)
{
	if (tree->open[city] != 2)
		return tree->open[city] > 2;
	for (int i = 0; i < tree->cities; i++)
		if (i != city && !is_forbidden(tree, city, i) &&
		    !onetree_require(tree, city, i))
			return false;
	return true;
}

bool
onetree_forbid(struct onetree *tree, int a, int b)
{
	if (is_forbidden(tree, a, b))
		return true;
	if (onetree_is_required(tree, a, b))
		return false;
	tree->cost[a][b] = tree->cost[b][a] = ONETREE_FORBIDDEN;
	tree->open[a]--;
	tree->open[b]--;
	return require_last_two(tree, a) && require_last_two(tree, b);
}

static bool
forbid_others(struct onetree *tree, int city)
{
	if (tree->needs[city] < 2)
		return true;
	for (int i = 0; i < tree->cities; i++)
		if (i != city && !onetree_is_required(tree, city, i) &&
		    !onetree_forbid(tree, city, i))
			return false;
	return true;
}

bool
onetree_require(struct onetree *tree, int a, int b)
{
	int first = tree->end[a], last = tree->end[b];

	if (is_forbidden(tree, a, b) || onetree_is_required(tree, a, b))
		return !is_forbidden(tree, a, b);
	if (tree->needs[a] == 2 || tree->needs[b] == 2 ||
	    (first == b && tree->required < tree->cities - 1))
		return false;
	tree->cost[a][b] = tree->cost[b][a] -= REQUIRED;
	tree->needs[a]++;
	tree->needs[b]++;
	tree->required++;
	tree->end[first] = last;
	tree->end[last] = first;
	/* The edge between the ends of a path would close a shorter circle. */
	if (tree->required < tree->cities - 1 && (first != a || last != b) &&
	    !onetree_forbid(tree, first, last))
		return false;
	return forbid_others(tree, a) && forbid_others(tree, b);
}

static void
add_edge(struct onetree *tree, int a, int b)
{
	tree->degree[a]++;
	tree->degree[b]++;
	tree->length += onetree_edge_cost(tree, a, b);
}

/* Finds the three cities to which the edges of city 0 are the cheapest. */
static void
find_home(struct onetree *tree)
{
	int64_t cost[3];
	int count = 0, at;

	for (int i = 1; i < tree->cities; i++) {
		int64_t here = onetree_edge_cost(tree, 0, i);

		if (count == 3 && here >= cost[2])
			continue;
		at = count < 3 ? count++ : 2;
		for (; at > 0 && here < cost[at - 1]; at--) {
			cost[at] = cost[at - 1];
			tree->home[at] = tree->home[at - 1];
		}
		cost[at] = here;
		tree->home[at] = i;
	}
}

/* The cities that Prim's algorithm has yet to reach. */
struct fringe {
	int count;
	int city[ONETREE_CITIES];
	int64_t cost[ONETREE_CITIES]; /* by place: of the cheapest edge */
	int from[ONETREE_CITIES];     /* by place: where it comes from */
};

/* The tree has reached city @at. Returns the place of the nearest city. */
static int
find_nearest(struct onetree *tree, struct fringe *fringe, int at)
{
	const int64_t *row = tree->cost[at], own = tree->multiplier[at];
	int64_t least = INT64_MAX;
	int nearest = 0;

	for (int i = 0; i < fringe->count; i++) {
		int city = fringe->city[i];
		int64_t cost = row[city] + tree->multiplier[city] + own;

		if (cost < fringe->cost[i]) {
			fringe->cost[i] = cost;
			fringe->from[i] = at;
		}
		if (fringe->cost[i] < least) {
			least = fringe->cost[i];
			nearest = i;
		}
	}
	return nearest;
}

static void
begin_fringe(struct onetree *tree, struct fringe *fringe)
{
	fringe->count = tree->cities - 2;
	for (int i = 0; i < fringe->count; i++) {
		fringe->city[i] = i + 2;
		fringe->cost[i] = INT64_MAX;
	}
}

/* A spanning tree of all cities but 0. */
static bool
span(struct onetree *tree)
{
	struct fringe fringe;
	int at = 1;

	begin_fringe(tree, &fringe);
	tree->depth[1] = 0;
	tree->parent[1] = 0;
	while (fringe.count) {
		int place = find_nearest(tree, &fringe, at), last;

		at = fringe.city[place];
		tree->parent[at] = fringe.from[place];
		tree->depth[at] = tree->depth[tree->parent[at]] + 1;
		if (fringe.cost[place] > ONETREE_FORBIDDEN / 2)
			return false;
		add_edge(tree, at, tree->parent[at]);
		last = --fringe.count;
		fringe.city[place] = fringe.city[last];
		fringe.cost[place] = fringe.cost[last];
		fringe.from[place] = fringe.from[last];
	}
	return true;
}

bool
onetree_grow(struct onetree *tree)
{
	tree->length = 0;
	for (int i = 0; i < tree->cities; i++) {
		tree->length -= 2 * tree->multiplier[i];
		tree->degree[i] = 0;
	}
	if (!span(tree))
		return false;
	find_home(tree);
	add_edge(tree, 0, tree->home[0]);
	add_edge(tree, 0, tree->home[1]);
	if (tree->length > ONETREE_FORBIDDEN / 2)
		return false;
	tree->length += tree->required * REQUIRED;
	return true;
}

bool
onetree_is_tour(const struct onetree *tree)
{
	for (int i = 0; i < tree->cities; i++)
		if (tree->degree[i] != 2)
			return false;
	return true;
}

static bool
has_edge(const struct onetree *tree, int a, int b)
{
	if (!a || !b)
		return a + b == tree->home[0] || a + b == tree->home[1];
	return tree->parent[a] == b || tree->parent[b] == a;
}

void
onetree_order(const struct onetree *tree, uint8_t *order)
{
	bool up = tree->home[0] < tree->home[1];
	int before = 0, at = tree->home[up ? 0 : 1];

	order[0] = 0;
	for (int i = 1; i < tree->cities; i++) {
		int next = 1;

		order[i] = (uint8_t)at;
		while (next < tree->cities &&
		       (next == before || next == at ||
			!has_edge(tree, at, next)))
			next++;
		before = at;
		at = next;
	}
}

/* The square of the distance of the degrees from those of a tour. */
static int64_t
irregularity(const struct onetree *tree)
{
	int64_t sum = 0;

	for (int i = 0; i < tree->cities; i++)
		sum += (tree->degree[i] - 2) * (tree->degree[i] - 2);
	return sum;
}

/*
 * The size of a step is that of B. T. Polyak (1969): if the limit were the
 * length of the shortest tour, a scale of 1 would be safe. Part of the step
 * goes on in the direction of the step before.
 */
void
onetree_step(struct onetree *tree, int scale, int *last)
{
	int64_t gap = tree->graph->limit * ONETREE_UNIT - tree->length;
	int64_t size = gap * scale / (ONETREE_UNIT * irregularity(tree)) + 1;

	for (int i = 0; i < tree->cities; i++) {
		int64_t excess = 7 * (tree->degree[i] - 2) + 3 * (last[i] - 2);
		int64_t to = tree->multiplier[i] + size * excess / 10;

		if (to < MULTIPLIER_MOST && to > -MULTIPLIER_MOST)
			tree->multiplier[i] = to;
		last[i] = tree->degree[i];
	}
}

/* An edge outside of the tree can replace any edge of the circle it closes. */
static void
note_replacement(const struct onetree *tree, int a, int b, int64_t *penalty)
{
	int64_t cost = onetree_edge_cost(tree, a, b);

	while (a != b) {
		int *low = tree->depth[a] > tree->depth[b] ? &a : &b;

		if (cost < penalty[*low])
			penalty[*low] = cost;
		*low = tree->parent[*low];
	}
}

void
onetree_penalties(const struct onetree *tree, int64_t *penalty)
{
	const struct onetree_graph *graph = tree->graph;

	for (int i = 0; i < tree->cities; i++)
		penalty[i] = ONETREE_FORBIDDEN;
	for (int32_t i = 0; i < graph->edges; i++) {
		int a = graph->edge[i].a, b = graph->edge[i].b;

		if (a && !is_forbidden(tree, a, b) && !has_edge(tree, a, b))
			note_replacement(tree, a, b, penalty);
	}
	for (int i = 2; i < tree->cities; i++)
		penalty[i] -= onetree_edge_cost(tree, i, tree->parent[i]);
}
