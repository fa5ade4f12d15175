/*
 * view.h: all cells that the evaluation of one part sees, as one tree: the top,
 * made of the roots of far cells, and the octets of the part itself and of the
 * parts next to it.
 */
#ifndef FMM_VIEW_H
#define FMM_VIEW_H

#include "apps/fmm/cells.h"

struct seen_cell {
	const struct fmm_body *bodies; /* NULL for a far cell */
	uint32_t count;		       /* 0 for a cell without particles */
	int32_t octet;		       /* of the view, or NO_OCTET */
	bool mine; /* has particles whose fields are computed */
};

struct seen_octet {
	struct fmm_place parent;
	const double *charges;
	struct seen_cell child[LANES];
	const char *spectrum; /* if the caller has it */
};

struct view {
	const struct fmm_plan *plan;
	const struct fmm_space *space;
	struct seen_cell root;
	struct seen_octet *octets;
	uint32_t count, memory;
	double *charges; /* of the top's octets */
	/*
	 * The octets that have cells of mine are the first @above of the view,
	 * one for each level above the part, and @below ones from @own on.
	 */
	uint32_t above, own, below;
	const struct fmm_body *first, *end; /* whose fields are computed */
};

/* Those particles of a cell whose fields are computed. */
struct targets {
	const struct fmm_body *bodies;
	size_t count;
	size_t first; /* the place of the first one's field */
};

static inline struct targets
view_targets_of(const struct view *view, const struct seen_cell *cell)
{
	const struct fmm_body *first = cell->bodies, *end = first + cell->count;

	first = first < view->first ? view->first : first;
	end = end > view->end ? view->end : end;
	return (struct targets){ first, end > first ? (size_t)(end - first) : 0,
				 (size_t)(first - view->first) };
}

/* targets_of: how many fields the task computes. */
size_t targets_of(const struct fmm_task *task);

/* view_init: 0, or -1. */
int view_init(struct view *view, const struct fmm_plan *plan,
	      const struct fmm_space *space, const struct fmm_task *task);
void view_finish(struct view *view);

/* The number of octets with cells of mine, and the octet number @i of these. */
static inline uint32_t
view_targets(const struct view *view)
{
	return view->above + view->below;
}

static inline uint32_t
view_target(const struct view *view, uint32_t i)
{
	return i < view->above ? i : view->own + i - view->above;
}

/* The reverse of that: an octet's number among those with cells of mine. */
static inline uint32_t
view_target_number(const struct view *view, uint32_t octet)
{
	return octet < view->above ? octet : octet - view->own + view->above;
}

/* places_touch: whether two cells have a common point. */
bool places_touch(struct fmm_place a, struct fmm_place b);

#endif
