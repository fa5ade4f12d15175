/*
 * plans.h: the plans that a node keeps, in the order of their serials: all that
 * operations since the last complete version have used, and those that have
 * made the state of that version. After a death the root repeats these
 * operations, and any node may become the root. Net lock held.
 */
#ifndef STN_PARTS_PLANS_H
#define STN_PARTS_PLANS_H

#include "parts/cells/cells.h"

/*
 * stn_plans_find: the plan with that serial, or NULL.
 * stn_plans_last: the last plan; NULL: there is none.
 * stn_plans_add: keeps a plan, if there is none with its serial, or if it is a
 * revised one. Returns the one that is kept; NULL: no memory.
 */
struct stn_plan *stn_plans_find(const struct stn_cells *cells, uint32_t serial);
const struct stn_plan *stn_plans_last(const struct stn_cells *cells);
struct stn_plan *stn_plans_add(struct stn_cells *cells,
			       const struct stn_parts_plan *header,
			       struct stn_block *store);

/* stn_plan_create, _destroy: a plan outside of the list. NULL: no memory. */
struct stn_plan *stn_plan_create(const struct stn_parts_plan *header,
				 struct stn_block *store);
void stn_plan_destroy(struct stn_plan *plan);

/*
 * stn_plans_cut_at: the serial of the plan that had cut the parts in version
 * @version; 0: none. stn_plans_briefs_at: of the brief summaries.
 */
uint32_t stn_plans_cut_at(const struct stn_parts *array, uint64_t version);
uint32_t stn_plans_briefs_at(const struct stn_parts *array, uint64_t version);

/*
 * stn_plans_drop: version @version is complete: if all plans take much memory,
 * forgets those from before that version that it doesn't need.
 * stn_plans_thin: there are no copies of the array: keeps no plan that isn't
 * needed any more.
 * stn_plans_trim: the body of STN_MAIN runs again: forgets plans for operations
 * that aren't in the history, because it may make others.
 * stn_plans_fini: forgets all.
 */
void stn_plans_drop(struct stn_parts *array, uint64_t version);
void stn_plans_thin(struct stn_parts *array);
void stn_plans_trim(struct stn_parts *array);
void stn_plans_fini(struct stn_cells *cells);

#endif
