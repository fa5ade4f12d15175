/*
 * section.h: reads those parts of a TSPLIB file that are numbers. Only tsplib.c
 * uses it. All functions return false, with a line in the words' why, if the
 * text has another format.
 */
#ifndef TSP_SECTION_H
#define TSP_SECTION_H

#include "apps/tsp/tsplib.h"
#include "apps/words.h"

/* The part of the distance matrix that a file has, row by row. */
struct section_format {
	const char *name;
	bool lower, upper, diagonal;
};

/* section_distances: reads the matrix of @tsp->cities cities into @tsp. */
bool section_distances(struct words *words, const struct section_format *format,
		       struct tsplib *tsp);

/* section_points: reads each city's coordinates, in any order of cities. */
bool section_points(struct words *words, int cities,
		    struct tsplib_point *points);

#endif
