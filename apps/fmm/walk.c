/*
 * walk.c: from level 0 downwards, each cell of mine gets a list of the cells
 * next to it: those of its own level, and larger ones that aren't divided. The
 * names of the lists are those of the literature:
 *
 *	U  undivided cells next to an undivided one: pairs of particles
 *	V  cells of one level whose parents touch: translations of octets
 *	W  smaller cells that don't touch an undivided cell, in one that does:
 *	   their surface charges act on its particles
 *	X  the reverse of W: particles act on the surface of a smaller cell
 *
 * Where a cell of W or X has few particles, pairs of particles are cheaper.
 */
#include "apps/fmm/upward.h"
#include "apps/fmm/walk.h"

#define NEXT_MOST 27

struct next {
	const struct seen_cell *cell;
	struct fmm_place place;
};

struct list {
	struct next next[NEXT_MOST];
	unsigned count;
};

static void
surface_bodies(struct local *local, struct fmm_place place,
	       const double *charges, size_t step)
{
	const struct view *view = local->view;
	const struct points *inner = &view->plan->inner;
	double centre[3], half = place_half(view->space, place);

	place_centre(view->space, place, centre);
	for (size_t i = 0; i < inner->count; i++)
		local->surface[i] = (struct fmm_body){
			centre[0] + half * inner->x[i],
			centre[1] + half * inner->y[i],
			centre[2] + half * inner->z[i],
			charges[i * step],
		};
}

static bool
few(const struct local *local, const struct seen_cell *cell)
{
	return cell->bodies && cell->count <= local->view->plan->surface.count;
}

static void
act_on_mine(struct local *local, const struct fmm_body *bodies, size_t count,
	    const struct seen_cell *mine)
{
	local->work.pairs +=
		(uint64_t)count * view_targets_of(local->view, mine).count;
	if (!local->count_only)
		local_add(local, bodies, count);
}

/* W: the surface charges of child @c of an octet. */
static void
surface_on_mine(struct local *local, const struct seen_octet *octet, unsigned c,
		const struct seen_cell *mine)
{
	size_t count = local->view->plan->surface.count;

	local->work.surface +=
		(uint64_t)count * view_targets_of(local->view, mine).count;
	if (local->count_only)
		return;
	surface_bodies(local, place_child(octet->parent, c), octet->charges + c,
		       LANES);
	local_add(local, local->surface, count);
}

/* X: some particles act on the inner surface of child @c of an octet. */
static void
some_on_surface(struct local *local, struct fmm_place place,
		const struct fmm_body *bodies, size_t count, double *rows,
		unsigned c)
{
	const struct fmm_plan *plan = local->view->plan;

	bodies_to_unit(local->view->space, place, bodies, count,
		       local->surface);
	plan->wide->potentials(plan->exact, &plan->inner, local->surface, count,
			       local->column);
	for (size_t i = 0; i < plan->inner.count; i++)
		rows[i * LANES + c] += local->column[i];
}

/* X: the same for all particles of a cell. */
static void
bodies_on_surface(struct local *local, const struct next *from, uint32_t octet,
		  unsigned c)
{
	const struct view *view = local->view;
	size_t points = view->plan->inner.count, count = from->cell->count;
	struct fmm_place place = place_child(view->octets[octet].parent, c);
	double *rows =
		local->rows + view_target_number(view, octet) * points * LANES;

	local->work.surface += (uint64_t)points * count;
	if (local->count_only)
		return;
	for (size_t i = 0; i < count; i += points)
		some_on_surface(local, place, from->cell->bodies + i,
				count - i < points ? count - i : points, rows,
				c);
}

static void
far_leaf(struct local *local, const struct next *from, uint32_t octet,
	 unsigned c)
{
	const struct seen_cell *mine = &local->view->octets[octet].child[c];
	struct targets targets = view_targets_of(local->view, mine);

	if (!few(local, mine)) {
		bodies_on_surface(local, from, octet, c);
		return;
	}
	if (!local->count_only)
		local_begin(local, targets.bodies, targets.count);
	act_on_mine(local, from->cell->bodies, from->cell->count, mine);
	if (!local->count_only)
		local_end(local, local->fields + targets.first, 1, 1);
}

/* U and W of one undivided cell of mine, for a cell next to it. */
static void
next_to_leaf(struct local *local, const struct next *mine,
	     const struct next *other)
{
	const struct seen_octet *octet;

	if (other->cell->octet == NO_OCTET) {
		act_on_mine(local, other->cell->bodies, other->cell->count,
			    mine->cell);
		return;
	}
	octet = &local->view->octets[other->cell->octet];
	for (unsigned c = 0; c < LANES; c++) {
		struct next child = { &octet->child[c],
				      place_child(octet->parent, c) };

		if (!child.cell->count)
			continue;
		if (places_touch(child.place, mine->place))
			next_to_leaf(local, mine, &child);
		else if (few(local, child.cell))
			act_on_mine(local, child.cell->bodies,
				    child.cell->count, mine->cell);
		else
			surface_on_mine(local, octet, c, mine->cell);
	}
}

static void
leaf(struct local *local, const struct next *mine, const struct list *list)
{
	struct targets targets = view_targets_of(local->view, mine->cell);

	if (!local->count_only)
		local_begin(local, targets.bodies, targets.count);
	for (unsigned i = 0; i < list->count; i++)
		next_to_leaf(local, mine, &list->next[i]);
	if (!local->count_only)
		local_end(local, local->fields + targets.first, 1, 1);
}

/* Notes for the target @octet the octets of cells next to its parent. */
static void
note_neighbours(struct local *local, struct fmm_place mine, uint32_t octet,
		const struct list *list)
{
	uint32_t target = view_target_number(local->view, octet);

	for (unsigned i = 0; i < list->count; i++) {
		const struct next *other = &list->next[i];
		unsigned n = (other->place.x - mine.x + 1) +
			     3 * (other->place.y - mine.y + 1) +
			     9 * (other->place.z - mine.z + 1);

		if (other->cell->octet == NO_OCTET || n == 13)
			continue;
		local->near[target][n - (n > 13)] =
			(uint32_t)other->cell->octet;
		local->work.translations++;
	}
}

/* The list of child @c of an octet, from its parent's. Does X. */
static void
narrow_list(struct local *local, uint32_t octet, unsigned c,
	    const struct list *from, struct list *to)
{
	const struct view *view = local->view;
	struct fmm_place mine = place_child(view->octets[octet].parent, c);

	to->count = 0;
	for (unsigned i = 0; i < from->count; i++) {
		const struct next *other = &from->next[i];

		if (other->cell->octet == NO_OCTET) {
			if (places_touch(mine, other->place))
				to->next[to->count++] = *other;
			else
				far_leaf(local, other, octet, c);
			continue;
		}
		for (unsigned k = 0; k < LANES; k++) {
			const struct seen_octet *o =
				&view->octets[other->cell->octet];
			struct next next = { &o->child[k],
					     place_child(o->parent, k) };

			if (next.cell->count && places_touch(mine, next.place))
				to->next[to->count++] = next;
		}
	}
}

static void
visit(struct local *local, const struct next *mine, const struct list *list)
{
	const struct seen_octet *octet;

	local->work.cells++;
	if (mine->cell->octet == NO_OCTET) {
		leaf(local, mine, list);
		return;
	}
	note_neighbours(local, mine->place, (uint32_t)mine->cell->octet, list);
	octet = &local->view->octets[mine->cell->octet];
	for (unsigned c = 0; c < LANES; c++) {
		struct next child = { &octet->child[c],
				      place_child(octet->parent, c) };
		struct list narrowed;

		if (!child.cell->mine || !child.cell->count)
			continue;
		narrow_list(local, (uint32_t)mine->cell->octet, c, list,
			    &narrowed);
		visit(local, &child, &narrowed);
	}
}

void
walk(struct local *local)
{
	struct next root = { &local->view->root, { 0, 0, 0, 0 } };
	struct list list = { { root }, 1 };

	if (root.cell->count)
		visit(local, &root, &list);
}
