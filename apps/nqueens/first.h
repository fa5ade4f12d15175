/*
 * first.h: the first way to place N queens, by tasks that share the first way
 * so far: a task ends as soon as an earlier way is known.
 */
#ifndef NQUEENS_FIRST_H
#define NQUEENS_FIRST_H

#include <sateen.h>

#include "apps/nqueens/queens.h"

#define FIRST_DEPTH_MOST 12 /* rows whose columns fit into a place */

/*
 * first_shared: the first way in lexicographic order. The first @depth rows, at
 * most FIRST_DEPTH_MOST, are tasks.
 */
struct placement first_shared(STN_FRAME, long n, int depth);

/* first_alone: the same, by one search that ends with the first way. */
struct placement first_alone(STN_FRAME, long n);

#endif
