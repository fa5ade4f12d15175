/*
 * plan.h: what all nodes need before an operation on cells: the questions of a
 * cut, the leaves of a tree, or the brief summaries of all branches. It goes to
 * the root, which sends it down the tree, with a payload, before the first
 * operation that needs it. Each node keeps it (plans.h); an operation waits
 * there until its plan has come (service.c), and makes use of it when it begins.
 * Net lock held.
 */
#ifndef STN_PARTS_PLAN_H
#define STN_PARTS_PLAN_H

#include "parts/cells/cells.h"

/*
 * stn_plan_issue: the caller has made a plan, with the payload @store, which it
 * gives away. Returns its serial.
 * stn_plan_resend: the root is another one: it gets the plan that this node has
 * issued last.
 * stn_plan_take: a plan arrives. STN_MALFORMED.
 * stn_plan_provide: on the root: the operation is to be sent: before it, all
 * nodes get its plan, if they haven't got it in this view. If nodes are gone
 * that a cut names as homes, the root chooses other ones first.
 * stn_plan_teach: on the root: node @to, which has joined, gets all plans.
 * stn_plan_is_here: whether the plan is here that the order needs.
 * stn_plan_use: the array's operation begins: it gets its plan.
 * stn_plan_cut: the newest cut is the one of that plan. stn_plan_briefs: the
 * brief summaries are those of that plan, if they belong to the tree.
 */
uint32_t stn_plan_issue(struct stn_parts *array, uint32_t what,
			const struct stn_cube *cube, struct stn_block *store);
void stn_plan_resend(struct stn_parts *array);
STN_CHECKED enum stn_err stn_plan_take(struct stn_parts *array,
				       const struct stn_message *message,
				       const struct stn_parts_plan *header);
void stn_plan_provide(struct stn_parts *array,
		      struct stn_parts_operate *order);
void stn_plan_teach(struct stn_parts *array, uint32_t to);
bool stn_plan_is_here(const struct stn_parts *array,
		      const struct stn_parts_operate *order);
void stn_plan_use(struct stn_parts *array);
void stn_plan_cut(struct stn_parts *array, const struct stn_plan *plan);
void stn_plan_briefs(struct stn_parts *array, const struct stn_plan *plan);

#endif
