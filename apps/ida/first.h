/*
 * first.h: the first of the shortest solutions, in the order in which the
 * search tries moves: up, left, right, down. Tasks share the first solution so
 * far, and end as soon as an earlier one is known.
 */
#ifndef IDA_FIRST_H
#define IDA_FIRST_H

#include <sateen.h>

#include "apps/ida/puzzle.h"

#define FIRST_DEPTH_MOST 31 /* moves that fit into a key */

struct first_solution {
	int32_t moves;
	uint8_t move[PUZZLE_MOVES_MOST];
};

/*
 * first_shared: the first of the shortest solutions. The first @depth moves, at
 * most FIRST_DEPTH_MOST, are tasks.
 * first_alone: the same, by one search.
 */
struct first_solution first_shared(STN_FRAME, struct puzzle puzzle, int depth);
struct first_solution first_alone(STN_FRAME, struct puzzle puzzle);

#endif
