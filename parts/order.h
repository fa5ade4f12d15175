/*
 * order.h: what kinds of operations there are, for versions and for a history
 * that is repeated after a death.
 */
#ifndef STN_PARTS_ORDER_H
#define STN_PARTS_ORDER_H

#include "parts/wire.h"

/*
 * stn_order_blocks: how much the operation raises the version of each part, if
 * a block of the array has @block sweeps.
 * stn_order_changes: whether the operation changes parts, or what nodes know of
 * them, but no version. A copy of that version, which was made before, lacks
 * the change.
 * stn_order_fits: whether the operation is one for cells (@cells), or else one
 * for grids.
 * stn_order_ends_call: whether the operation is the last one of a call that
 * changes parts of cells. A call may consist of several operations.
 */
uint64_t stn_order_blocks(const struct stn_parts_operate *order,
			  uint32_t block);
bool stn_order_changes(const struct stn_parts_operate *order);
bool stn_order_fits(const struct stn_parts_operate *order, bool cells);
bool stn_order_ends_call(const struct stn_parts_operate *order);

/*
 * stn_cells_order: the argument of an operation on cells without a kernel.
 * stn_cells_plan_of: the serial of the plan that an operation on cells needs, or
 * 0.
 */
struct stn_cells_order stn_cells_order(const struct stn_parts_operate *order);
uint32_t stn_cells_plan_of(const struct stn_parts_operate *order);

#endif
