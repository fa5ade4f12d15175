/*
 * plan.h: what all nodes need before an operation on cells: the questions of a
 * cut, the leaves of a tree, or the brief summaries of all branches. It takes
 * the way of a command, with a payload; the operation itself waits on each node
 * until its plan is there (service.c). Net lock held.
 */
#ifndef STN_PARTS_PLAN_H
#define STN_PARTS_PLAN_H

#include "parts/cells.h"

/*
 * stn_plan_issue: the caller has made a plan, with the payload @store, which it
 * gives away. Returns its serial.
 * stn_plan_take: a plan arrives. STN_MALFORMED.
 * stn_plan_again: on the root, after a view: all nodes get the newest plans.
 * stn_plan_is_here: whether the plan is here that the order needs.
 */
uint32_t stn_plan_issue(struct stn_parts *array, uint32_t what,
			const struct stn_cube *cube, struct stn_block *store);
STN_CHECKED enum stn_err stn_plan_take(struct stn_parts *array,
				       const struct stn_message *message,
				       const struct stn_parts_plan *header);
void stn_plan_again(struct stn_parts *array);
bool stn_plan_is_here(const struct stn_parts *array,
		      const struct stn_parts_operate *order);

#endif
