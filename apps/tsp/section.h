/*
 * section.h: the parts of a TSPLIB file that are numbers. Inside tsplib.c's
 * reach only. All of it returns false with the words' why filled in.
 */
#ifndef TSP_SECTION_H
#define TSP_SECTION_H

#include "apps/tsp/tsplib.h"
#include "apps/words.h"

/* Which part of the distance matrix a file lists, row by row. */
struct section_format {
	const char *name;
	bool lower, upper, diagonal;
};

/* section_distances: the matrix of @tsp->cities cities. */
bool section_distances(struct words *words, const struct section_format *format,
		       struct tsplib *tsp);

/* section_points: cities and coordinates, each city once, in any order. */
bool section_points(struct words *words, int cities,
		    struct tsplib_point *points);

#endif
