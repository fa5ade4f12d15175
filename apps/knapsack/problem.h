/*
 * problem.h: 0/1 knapsack problems: which items, each taken once or not, are
 * worth most and fit in, by all of one or several measures. Read from files in
 * OR-Library's format, or made at random.
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
#define KNAPSACK_UNIT 1000 /* values are counted in thousandths */
#define KNAPSACK_PROBLEMS_MOST 1000

struct knapsack_item {
	int64_t value; /* from 0 on */
	int64_t load;  /* a sum of its weights: see knapsack_sort */
	int32_t weight[KNAPSACK_MEASURES_MOST];
	int32_t number; /* in the file, from 1 on */
};

/* Without pointers, so that it can travel. */
struct knapsack {
	int32_t items, measures;
	int32_t room[KNAPSACK_MEASURES_MOST];
	int64_t factor[KNAPSACK_MEASURES_MOST]; /* of a weight in a load */
	struct knapsack_item item[KNAPSACK_ITEMS_MOST];
};

/* knapsack_bytes: of a problem, without the items that aren't there. */
static inline size_t
knapsack_bytes(const struct knapsack *problem)
{
	return offsetof(struct knapsack, item) +
	       (size_t)problem->items * sizeof(*problem->item);
}

/*
 * knapsack_parse: reads problem @number of those in @bytes bytes of @text, in
 * OR-Library's format of mknap1: how many problems there are, and for each the
 * numbers of items and of measures, the best value, 0 if unknown, the items'
 * values, for each measure the items' weights, and what room there is. Loads
 * and factors are left for knapsack_sort().
 * @path  the file's name, for what is said in @why
 * @best_p  the best value, in thousandths, or 0
 * Returns false, with a line in @why, for anything else; all problems are
 * looked at.
 */
bool knapsack_parse(const char *path, const char *text, size_t bytes,
		    long number, struct knapsack *problem, int64_t *best_p,
		    struct app_why *why);

/* knapsack_read: knapsack_parse of a file; fails also if it can't be read. */
bool knapsack_read(const char *path, long number, struct knapsack *problem,
		   int64_t *best_p, struct app_why *why);

/*
 * knapsack_generate: items whose weights are from 1 to 1000, and whose value
 * is 100 more than the mean of their weights; there is room for half of all.
 * Such values make problems hard (Pisinger, "Where are the hard knapsack
 * problems?", 2005: strongly correlated).
 */
void knapsack_generate(struct knapsack *problem, int items, int measures,
		       uint64_t seed);

#endif
