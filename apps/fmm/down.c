/* down.c: from potentials on cells' inner surfaces to particles. */
#include "apps/fmm/down.h"

#include <stdlib.h>
#include <string.h>

#include "apps/fmm/upward.h"

struct going {
	struct local *local;
	double *product, *rows; /* of one octet */
	struct fmm_body *unit;	/* of one cell */
};

/* Charges on the outer surface of child @c act on its particles. */
static void
on_particles(struct going *going, const struct seen_octet *octet, unsigned c,
	     const double *charges)
{
	struct local *local = going->local;
	const struct view *view = local->view;
	const struct points *outer = &view->plan->outer;
	const struct seen_cell *cell = &octet->child[c];
	struct targets targets = view_targets_of(view, cell);
	struct fmm_place place = place_child(octet->parent, c);
	double scale = 1 / place_half(view->space, place);

	bodies_to_unit(view->space, place, targets.bodies, targets.count,
		       going->unit);
	for (size_t i = 0; i < outer->count; i++)
		local->surface[i] = (struct fmm_body){
			outer->x[i],
			outer->y[i],
			outer->z[i],
			charges[i * LANES + c],
		};
	local_begin(local, going->unit, targets.count);
	local_add(local, local->surface, outer->count);
	local_end(local, local->fields + targets.first, scale, scale * scale);
}

/* Charges on the outer surface of child @c act on its children's inner ones. */
static void
on_children(struct going *going, const struct seen_octet *octet, unsigned c,
	    const double *charges)
{
	struct local *local = going->local;
	const struct view *view = local->view;
	const struct fmm_plan *plan = view->plan;
	const struct symmetry *symmetry = &plan->surface.symmetry;
	size_t count = plan->surface.count;
	uint32_t target =
		view_target_number(view, (uint32_t)octet->child[c].octet);
	double *to = local->rows + target * count * LANES;

	for (size_t i = 0; i < count; i++)
		for (unsigned k = 0; k < LANES; k++)
			going->rows[i * LANES + k] = charges[i * LANES + c];
	plan->wide->mirror(symmetry, going->rows);
	plan->wide->multiply(plan->to_child, count, count, going->rows,
			     going->product);
	plan->wide->mirror(symmetry, going->product);
	for (size_t i = 0; i < count * LANES; i++)
		to[i] += going->product[i];
}

static void
finish_octet(struct going *going, uint32_t target)
{
	struct local *local = going->local;
	const struct view *view = local->view;
	const struct seen_octet *octet =
		&view->octets[view_target(view, target)];
	double *rows = local->rows +
		       (size_t)target * view->plan->surface.count * LANES;

	plan_outer(view->plan, rows, going->product);
	for (unsigned c = 0; c < LANES; c++) {
		const struct seen_cell *cell = &octet->child[c];

		if (!cell->mine || !cell->count)
			continue;
		if (cell->octet == NO_OCTET)
			on_particles(going, octet, c, rows);
		else
			on_children(going, octet, c, rows);
	}
}

int
down_finish(struct local *local)
{
	const struct view *view = local->view;
	size_t rows = view->plan->surface.padded * LANES * sizeof(double);
	struct going going = { .local = local };
	int status = -1;

	going.product = plan_allocate(rows);
	going.rows = plan_allocate(rows);
	going.unit = plan_allocate(local->stride * sizeof *going.unit);
	if (going.product && going.rows && going.unit) {
		for (uint32_t i = 0; i < view_targets(view); i++)
			finish_octet(&going, i);
		status = 0;
	}
	free(going.product);
	free(going.rows);
	free(going.unit);
	return status;
}
