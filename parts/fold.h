/*
 * fold.h: sums and maxima over all parts of an array, with the same bits
 * wherever the parts are.
 *
 * The numbers of the parts are the leaves of a binary tree: a fold of level l
 * and index i is the value of parts i * 2^l to (i + 1) * 2^l - 1, as far as
 * they exist. Two neighbours of one level become one fold of the next. So nodes
 * may join their folds in any order, and always get the value of the whole
 * tree.
 */
#ifndef STN_PARTS_FOLD_H
#define STN_PARTS_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"

struct stn_fold {
	uint32_t level, index;
	double value;
};

/* Folds that don't overlap, in the order of their parts. */
struct stn_folds {
	struct stn_fold *folds;
	size_t count, room;
};

/*
 * stn_folds_add: adds a fold. Folds that can be joined are joined later.
 * STN_NO_MEMORY.
 * stn_folds_join: joins what can be joined, of an array of @parts parts.
 * @largest: the maximum instead of the sum.
 * stn_folds_fini: frees all.
 */
STN_CHECKED enum stn_err stn_folds_add(struct stn_folds *folds,
				       struct stn_fold fold);
void stn_folds_join(struct stn_folds *folds, uint32_t parts, bool largest);
void stn_folds_fini(struct stn_folds *folds);

#endif
