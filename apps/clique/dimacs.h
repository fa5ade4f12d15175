/*
 * dimacs.h: graphs in DIMACS's ascii format. A file has lines "c comment", one
 * line "p edge VERTICES EDGES" (or "p col ..."), and after it as many lines
 * "e VERTEX VERTEX" as the graph has edges. Vertices are numbers from 1 on. An
 * edge may be there once for each of its directions, as in files of graphs to
 * colour; EDGES counts either the edges or the lines.
 */
#ifndef CLIQUE_DIMACS_H
#define CLIQUE_DIMACS_H

#include "apps/clique/graph.h"

/*
 * dimacs_parse: reads a graph from @text, which has @bytes bytes. @path is the
 * file's name, for complaints. Returns a graph of 1 to CLIQUE_VERTICES_MOST
 * vertices, which the caller frees. If the text has another format, returns
 * NULL and writes the file, the line and the error to @why.
 */
struct clique_graph *dimacs_parse(const char *path, const char *text,
				  size_t bytes, struct app_why *why);

/*
 * dimacs_read: like dimacs_parse, for a file. Also fails if the file can't be
 * read.
 */
struct clique_graph *dimacs_read(const char *path, struct app_why *why);

#endif
