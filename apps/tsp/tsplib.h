/*
 * tsplib.h: travelling salesman problems, made at random or read from files in
 * TSPLIB's format (G. Reinelt, "TSPLIB 95", 1995).
 *
 * It reads this part of the format: TYPE TSP with EDGE_WEIGHT_TYPE EXPLICIT
 * (FULL_MATRIX, UPPER_ROW, LOWER_ROW, UPPER_DIAG_ROW, LOWER_DIAG_ROW), EUC_2D,
 * CEIL_2D, GEO or ATT.
 */
#ifndef TSP_TSPLIB_H
#define TSP_TSPLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/app.h"

#define TSPLIB_CITIES_MOST 128
#define TSPLIB_DISTANCE_MOST 1000000000
#define TSPLIB_COORDINATE_MOST 100000000

/* TSPLIB's rules for distances. Explicit distances are in the file. */
enum tsplib_rule {
	TSPLIB_EXPLICIT,
	TSPLIB_EUC_2D,
	TSPLIB_CEIL_2D,
	TSPLIB_GEO,
	TSPLIB_ATT
};

struct tsplib_point {
	double x, y;
};

/*
 * A problem: from 2 to TSPLIB_CITIES_MOST cities, and the distances between
 * them, symmetric and from 0 to TSPLIB_DISTANCE_MOST.
 */
struct tsplib {
	char name[64]; /* printable ASCII */
	int cities;
	int32_t distance[TSPLIB_CITIES_MOST][TSPLIB_CITIES_MOST];
};

/*
 * tsplib_parse: reads a problem from @text, which has @bytes bytes. @path is
 * the name of the file, for error messages. If the text has another format,
 * returns false and writes the file, the line and the error to @why; @tsp is
 * undefined.
 */
bool tsplib_parse(const char *path, const char *text, size_t bytes,
		  struct tsplib *tsp, struct app_why *why);

/*
 * tsplib_read: like tsplib_parse, for a file. Also fails if the file can't be
 * read.
 */
bool tsplib_read(const char *path, struct tsplib *tsp, struct app_why *why);

/*
 * tsplib_measure: sets all distances of @tsp, between its @points, by a rule
 * other than TSPLIB_EXPLICIT. Coordinates are from -TSPLIB_COORDINATE_MOST to
 * TSPLIB_COORDINATE_MOST.
 */
void tsplib_measure(struct tsplib *tsp, enum tsplib_rule rule,
		    const struct tsplib_point *points);

/*
 * tsplib_generate: makes @cities cities at random points of a square of 1000 by
 * 1000, with distances by TSPLIB_EUC_2D.
 */
void tsplib_generate(struct tsplib *tsp, int cities, uint64_t seed);

#endif
