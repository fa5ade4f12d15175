/*
 * problem.h: 0/1 knapsack problems. A choice takes each item once or not at
 * all. It fits if, by each measure, the weights of its items are within the
 * room. The problem is to find the choice with the highest value. Problems are
 * read from files in OR-Library's format, or made at random.
 */
#ifndef KNAPSACK_PROBLEM_H
#define KNAPSACK_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "apps/app.h"

#define KNAPSACK_ITEMS_MOST 64
#define KNAPSACK_MEASURES_MOST 10
#define KNAPSACK_WEIGHT_MOST 100000000
#define KNAPSACK_VALUE_MOST 100000000
#define KNAPSACK_UNIT 1000 /* values are stored in thousandths */
#define KNAPSACK_PROBLEMS_MOST 1000

struct knapsack_item {
	int64_t value; /* 0 or more */
	int64_t load;  /* see knapsack_sort */
	int32_t weight[KNAPSACK_MEASURES_MOST];
	int32_t number; /* place in the file, from 1 on */
};

/* A problem. Without pointers, so that it can be a buffer. */
struct knapsack {
	int32_t items, measures;
	int32_t room[KNAPSACK_MEASURES_MOST];
	int64_t factor[KNAPSACK_MEASURES_MOST]; /* see knapsack_sort */
	struct knapsack_item item[KNAPSACK_ITEMS_MOST];
};

/* knapsack_bytes: the bytes of a problem up to its last item. */
static inline size_t
knapsack_bytes(const struct knapsack *problem)
{
	return offsetof(struct knapsack, item) +
	       (size_t)problem->items * sizeof(*problem->item);
}

/*
 * knapsack_parse: reads problem @number from @text, which has @bytes bytes in
 * OR-Library's format of mknap1: the number of problems, and for each problem
 * the numbers of items and of measures, the best value (0 if unknown), the
 * values of the items, for each measure the weights of the items, and the room
 * by each measure. Leaves loads and factors to knapsack_sort().
 * @path  the file's name, for complaints
 * @best_p  receives the best value in thousandths, or 0
 * Returns false, with a line in @why, if any problem of the text has another
 * format, or if there is no problem @number.
 */
bool knapsack_parse(const char *path, const char *text, size_t bytes,
		    long number, struct knapsack *problem, int64_t *best_p,
		    struct app_why *why);

/*
 * knapsack_read: like knapsack_parse, for a file. Also fails if the file can't
 * be read.
 */
bool knapsack_read(const char *path, long number, struct knapsack *problem,
		   int64_t *best_p, struct app_why *why);

/*
 * knapsack_generate: makes a random problem. Weights are from 1 to 1000. An
 * item's value is 100 more than the mean of its weights. The room is half of
 * the sum of all weights. Problems with values like these are hard (Pisinger,
 * "Where are the hard knapsack problems?", 2005: strongly correlated).
 */
void knapsack_generate(struct knapsack *problem, int items, int measures,
		       uint64_t seed);

#endif
