#include "apps/fmm/cells.h"

#include <stdlib.h>

/* Octets while they are made. */
struct building {
	const struct fmm_plan *plan;
	const uint64_t *keys;
	struct octet *octets;
	uint32_t count, space;
};

/* Divides the cell: appends its octet. Returns its number, or -1. */
static int32_t
divide(struct building *b, struct fmm_place place, const struct cell *cell,
       int32_t above)
{
	uint32_t at = cell->first, end = cell->first + cell->count;
	unsigned shift = 3 * (FMM_DEEPEST - place.level - 1);
	struct octet *octet;

	if (b->count == b->space) {
		uint32_t space = 2 * b->space + 16;
		void *more = realloc(b->octets, space * sizeof *octet);

		if (!more)
			return -1;
		b->octets = more;
		b->space = space;
	}
	octet = &b->octets[b->count];
	octet->parent = place;
	octet->above = above;
	for (unsigned c = 0; c < LANES; c++) {
		uint32_t first = at;

		while (at < end && (b->keys[at] >> shift & 7) == c)
			at++;
		octet->child[c] = (struct cell){ first, at - first, NO_OCTET };
	}
	return (int32_t)b->count++;
}

/*
 * Whether the cell is to be divided. Particles at one point are not, because no
 * division separates them, and the error of a gradient grows as cells shrink.
 */
static bool
too_large(const struct building *b, const struct cell *cell, uint32_t level)
{
	return cell->count > b->plan->leaf && level < FMM_DEEPEST &&
	       b->keys[cell->first] != b->keys[cell->first + cell->count - 1];
}

/* Divides those children of an octet that have too many particles. */
static int
divide_children(struct building *b, uint32_t number)
{
	for (unsigned c = 0; c < LANES; c++) {
		struct fmm_place place =
			place_child(b->octets[number].parent, c);
		struct cell cell = b->octets[number].child[c];
		int32_t made;

		if (!too_large(b, &cell, place.level))
			continue;
		made = divide(b, place, &cell, (int32_t)(LANES * number + c));
		if (made < 0)
			return -1;
		b->octets[number].child[c].octet = made;
	}
	return 0;
}

static int
divide_all(struct building *b, struct fmm_place place, size_t count)
{
	struct cell root = { 0, (uint32_t)count, NO_OCTET };

	if (!too_large(b, &root, place.level))
		return 0;
	if (divide(b, place, &root, -1) < 0)
		return -1;
	for (uint32_t i = 0; i < b->count; i++)
		if (divide_children(b, i) < 0)
			return -1;
	return 0;
}

int
cells_build(const struct fmm_plan *plan, const struct fmm_space *space,
	    struct fmm_place place, const struct fmm_body *bodies, size_t count,
	    struct octet **octets_p, uint32_t *count_p)
{
	uint64_t *keys = malloc((count + 1) * sizeof *keys);
	struct building b = { .plan = plan, .keys = keys };

	if (!keys)
		return -1;
	for (size_t i = 0; i < count; i++)
		keys[i] = fmm_key(space, &bodies[i]);
	if (divide_all(&b, place, count) < 0) {
		free(b.octets);
		free(keys);
		return -1;
	}
	free(keys);
	*octets_p = b.octets;
	*count_p = b.count;
	return 0;
}
