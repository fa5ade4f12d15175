#include "apps/fmm/view.h"

#include <stdlib.h>
#include <string.h>

#define ROOT_SLOT UINT32_MAX

static struct seen_cell *
cell_at(struct view *view, uint32_t slot)
{
	return slot == ROOT_SLOT
		       ? &view->root
		       : &view->octets[slot / LANES].child[slot % LANES];
}

/* Appends an octet without cells; returns its number, or -1. */
static int32_t
add_octet(struct view *view, struct fmm_place parent)
{
	struct seen_octet *octet;

	if (view->count == view->memory) {
		uint32_t memory = 2 * view->memory + 64;
		void *more = realloc(view->octets, memory * sizeof *octet);

		if (!more)
			return -1;
		view->octets = more;
		view->memory = memory;
	}
	octet = &view->octets[view->count];
	memset(octet, 0, sizeof *octet);
	octet->parent = parent;
	for (unsigned c = 0; c < LANES; c++)
		octet->child[c].octet = NO_OCTET;
	return (int32_t)view->count++;
}

static unsigned
lane_of(struct fmm_place place, uint32_t level)
{
	uint32_t shift = place.level - level;

	return (place.x >> shift & 1) | (place.y >> shift & 1) << 1 |
	       (place.z >> shift & 1) << 2;
}

/*
 * Makes the cell at @place and the octets above it, if they don't exist. Sets
 * *slot_p to LANES * octet + child, or ROOT_SLOT.
 */
static int
make_cell(struct view *view, struct fmm_place place, bool mine,
	  uint32_t *slot_p)
{
	uint32_t slot = ROOT_SLOT;

	cell_at(view, slot)->mine |= mine;
	for (uint32_t level = 1; level <= place.level; level++) {
		uint32_t up = place.level - level + 1;
		int32_t octet = cell_at(view, slot)->octet;

		if (octet == NO_OCTET) {
			octet = add_octet(
				view, (struct fmm_place){
					      level - 1, place.x >> up,
					      place.y >> up, place.z >> up });
			if (octet < 0)
				return -1;
			cell_at(view, slot)->octet = octet;
			cell_at(view, slot)->count |= 1;
		}
		slot = LANES * (uint32_t)octet + lane_of(place, level);
		cell_at(view, slot)->mine |= mine;
	}
	*slot_p = slot;
	return 0;
}

/* Appends the octets of a part whose root is in @slot. */
static int
add_part(struct view *view, const struct fmm_part *part, uint32_t slot,
	 bool mine)
{
	const struct fmm_summary *summary = part->summary;
	const struct octet *octets = summary_octets(summary);
	const size_t rows = view->plan->surface.count * LANES;
	const size_t spectrum = plan_spectrum_bytes(view->plan);
	struct seen_cell *root = cell_at(view, slot);
	int32_t first = (int32_t)view->count;

	root->bodies = part->bodies;
	root->count = (uint32_t)fmm_summary_root(summary)->count;
	root->octet = summary->octet_count ? first : NO_OCTET;
	for (uint32_t i = 0; i < summary->octet_count; i++) {
		int32_t number = add_octet(view, octets[i].parent);
		struct seen_octet *to = &view->octets[number];

		if (number < 0)
			return -1;
		to->charges = summary_charges(summary) + i * rows;
		to->spectrum = part->spectra ? (const char *)part->spectra +
						       i * spectrum
					     : NULL;
		for (unsigned c = 0; c < LANES; c++) {
			const struct cell *cell = &octets[i].child[c];

			to->child[c] = (struct seen_cell){
				.bodies = part->bodies + cell->first,
				.count = cell->count,
				.octet = cell->octet == NO_OCTET
						 ? NO_OCTET
						 : cell->octet + first,
				.mine = mine,
			};
			if (mine && !view_targets_of(view, &to->child[c]).count)
				to->child[c].mine = false;
		}
	}
	return 0;
}

/* Copies a root's charges to the top's octet that has the cell. */
static void
put_charges(struct view *view, const struct fmm_root *root, uint32_t slot)
{
	unsigned count = view->plan->surface.count;
	double *rows = view->charges + (size_t)slot / LANES * count * LANES;

	if (slot == ROOT_SLOT)
		return;
	for (unsigned i = 0; i < count; i++)
		rows[i * LANES + slot % LANES] = root->charges[i];
}

/* The cells of level 0 to those of @roots; mine is the first of them. */
static int
make_top(struct view *view, const struct fmm_root **roots, size_t count,
	 uint32_t *slots)
{
	size_t rows = view->plan->surface.count * LANES;

	view->root.octet = NO_OCTET;
	view->above = roots[0]->place.level;
	for (size_t i = 0; i < count; i++) {
		if (make_cell(view, roots[i]->place, i == 0, &slots[i]) < 0)
			return -1;
		cell_at(view, slots[i])->count |= roots[i]->count != 0;
	}
	view->charges = plan_allocate(view->count * rows * sizeof(double));
	if (!view->charges)
		return -1;
	memset(view->charges, 0, view->count * rows * sizeof(double));
	for (size_t i = 0; i < count; i++)
		put_charges(view, roots[i], slots[i]);
	for (uint32_t i = 0; i < view->count; i++)
		view->octets[i].charges = view->charges + i * rows;
	return 0;
}

/* The roots of the task: its own, those of parts next to it, then far ones. */
static void
list_roots(const struct fmm_task *task, const struct fmm_root **roots)
{
	*roots++ = fmm_summary_root(task->own.summary);
	for (size_t i = 0; i < task->near_count; i++)
		*roots++ = fmm_summary_root(task->near[i].summary);
	for (size_t i = 0; i < task->far_count; i++)
		*roots++ = task->far[i];
}

static int
add_parts(struct view *view, const struct fmm_task *task, const uint32_t *slots)
{
	view->own = view->count;
	if (add_part(view, &task->own, slots[0], true) < 0)
		return -1;
	view->below = view->count - view->own;
	for (size_t i = 0; i < task->near_count; i++)
		if (add_part(view, &task->near[i], slots[1 + i], false) < 0)
			return -1;
	return 0;
}

size_t
targets_of(const struct fmm_task *task)
{
	return task->count ? task->count
			   : fmm_summary_root(task->own.summary)->count;
}

int
view_init(struct view *view, const struct fmm_plan *plan,
	  const struct fmm_space *space, const struct fmm_task *task)
{
	size_t count = 1 + task->near_count + task->far_count;
	const struct fmm_root **roots = malloc(count * sizeof *roots);
	uint32_t *slots = malloc(count * sizeof *slots);
	int status = -1;

	*view = (struct view){ .plan = plan,
			       .space = space,
			       .first = task->own.bodies + task->first };
	view->end = view->first + targets_of(task);
	if (roots && slots) {
		list_roots(task, roots);
		if (make_top(view, roots, count, slots) == 0)
			status = add_parts(view, task, slots);
	}
	free(roots);
	free(slots);
	return status;
}

void
view_finish(struct view *view)
{
	free(view->octets);
	free(view->charges);
}
