/*
 * problem.h: set covering problems: which of some sets cover all elements at
 * the lowest cost. Read from files in OR-Library's format, or made at random.
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
	uint64_t elements[SETCOVER_WORDS]; /* a bit for each it has */
	int32_t cost;			   /* from 1 on */
	int32_t number;			   /* in the file, from 1 on */
};

/* Every element is in one of the sets. */
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
 * setcover_parse: reads a problem from @bytes bytes of @text, in OR-Library's
 * format of scp41 and others: the numbers of elements and of sets, the cost of
 * each set, and for each element in how many sets it is, and in which.
 * @path  the file's name, for what is said in @why
 * Returns false, with a line in @why, for anything else; @problem is then
 * undefined.
 */
bool setcover_parse(const char *path, const char *text, size_t bytes,
		    struct setcover *problem, struct app_why *why);

/* setcover_read: setcover_parse of a file; fails also if it can't be read. */
bool setcover_read(const char *path, struct setcover *problem,
		   struct app_why *why);

/* setcover_write: the other way; false, with a line in @why, if it fails. */
bool setcover_write(const char *path, const struct setcover *problem,
		    struct app_why *why);

/*
 * setcover_generate: sets that have each element with a chance of @percent,
 * and one of them each element that would otherwise be in none; all cost 1.
 */
void setcover_generate(struct setcover *problem, int elements, int sets,
		       int percent, uint64_t seed);

#endif
