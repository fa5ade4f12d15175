/*
 * fuzz_dimacs.c: arbitrary bytes are either a graph as dimacs.h promises, or
 * are refused with one line.
 */
#include <stdlib.h>
#include <string.h>

#include "apps/clique/dimacs.h"
#include "tests/fuzz/fuzz.h"

static void
check_graph(const struct clique_graph *graph)
{
	require(graph->vertices >= 1 &&
		graph->vertices <= CLIQUE_VERTICES_MOST);
	for (int i = 0; i < graph->vertices; i++) {
		const uint64_t *row = clique_row(graph, i);

		require(!clique_has(row, i));
		for (int j = 0; j < 64 * graph->words; j++)
			require(!clique_has(row, j) ||
				(j < graph->vertices &&
				 clique_has(clique_row(graph, j), i)));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct app_why why = { "" };
	struct clique_graph *graph =
		dimacs_parse("input", (const char *)data, size, &why);

	/* Large graphs would take most of the time. */
	if (graph && graph->vertices <= 128)
		check_graph(graph);
	if (!graph)
		require(!strncmp(why.text, "input:", 6) &&
			!strchr(why.text, '\n'));
	free(graph);
	return 0;
}
