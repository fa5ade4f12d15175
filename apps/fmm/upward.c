/*
 * upward.c: from the particles of cells to charges on their inner surfaces, and
 * from those of children to their parents'. Both first compute potentials on
 * the outer surface, and then the charges that have these potentials.
 */
#include <stdlib.h>
#include <string.h>

#include "apps/fmm/cells.h"
#include "apps/fmm/upward.h"

/* Memory for one thread. */
struct scratch {
	double *rows, *product; /* surface.count rows of LANES */
	double *column;		/* surface.padded */
	struct fmm_body *bodies;
};

static int
scratch_init(struct scratch *scratch, const struct fmm_plan *plan,
	     size_t bodies)
{
	size_t rows = plan->surface.padded * LANES * sizeof(double);

	scratch->rows = plan_allocate(rows);
	scratch->product = plan_allocate(rows);
	scratch->column = plan_allocate(plan->surface.padded * sizeof(double));
	scratch->bodies = plan_allocate(bodies * sizeof *scratch->bodies);
	return scratch->rows && scratch->product && scratch->column &&
			       scratch->bodies
		       ? 0
		       : -1;
}

static void
scratch_finish(struct scratch *scratch)
{
	free(scratch->rows);
	free(scratch->product);
	free(scratch->column);
	free(scratch->bodies);
}

void
bodies_to_unit(const struct fmm_space *space, struct fmm_place place,
	       const struct fmm_body *bodies, size_t count, struct fmm_body *to)
{
	double centre[3], scale = 1 / place_half(space, place);

	place_centre(space, place, centre);
	for (size_t i = 0; i < count; i++)
		to[i] = (struct fmm_body){
			(bodies[i].x - centre[0]) * scale,
			(bodies[i].y - centre[1]) * scale,
			(bodies[i].z - centre[2]) * scale,
			bodies[i].charge,
		};
}

static void
put_column(const struct fmm_plan *plan, const double *column, double *rows,
	   unsigned lane)
{
	for (unsigned i = 0; i < plan->surface.count; i++)
		rows[i * LANES + lane] = column[i];
}

/* The potentials of a cell's particles on its outer surface. */
static void
cell_outward(const struct fmm_plan *plan, const struct fmm_space *space,
	     struct fmm_place place, const struct fmm_body *bodies,
	     size_t count, struct scratch *scratch, double *rows, unsigned lane)
{
	bodies_to_unit(space, place, bodies, count, scratch->bodies);
	plan->wide->potentials(plan->exact, &plan->outer, scratch->bodies,
			       count, scratch->column);
	put_column(plan, scratch->column, rows, lane);
}

/* The potentials of an octet's charges on its parent's outer surface. */
static void
octet_outward(const struct fmm_plan *plan, const double *charges,
	      struct scratch *scratch, double *rows, unsigned lane)
{
	const struct surface *s = &plan->surface;

	memcpy(scratch->rows, charges,
	       s->count * LANES * sizeof *scratch->rows);
	plan->wide->mirror(&s->symmetry, scratch->rows);
	plan->wide->multiply(plan->to_parent, s->count, s->count, scratch->rows,
			     scratch->product);
	plan->wide->mirror(&s->symmetry, scratch->product);
	for (unsigned i = 0; i < s->count; i++) {
		const double *row = scratch->product + i * LANES;

		rows[i * LANES + lane] =
			((row[0] + row[1]) + (row[2] + row[3])) +
			((row[4] + row[5]) + (row[6] + row[7]));
	}
}

/* From potentials around one cell, in lane 0 of scratch->rows, to charges. */
static void
root_charges(const struct fmm_plan *plan, struct scratch *scratch,
	     double *charges)
{
	plan_charges(plan, scratch->rows, scratch->product);
	for (unsigned i = 0; i < plan->surface.count; i++)
		charges[i] = scratch->rows[i * LANES];
}

static void
clear_rows(const struct fmm_plan *plan, double *rows)
{
	memset(rows, 0, plan->surface.count * LANES * sizeof *rows);
}

struct fmm_root *
summary_root(struct fmm_summary *summary)
{
	return (struct fmm_root *)(summary + 1);
}

/* Potentials around the octet's undivided children; then all charges. */
static void
octet_charges(const struct fmm_plan *plan, const struct fmm_space *space,
	      const struct octet *octet, const struct fmm_body *bodies,
	      struct scratch *scratch, double *charges)
{
	for (unsigned c = 0; c < LANES; c++) {
		const struct cell *cell = &octet->child[c];

		if (cell->octet == NO_OCTET && cell->count)
			cell_outward(plan, space, place_child(octet->parent, c),
				     bodies + cell->first, cell->count, scratch,
				     charges, c);
	}
	plan_charges(plan, charges, scratch->product);
}

static void
all_charges(const struct fmm_plan *plan, const struct fmm_space *space,
	    struct fmm_summary *summary, const struct fmm_body *bodies,
	    struct scratch *scratch)
{
	size_t size = plan->surface.count * LANES;
	struct fmm_root *root = summary_root(summary);
	double *charges = (double *)((char *)summary + summary->charges_at);
	const struct octet *octets = summary_octets(summary);

	memset(charges, 0, summary->octet_count * size * sizeof *charges);
	for (uint32_t i = summary->octet_count; i-- > 0;) {
		double *mine = charges + i * size;
		int32_t above = octets[i].above;

		octet_charges(plan, space, &octets[i], bodies, scratch, mine);
		if (above >= 0)
			octet_outward(plan, mine, scratch,
				      charges + above / LANES * size,
				      (unsigned)above % LANES);
	}
	if (summary->octet_count) {
		octet_outward(plan, charges, scratch, scratch->rows, 0);
	} else {
		clear_rows(plan, scratch->rows);
		cell_outward(plan, space, root->place, bodies, root->count,
			     scratch, scratch->rows, 0);
	}
	root_charges(plan, scratch, root->charges);
}

size_t
fmm_root_bytes(const struct fmm_plan *plan)
{
	return sizeof(struct fmm_root) + plan->surface.count * sizeof(double);
}

size_t
fmm_summary_bytes(const struct fmm_summary *summary)
{
	return summary->bytes;
}

const struct fmm_root *
fmm_summary_root(const struct fmm_summary *summary)
{
	return (const struct fmm_root *)(summary + 1);
}

static size_t
padded(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

/* A summary without charges; NULL if memory is exhausted. */
static struct fmm_summary *
summary_allocate(const struct fmm_plan *plan, struct fmm_place place,
		 size_t count, const struct octet *octets, uint32_t octet_count)
{
	size_t at = padded(sizeof(struct fmm_summary) + fmm_root_bytes(plan));
	size_t charges_at = padded(at + octet_count * sizeof *octets);
	size_t bytes = charges_at + octet_count * plan->surface.count * LANES *
					    sizeof(double);
	struct fmm_summary *summary = plan_allocate(bytes);

	if (!summary)
		return NULL;
	memset(summary, 0, charges_at);
	*summary =
		(struct fmm_summary){ bytes, at, charges_at, octet_count, 0 };
	*summary_root(summary) = (struct fmm_root){ place, count };
	if (octet_count)
		memcpy((char *)summary + at, octets,
		       octet_count * sizeof *octets);
	return summary;
}

int
fmm_summarise(const struct fmm_plan *plan, const struct fmm_space *space,
	      struct fmm_place place, const struct fmm_body *bodies,
	      size_t count, struct fmm_summary **summary_p)
{
	struct octet *octets;
	struct fmm_summary *summary = NULL;
	struct scratch scratch;
	uint32_t octet_count;

	if (cells_build(plan, space, place, bodies, count, &octets,
			&octet_count) < 0)
		return -1;
	if (scratch_init(&scratch, plan, count) == 0)
		summary = summary_allocate(plan, place, count, octets,
					   octet_count);
	if (summary) {
		all_charges(plan, space, summary, bodies, &scratch);
		*summary_p = summary;
	}
	scratch_finish(&scratch);
	free(octets);
	return summary ? 0 : -1;
}

int
fmm_combine(const struct fmm_plan *plan, struct fmm_place place,
	    const struct fmm_root *const *children, size_t count,
	    struct fmm_root *root)
{
	struct scratch scratch;
	double *rows;

	if (scratch_init(&scratch, plan, 0) < 0) {
		scratch_finish(&scratch);
		return -1;
	}
	*root = (struct fmm_root){ .place = place };
	rows = plan_allocate(plan->surface.count * LANES * sizeof *rows);
	if (!rows) {
		scratch_finish(&scratch);
		return -1;
	}
	clear_rows(plan, rows);
	for (size_t i = 0; i < count; i++) {
		struct fmm_place at = children[i]->place;

		put_column(plan, children[i]->charges, rows,
			   (at.x & 1) | (at.y & 1) << 1 | (at.z & 1) << 2);
		root->count += children[i]->count;
	}
	octet_outward(plan, rows, &scratch, scratch.rows, 0);
	root_charges(plan, &scratch, root->charges);
	free(rows);
	scratch_finish(&scratch);
	return 0;
}
