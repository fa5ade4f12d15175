#include "apps/clique/dimacs.h"

#include <stdlib.h>

#include "apps/words.h"

#define FILE_BYTES_MOST (1 << 27)
#define EDGES_MOST ((long)CLIQUE_VERTICES_MOST * (CLIQUE_VERTICES_MOST - 1))

struct reader {
	struct words words;
	struct clique_graph *graph; /* NULL before the line p */
	long edges, lines;	    /* as the line p says; lines e so far */
};

static bool
take_problem(struct reader *reader)
{
	struct words *words = &reader->words;
	long vertices;

	if (reader->graph)
		return words_fail(words, "a second line p");
	if (!words_next(words) ||
	    (strcmp(words->word, "edge") && strcmp(words->word, "col")))
		return words_fail(words, "the line p must go on with 'edge' or "
					 "'col'");
	if (!words_whole(words, "the number of vertices", 1,
			 CLIQUE_VERTICES_MOST, &vertices) ||
	    !words_whole(words, "the number of edges", 0, EDGES_MOST,
			 &reader->edges))
		return false;
	reader->graph = clique_graph_make((int)vertices);
	return true;
}

static bool
take_edge(struct reader *reader)
{
	struct words *words = &reader->words;
	long a, b, vertices;

	if (!reader->graph)
		return words_fail(words, "an edge before the line p");
	vertices = reader->graph->vertices;
	if (!words_whole(words, "a vertex", 1, vertices, &a) ||
	    !words_whole(words, "a vertex", 1, vertices, &b))
		return false;
	if (a == b)
		return words_fail(words, "an edge from vertex %ld to itself",
				  a);
	clique_join(reader->graph, (int)a - 1, (int)b - 1);
	reader->lines++;
	return true;
}

static bool
take_line(struct reader *reader)
{
	struct words *words = &reader->words;
	bool taken;

	words_next(words);
	if (*words->word == 'c') {
		words_until(words, '\n');
		return true;
	}
	if (!strcmp(words->word, "p"))
		taken = take_problem(reader);
	else if (!strcmp(words->word, "e"))
		taken = take_edge(reader);
	else
		return words_fail(words,
				  "a line must begin with c, p or e, "
				  "not '%s'",
				  words->word);
	return taken && (!words_more_on_line(words) ||
			 words_fail(words, "the line is too long"));
}

static bool
check_complete(struct reader *reader)
{
	struct words *words = &reader->words;
	long edges;

	if (!reader->graph)
		return words_fail(words, "the file has no line p");
	/* If the file were cut within its last number, nothing would tell. */
	if (words->end[-1] > ' ')
		return words_fail(words, "the file ends within a line");
	edges = clique_edges(reader->graph);
	return edges == reader->edges || reader->lines == reader->edges ||
	       words_fail(words, "the line p says %ld edges, but there are %ld",
			  reader->edges, edges);
}

struct clique_graph *
dimacs_parse(const char *path, const char *text, size_t bytes,
	     struct app_why *why)
{
	struct reader reader = { .words = { path, text, text + bytes, why, 1,
					    '\n', "" } };

	while (words_more(&reader.words)) {
		if (!take_line(&reader)) {
			free(reader.graph);
			return NULL;
		}
	}
	if (check_complete(&reader))
		return reader.graph;
	free(reader.graph);
	return NULL;
}

struct clique_graph *
dimacs_read(const char *path, struct app_why *why)
{
	size_t bytes;
	char *text = app_read_file(path, FILE_BYTES_MOST, &bytes, why);
	struct clique_graph *graph =
		text ? dimacs_parse(path, text, bytes, why) : NULL;

	free(text);
	return graph;
}
