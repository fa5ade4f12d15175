/*
 * problem.h: set covering problems: find the sets that together have all
 * elements at the lowest cost. Problems are read from files in OR-Library's
 * format, or made at random.
 */
#ifndef SETCOVER_PROBLEM_H
#define SETCOVER_PROBLEM_H

#include <stdint.h>
#include <stdio.h>

#include "apps/app.h"

#define SETCOVER_ELEMENTS_MOST 256
#define SETCOVER_SETS_MOST 640
#define SETCOVER_COST_MOST 1000000
#define SETCOVER_WORDS (SETCOVER_ELEMENTS_MOST / 64)

struct setcover_set {
	uint64_t elements[SETCOVER_WORDS]; /* a bit for each element */
	int32_t cost;			   /* 1 or more */
	int32_t number;			   /* place in the file, from 1 */
};

/* A problem. Every element is in at least one set. */
struct setcover {
	int32_t elements, sets;
	struct setcover_set set[SETCOVER_SETS_MOST];
};

static inline bool
setcover_has(const struct setcover_set *set, int element)
{
	return set->elements[element / 64] >> element % 64 & 1;
}

/*
 * setcover_parse: reads a problem from @text, which has @bytes bytes in
 * OR-Library's format of scp41 and others: the numbers of elements and of sets,
 * the cost of each set, and for each element the number of sets that have it
 * and their numbers. @path  the file's name, for complaints Returns false, with
 * a line in @why, if the text has another format; then @problem is undefined.
 */
bool setcover_parse(const char *path, const char *text, size_t bytes,
		    struct setcover *problem, struct app_why *why);

/*
 * setcover_read: like setcover_parse, for a file. Also fails if the file can't
 * be read.
 */
bool setcover_read(const char *path, struct setcover *problem,
		   struct app_why *why);

/*
 * setcover_write: writes a problem in that format. Returns false, with a line
 * in @why, if the file can't be written.
 */
bool setcover_write(const char *path, const struct setcover *problem,
		    struct app_why *why);

/*
 * setcover_generate: makes a random problem. A set has each element with a
 * probability of @percent. An element that is in no set is added to one. All
 * sets cost 1.
 */
void setcover_generate(struct setcover *problem, int elements, int sets,
		       int percent, uint64_t seed);

#endif
