/*
 * families.h: graphs that are defined by a few numbers: random ones, and those
 * of DIMACS's second challenge (1993) that are definitions.
 */
#ifndef CLIQUE_FAMILIES_H
#define CLIQUE_FAMILIES_H

#include "apps/clique/graph.h"

/* A family. @text of make is what the command line says: numbers and commas. */
struct clique_family {
	const char *name, *numbers; /* "hamming", "N,D" */
	struct clique_graph *(*make)(const char *text, struct app_why *why);
};

/*
 * The families; the last one has no name. Their functions return a graph that
 * the caller frees, or NULL with a line in @why if the numbers don't define a
 * graph with 1 to CLIQUE_VERTICES_MOST vertices.
 *
 *	random N,P,SEED  N vertices; each two are adjacent with probability P
 *	hamming N,D      words of N bits; adjacent if they differ in at least D
 *	johnson N,W,D    those of these words that have W ones
 *	keller D         the neighbours of 0 in Keller's graph: words of D
 *			 digits from 0 to 3; adjacent if they differ in at least
 *			 two digits, and by 2 (modulo 4) in at least one
 *	mann N           a clique is a way to leave points out of a Steiner
 *			 triple system with N points (9, 27, 45 or 81), so that
 *			 the others hit many triples (C. Mannino)
 */
extern const struct clique_family clique_families[];

#endif
