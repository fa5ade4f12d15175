#include <stdlib.h>
#include <string.h>

#include "apps/fmm/walk.h"

static size_t
rows_bytes(const struct view *view)
{
	return view_targets(view) * (size_t)view->plan->surface.count * LANES *
	       sizeof(double);
}

static void
clear(struct local *local)
{
	const struct view *view = local->view;
	size_t targets = view_targets(view);

	for (size_t i = 0; i < targets; i++)
		for (unsigned n = 0; n < NEIGHBOURS; n++)
			local->near[i][n] = view->count;
	if (!local->count_only)
		memset(local->rows, 0, rows_bytes(view));
}

int
local_init(struct local *local, const struct view *view,
	   struct fmm_field *fields, bool count_only)
{
	const struct surface *s = &view->plan->surface;
	size_t targets = view_targets(view);
	size_t most = view->root.count;

	*local = (struct local){ .view = view,
				 .fields = fields,
				 .count_only = count_only };
	for (uint32_t i = 0; i < view->above; i++)
		for (unsigned c = 0; c < LANES; c++)
			if (view->octets[i].child[c].mine)
				most = view->octets[i].child[c].count;
	local->stride = (most + LANES - 1) / LANES * LANES;
	local->near = malloc(targets * sizeof *local->near);
	local->rows = plan_allocate(count_only ? 0 : rows_bytes(view));
	local->lanes = plan_allocate(7 * local->stride * sizeof(double));
	local->surface = plan_allocate(s->padded * sizeof *local->surface);
	local->column = plan_allocate(s->padded * sizeof(double));
	if (!local->near || !local->rows || !local->lanes || !local->surface ||
	    !local->column)
		return -1;
	clear(local);
	return 0;
}

void
local_finish(struct local *local)
{
	free(local->near);
	free(local->rows);
	free(local->lanes);
	free(local->surface);
	free(local->column);
}

void
local_begin(struct local *local, const struct fmm_body *bodies, size_t count)
{
	size_t padded = (count + LANES - 1) / LANES * LANES;
	double *x = local->lanes, *y = x + local->stride;
	double *z = y + local->stride, *sums = z + local->stride;

	for (size_t i = 0; i < padded; i++) {
		const struct fmm_body *body = &bodies[i < count ? i : 0];

		x[i] = body->x;
		y[i] = body->y;
		z[i] = body->z;
	}
	for (int i = 0; i < 4; i++)
		memset(sums + i * local->stride, 0, padded * sizeof *sums);
	local->points = (struct points){ x, y, z, count };
}

void
local_add(struct local *local, const struct fmm_body *bodies, size_t count)
{
	const struct fmm_plan *plan = local->view->plan;

	plan->wide->fields(plan->exact, &local->points, bodies, count,
			   local->lanes + 3 * local->stride, local->stride);
}

void
local_end(struct local *local, struct fmm_field *fields, double potential,
	  double gradient)
{
	const double *sums = local->lanes + 3 * local->stride;

	for (size_t i = 0; i < local->points.count; i++) {
		fields[i].potential += potential * sums[i];
		fields[i].x += gradient * sums[i + local->stride];
		fields[i].y += gradient * sums[i + 2 * local->stride];
		fields[i].z += gradient * sums[i + 3 * local->stride];
	}
}
