/*
 * maxsat.c: which candidates can be left out as branches, by reasoning about
 * colour classes (C. M. Li and Z. Quan, "An efficient branch-and-bound
 * algorithm based on MaxSAT for the maximum clique problem", AAAI 2010).
 *
 * As many classes as @floor are made, each without edges. A clique of one more
 * vertex than that must have a vertex of each class, if it has one other
 * vertex. Suppose that it has the vertex v, which is in no class: all that
 * aren't neighbours of v are lost. If a class has one vertex left, the clique
 * must have that one, too, and more vertices are lost. If a class has none
 * left, that is a conflict: v and the classes that it followed from have one
 * vertex of a clique less than there are classes and v. So v is no branch.
 * These classes are used: they are part of no other conflict.
 *
 * In two cases a conflict uses no classes: v has no neighbours in a class, and
 * joins it; or it has one, w, which has none in another class. Then w moves
 * there, and v takes its place (E. Tomita's Re-NUMBER).
 */
#include "apps/clique/search.h"

#define NONE UINT16_MAX

struct maxsat {
	const struct clique_graph *graph;
	int words, classes;
	uint64_t *sets;	 /* a set for each class */
	uint64_t *open;	 /* the vertices of classes that aren't used */
	uint64_t *alive; /* those of them that aren't lost */
	uint16_t *class_of, *reason; /* of a vertex; the reason: which vertex
				      * made it lost */
	uint16_t *size, *left; /* of a class: its vertices, and those alive */
	uint16_t *used, *list; /* of classes */
	int listed;
};

size_t
clique_maxsat_bytes(const struct clique_graph *graph, int candidates)
{
	size_t words = (size_t)graph->words, n = (size_t)candidates;
	size_t numbers = 2 * (size_t)graph->vertices + 4 * n;

	return (n + 3) * words * sizeof(uint64_t) +
	       (numbers + 3) / 4 * 4 * sizeof(uint16_t);
}

/* The state has the sets first, and room for @candidates classes. */
static struct maxsat
begin(const struct clique_graph *graph, int candidates, uint64_t *work)
{
	struct maxsat state = { .graph = graph, .words = graph->words };
	int words = graph->words;

	state.open = work;
	state.alive = work + words;
	state.sets = work + 3 * words;
	state.class_of = (uint16_t *)(state.sets + candidates * words);
	state.reason = state.class_of + graph->vertices;
	state.size = state.reason + graph->vertices;
	state.left = state.size + candidates;
	state.used = state.left + candidates;
	state.list = state.used + candidates;
	return state;
}

static uint64_t *
set_of(const struct maxsat *state, int class)
{
	return state->sets + class * state->words;
}

/* Moves vertices from @rest into a new class, and makes it open. */
static void
make_class(struct maxsat *state, uint64_t *rest)
{
	int class = state->classes++, words = state->words;
	uint64_t *set = set_of(state, class), *alive = state->alive;

	memset(set, 0, (size_t)words * sizeof(*set));
	clique_copy(alive, rest, words);
	state->size[class] = state->used[class] = 0;
	for (int i = 0; i < words; i++) {
		while (alive[i]) {
			int vertex = 64 * i + __builtin_ctzll(alive[i]);
			const uint64_t *row = clique_row(state->graph, vertex);

			clique_put(set, vertex);
			state->class_of[vertex] = (uint16_t) class;
			state->size[class]++;
			alive[i] &= alive[i] - 1;
			for (int j = i; j < words; j++)
				alive[j] &= ~row[j];
		}
	}
	for (int i = 0; i < words; i++) {
		rest[i] &= ~set[i];
		state->open[i] |= set[i];
	}
}

/*
 * Makes all lost that aren't neighbours of the vertex. Lists the classes that
 * have one vertex left. Returns a class that has none, or NONE.
 */
static int
choose_vertex(struct maxsat *state, int vertex)
{
	const uint64_t *row = clique_row(state->graph, vertex);
	uint64_t lost;

	state->reason[vertex] = NONE;
	for (int i = 0; i < state->words; i++) {
		lost = state->alive[i] & ~row[i];
		state->alive[i] ^= lost;
		for (; lost; lost &= lost - 1) {
			int other = 64 * i + __builtin_ctzll(lost);
			int class = state->class_of[other];

			state->reason[other] = (uint16_t)vertex;
			if (!--state->left[class])
				return class;
			if (state->left[class] == 1)
				state->list[state->listed++] = (uint16_t) class;
		}
	}
	return NONE;
}

/* Takes the only vertex of the class that isn't lost. */
static int
take_only(struct maxsat *state, int class)
{
	const uint64_t *set = set_of(state, class);
	int i = 0, vertex;

	while (!(set[i] & state->alive[i]))
		i++;
	vertex = 64 * i + __builtin_ctzll(set[i] & state->alive[i]);
	clique_take(state->alive, vertex);
	return vertex;
}

static void
begin_search(struct maxsat *state)
{
	clique_copy(state->alive, state->open, state->words);
	memcpy(state->left, state->size,
	       (size_t)state->classes * sizeof(*state->left));
	state->listed = 0;
	for (int i = 0; i < state->classes; i++)
		if (state->size[i] == 1 && !state->used[i])
			state->list[state->listed++] = (uint16_t)i;
}

/* Returns a class that has no vertex left if the clique has @vertex, or NONE.
 */
static int
find_conflict(struct maxsat *state, int vertex)
{
	int empty;

	begin_search(state);
	empty = choose_vertex(state, vertex);
	for (int i = 0; empty == NONE && i < state->listed; i++)
		empty = choose_vertex(state, take_only(state, state->list[i]));
	return empty;
}

/* Lists the classes that made the class's vertices lost, if the list lacks
 * them.
 */
static void
list_reasons(struct maxsat *state, int class, int vertex)
{
	const uint64_t *set = set_of(state, class);

	for (int i = 0; i < state->words; i++) {
		for (uint64_t bits = set[i]; bits; bits &= bits - 1) {
			int lost = 64 * i + __builtin_ctzll(bits);
			int by = state->reason[lost];

			if (by == NONE || by == vertex ||
			    state->used[state->class_of[by]])
				continue;
			state->used[state->class_of[by]] = 1;
			state->list[state->listed++] = state->class_of[by];
		}
	}
}

/* Lists the classes of a conflict, and marks them as used. */
static void
list_conflict(struct maxsat *state, int empty, int vertex)
{
	state->listed = 1;
	state->list[0] = (uint16_t)empty;
	state->used[empty] = 1;
	for (int i = 0; i < state->listed; i++)
		list_reasons(state, state->list[i], vertex);
}

static void
join_class(struct maxsat *state, int class, int vertex)
{
	clique_put(set_of(state, class), vertex);
	clique_put(state->open, vertex);
	state->class_of[vertex] = (uint16_t) class;
	state->size[class]++;
	state->used[class] = 0;
}

/* The only neighbour of @vertex in the class, or NONE if there are more. */
static int
only_neighbour(const struct maxsat *state, int class, int vertex)
{
	const uint64_t *row = clique_row(state->graph, vertex);
	const uint64_t *set = set_of(state, class);
	int only = NONE;

	for (int i = 0; i < state->words; i++) {
		uint64_t both = set[i] & row[i];

		if (!both)
			continue;
		if (only != NONE || both & (both - 1))
			return NONE;
		only = 64 * i + __builtin_ctzll(both);
	}
	return only;
}

/* Re-NUMBER, for a conflict of two classes. Returns whether it is possible. */
static bool
exchange(struct maxsat *state, int empty, int other, int vertex)
{
	int only = only_neighbour(state, other, vertex);

	if (only == NONE ||
	    clique_meet(set_of(state, empty), clique_row(state->graph, only),
			state->words))
		return false;
	clique_take(set_of(state, other), only);
	state->size[other]--;
	join_class(state, empty, only);
	join_class(state, other, vertex);
	return true;
}

/* Returns whether the vertex needs to be no branch. */
static bool
is_absorbed(struct maxsat *state, int vertex)
{
	int empty = find_conflict(state, vertex);

	if (empty == NONE)
		return false;
	list_conflict(state, empty, vertex);
	if (state->listed == 1) {
		join_class(state, empty, vertex);
		return true;
	}
	if (state->listed == 2 &&
	    exchange(state, empty, state->list[1], vertex))
		return true;
	for (int i = 0; i < state->listed; i++) {
		const uint64_t *set = set_of(state, state->list[i]);

		for (int j = 0; j < state->words; j++)
			state->open[j] &= ~set[j];
	}
	return true;
}

int
clique_maxsat_branches(const struct clique_graph *graph,
		       const uint64_t *candidates, int floor,
		       struct clique_branch *to, uint64_t *work)
{
	int words = graph->words, count = 0;
	struct maxsat state =
		begin(graph, clique_count(candidates, words), work);
	uint64_t *rest = work + 2 * words;

	if (floor < 1 || floor >= graph->vertices)
		return clique_colour_branches(graph, candidates, floor, to,
					      work);
	memset(state.open, 0, (size_t)words * sizeof(*state.open));
	clique_copy(rest, candidates, words);
	while (state.classes < floor && !clique_none(rest, words))
		make_class(&state, rest);
	for (int i = 0; i < words; i++) {
		for (; rest[i]; rest[i] &= rest[i] - 1) {
			int vertex = 64 * i + __builtin_ctzll(rest[i]);

			if (is_absorbed(&state, vertex))
				continue;
			count++;
			to[count - 1] = (struct clique_branch){
				(uint16_t)vertex, (uint16_t)(floor + count)
			};
		}
	}
	return count;
}
