/*
 * graph.h: undirected graphs, read from files in the format of LAD (C. Solnon's
 * solver of subgraph isomorphism), or made at random.
 */
#ifndef SIP_GRAPH_H
#define SIP_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/app.h"

#define SIP_VERTICES_MOST 4096

/*
 * A graph. The row of a vertex has a bit for each vertex, which says whether
 * there is an edge; the rows are symmetric, and have @words words each. A
 * vertex may have an edge to itself. sip_graph_fini frees the rows.
 */
struct sip_graph {
	int32_t vertices, words;
	uint64_t *rows;
};

/* sip_graph_has: whether there is an edge between @a and @b. */
static inline bool
sip_graph_has(const struct sip_graph *graph, int a, int b)
{
	return graph->rows[(size_t)a * (size_t)graph->words + (size_t)b / 64] >>
		       b % 64 &
	       1;
}

/*
 * sip_graph_parse: reads a graph from @text, which has @bytes bytes: the number
 * of vertices, and for each vertex its degree and its neighbours, which are
 * numbers from 0 on. Each edge stands at both of its vertices. @path is the
 * file's name, for complaints.
 * sip_graph_read: the same, for a file.
 * Both return false, with a line in @why, if the text has another format, if
 * the file can't be read, or if there is no memory; then @graph is undefined,
 * and nothing is to be freed.
 */
bool sip_graph_parse(const char *path, const char *text, size_t bytes,
		     struct sip_graph *graph, struct app_why *why);
bool sip_graph_read(const char *path, struct sip_graph *graph,
		    struct app_why *why);

/*
 * sip_graph_random: a graph in which each two vertices have an edge with a
 * probability of @percent.
 * sip_graph_plant: a graph of some random vertices of @from, in random order,
 * and all their edges. @vertices is at most that of @from.
 * Both return false, with a line in @why, if there is no memory.
 */
bool sip_graph_random(struct sip_graph *graph, int vertices, int percent,
		      uint64_t seed, struct app_why *why);
bool sip_graph_plant(struct sip_graph *graph, const struct sip_graph *from,
		     int vertices, uint64_t seed, struct app_why *why);

/* sip_graph_fini: frees the rows. */
void sip_graph_fini(struct sip_graph *graph);

#endif
