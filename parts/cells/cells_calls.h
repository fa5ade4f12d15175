/*
 * cells_calls.h: what the calls of <sateen_cells.h> share. They run on a worker
 * of the caller's node, without a lock.
 */
#ifndef STN_PARTS_CELLS_CALLS_H
#define STN_PARTS_CELLS_CALLS_H

#include "parts/cells/cells.h"

/*
 * stn_cells_check: ends the run if the array may not be used, or is a grid, or
 * its records do not have @record bytes; @record 0: any number.
 * stn_cells_operate: lets all nodes do an operation without a kernel, and
 * blocks until they have.
 * stn_cells_issue: makes a plan, and returns its serial. stn_cells_plan: also
 * carries out the operation that needs the plan.
 * stn_cells_pass: if the body of STN_MAIN runs again, and the next operation
 * that it made before has no kernel and is @what with this @argument (NULL:
 * none), leaves that operation out, and returns true.
 * stn_cells_hold: until stn_cells_let_go, the parts don't return to an earlier
 * version: the caller reads the tree.
 */
void stn_cells_check(const struct stn_frame *frame,
		     const struct stn_parts *array, uint32_t record);
void stn_cells_operate(struct stn_frame *frame, struct stn_parts *array,
		       uint8_t what, struct stn_cells_order argument);
bool stn_cells_pass(struct stn_frame *frame, struct stn_parts *array,
		    uint8_t what, const struct stn_cells_order *argument);
void stn_cells_hold(struct stn_frame *frame, struct stn_parts *array);
void stn_cells_let_go(struct stn_frame *frame, struct stn_parts *array);
uint32_t stn_cells_issue(struct stn_frame *frame, struct stn_parts *array,
			 uint8_t what, const struct stn_cube *cube,
			 const void *payload, size_t bytes);
uint32_t stn_cells_plan(struct stn_frame *frame, struct stn_parts *array,
			uint8_t what, const struct stn_cube *cube,
			const void *payload, size_t bytes);

#endif
