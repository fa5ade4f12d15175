/*
 * fuzz_sip.c: arbitrary bytes are either a graph as graph.h promises, or are
 * refused with one line.
 */
#include <string.h>

#include "apps/sip/graph.h"
#include "tests/fuzz/fuzz.h"

static void
check_graph(const struct sip_graph *graph)
{
	require(graph->vertices >= 1 && graph->vertices <= SIP_VERTICES_MOST);
	require(graph->words == (graph->vertices + 63) / 64);
	for (int a = 0; a < graph->vertices; a++) {
		for (int b = 0; b < a; b++)
			require(sip_graph_has(graph, a, b) ==
				sip_graph_has(graph, b, a));
		for (int b = graph->vertices; b < graph->words * 64; b++)
			require(!sip_graph_has(graph, a, b));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct app_why why = { "" };
	struct sip_graph graph;

	if (sip_graph_parse("input", (const char *)data, size, &graph, &why)) {
		check_graph(&graph);
		sip_graph_fini(&graph);
	} else
		require(!strncmp(why.text, "input:", 6) &&
			!strchr(why.text, '\n'));
	return 0;
}
