#include "apps/clique/search.h"

#include <stdlib.h>

int
clique_colour_branches(const struct clique_graph *graph,
		       const uint64_t *candidates, int floor,
		       struct clique_branch *to, uint64_t *work)
{
	int words = graph->words, first = 0, count = 0, colour = 1;
	uint64_t *rest = work, *open = work + words;

	if (floor >= graph->vertices)
		return 0;
	clique_copy(rest, candidates, words);
	for (;; colour++) {
		while (first < words && !rest[first])
			first++;
		if (first == words)
			return count;
		clique_copy(open + first, rest + first, words - first);
		for (int i = first; i < words; i++) {
			while (open[i]) {
				int bit = __builtin_ctzll(open[i]);
				int vertex = 64 * i + bit;
				const uint64_t *row = clique_row(graph, vertex);

				rest[i] ^= 1ull << bit;
				open[i] &= open[i] - 1;
				for (int j = i; j < words; j++)
					open[j] &= ~row[j];
				if (colour > floor)
					to[count++] = (struct clique_branch){
						(uint16_t)vertex,
						(uint16_t)colour
					};
			}
		}
	}
}

void
clique_found(struct clique_hunt *hunt, int size)
{
	hunt->found(hunt, size);
	if (hunt->best == &hunt->fixed)
		hunt->fixed.value = CLIQUE_VERTICES_MOST; /* ends the search */
}

/* Takes the branches of a place; the level is that of its candidates. */
static void
hunt_below(struct clique_hunt *hunt, struct clique_level *level, int size)
{
	const struct clique_graph *graph = hunt->graph;
	int count, words = graph->words;

	if (!(++hunt->places % CLIQUE_LOOK) && hunt->look)
		hunt->look(hunt);
	count = clique_branches(graph, level->left, clique_floor(hunt) - size,
				level->branch, hunt->work);
	while (count--) {
		struct clique_branch branch = level->branch[count];

		if (size + branch.most <= clique_floor(hunt))
			return;
		clique_put(hunt->chosen, branch.vertex);
		if (clique_common(level[1].left, level->left,
				  clique_row(graph, branch.vertex), words) &&
		    size + 1 < graph->rules.enough)
			hunt_below(hunt, level + 1, size + 1);
		else if (size + 1 > clique_floor(hunt))
			clique_found(hunt, size + 1);
		clique_take(hunt->chosen, branch.vertex);
		clique_take(level->left, branch.vertex);
	}
}

static size_t
work_bytes(const struct clique_graph *graph, int candidates)
{
	return graph->rules.maxsat
		       ? clique_maxsat_bytes(graph, candidates)
		       : 2 * (size_t)graph->words * sizeof(uint64_t);
}

/*
 * Each level has fewer candidates than the one before. All their memory is one
 * piece, so that small searches allocate little.
 */
static void
make_levels(struct clique_hunt *hunt, int candidates)
{
	size_t words = (size_t)hunt->graph->words, n = (size_t)candidates;
	size_t level_bytes = (n + 1) * sizeof(*hunt->levels);
	size_t set_bytes = (n + 1) * words * sizeof(uint64_t);
	size_t branches = n * (n + 1) / 2;
	char *memory = clique_memory(level_bytes + set_bytes +
				     branches * sizeof(struct clique_branch) +
				     work_bytes(hunt->graph, candidates));
	uint64_t *sets = (uint64_t *)(memory + level_bytes);
	struct clique_branch *branch;

	hunt->levels = (struct clique_level *)memory;
	hunt->work = sets + (n + 1) * words;
	branch = (struct clique_branch *)((char *)hunt->work +
					  work_bytes(hunt->graph, candidates));
	for (size_t i = 0; i <= n; i++) {
		hunt->levels[i].left = sets + i * words;
		hunt->levels[i].branch = branch;
		branch += n - i;
	}
}

void
clique_hunt_on(struct clique_hunt *hunt, const uint64_t *candidates, int size)
{
	int words = hunt->graph->words;

	make_levels(hunt, clique_count(candidates, words));
	clique_copy(hunt->levels->left, candidates, words);
	hunt_below(hunt, hunt->levels, size);
	free(hunt->levels);
}

void
clique_hunt_first(struct clique_hunt *hunt, const uint64_t *candidates,
		  int size, int64_t wanted)
{
	const struct stn_incumbent *best = hunt->best;

	hunt->fixed = (struct stn_incumbent){ wanted - 1, 0 };
	hunt->best = &hunt->fixed;
	clique_hunt_on(hunt, candidates, size);
	hunt->best = best;
}
