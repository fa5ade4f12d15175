#include <stdlib.h>

#include "apps/clique/place.h"
#include "apps/clique/solve.h"

struct shared_hunt {
	struct clique_hunt hunt; /* first: the functions below cast it */
	struct stn_frame *frame;
	struct stn_bound most;
};

static void
shared_found(struct clique_hunt *hunt, int size)
{
	struct shared_hunt *shared = (struct shared_hunt *)hunt;
	STN_FRAME = shared->frame;

	STN_IMPROVE(shared->most, size, hunt->key, hunt->chosen,
		    (size_t)hunt->graph->words * sizeof(*hunt->chosen));
}

static void
shared_look(struct clique_hunt *hunt)
{
	STN_FRAME = ((struct shared_hunt *)hunt)->frame;

	STN_POLL(CLIQUE_LOOK);
}

/* Rows of places, one after the other in memory. */
#define ROWS(row, count, words)                                                \
	STN_IN_ROWS(row, (uint32_t)(count), (uint32_t)(words),                 \
		    (uint32_t)(words))

STN_TASK_VOID_FORWARD(grow, struct stn_const, graph, struct stn_in, rows,
		      struct stn_bound, most, struct clique_place, first);

/* Searches one place: its branches are tasks, or it is searched at once. */
static void
grow_place(STN_FRAME, struct stn_const graph, const uint64_t *row,
	   struct stn_bound most, struct clique_place place)
{
	struct shared_hunt shared = { .hunt = { .graph = STN_CONST_AT(graph),
						.best = STN_BOUND_AT(most),
						.found = shared_found,
						.look = shared_look },
				      .frame = stn_frame,
				      .most = most };
	const struct clique_graph *all = shared.hunt.graph;
	struct clique_split split;

	if (clique_is_cut(&shared.hunt, row, &place))
		return;
	if (!clique_splits(all, row, &place)) {
		clique_search_place(&shared.hunt, row, &place);
		STN_WORK(shared.hunt.places % CLIQUE_LOOK);
		return;
	}
	STN_WORK(1);
	split = clique_split(&shared.hunt, row, &place);
	if (!place.depth)
		STN_PROGRESS(0, (uint64_t)split.count);
	if (split.count)
		STN_CALL(grow, graph,
			 ROWS(split.rows, split.count, clique_row_words(all)),
			 most, split.first);
	free(split.rows);
}

/*
 * Searches some places that are below the same place. It spawns the later half,
 * so a thief gets many places at once: the later a place, the smaller its
 * search.
 */
STN_TASK_BODY(void, grow, struct stn_const, graph, struct stn_in, rows,
	      struct stn_bound, most, struct clique_place, first)
{
	int count = (int)rows.rows, later = count / 2;
	int words = (int)(rows.row_bytes / sizeof(uint64_t));
	const uint64_t *row = rows.at;

	if (count == 1) {
		grow_place(STN_PASS_FRAME, graph, row, most, first);
		STN_PROGRESS(first.depth == 1, 0);
		return;
	}
	STN_SPAWN(grow, graph, ROWS(row, later, words), most,
		  clique_later(first, count - later));
	STN_CALL(grow, graph,
		 ROWS(row + (ptrdiff_t)later * words, count - later, words),
		 most, first);
	STN_SYNC(grow);
}

struct clique_best
clique_shared(STN_FRAME, struct clique_graph *graph, bool guesses,
	      struct show *show)
{
	struct stn_bound most = STN_BOUND_MAX(graph->rules.limit);
	struct shared_hunt guess = { .hunt = { .graph = graph,
					       .found = shared_found },
				     .frame = stn_frame,
				     .most = most };
	uint64_t row[CLIQUE_ROW_MOST];
	struct clique_place start;
	struct clique_best best = { 0 };

	show->bytes = (size_t)graph->words * sizeof(uint64_t);
	show_begin(STN_PASS_FRAME, show, most);
	if (guesses)
		graph->rules.limit = clique_guess(&guess.hunt);
	start = clique_start(graph, row);
	STN_CALL(grow, STN_CONST(graph, clique_graph_bytes(graph)),
		 ROWS(row, 1, clique_row_words(graph)), most, start);
	show_end(show);
	STN_PROGRESS_END();
	best.size = (int)STN_BEST(most, best.chosen, show->bytes);
	return best;
}
