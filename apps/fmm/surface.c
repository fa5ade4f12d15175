#include "apps/fmm/surface.h"

#include <stdlib.h>

/* Bit 0 is set if x is on the high side, bit 1 for y, bit 2 for z. */
static unsigned
parity_of(const uint8_t *at, unsigned order)
{
	unsigned parity = 0;

	for (int axis = 0; axis < 3; axis++)
		parity |= (2u * at[axis] > order - 1) << axis;
	return parity;
}

static bool
on_surface(const uint8_t *at, unsigned order)
{
	for (int axis = 0; axis < 3; axis++)
		if (at[axis] == 0 || at[axis] == order - 1)
			return true;
	return false;
}

/* The point number @i of the grid. */
static void
grid_point(unsigned i, unsigned order, uint8_t *at)
{
	at[0] = (uint8_t)(i / (order * order));
	at[1] = (uint8_t)(i / order % order);
	at[2] = (uint8_t)(i % order);
}

static void
number_points(struct surface *s)
{
	unsigned count = 0, grid = s->order * s->order * s->order;

	for (unsigned parity = 0; parity < PARITIES; parity++) {
		s->first[parity] = count;
		for (unsigned i = 0; i < grid; i++) {
			grid_point(i, s->order, s->at[count]);
			if (on_surface(s->at[count], s->order) &&
			    parity_of(s->at[count], s->order) == parity)
				count++;
		}
	}
	s->first[PARITIES] = count;
}

static unsigned
find_point(const struct surface *s, unsigned x, unsigned y, unsigned z)
{
	unsigned i = 0;

	while (s->at[i][0] != x || s->at[i][1] != y || s->at[i][2] != z)
		i++;
	return i;
}

static void
pair_points(struct surface *s, int axis)
{
	size_t *count = &s->symmetry.counts[axis];

	for (unsigned i = 0; i < s->count; i++) {
		unsigned to[3] = { s->at[i][0], s->at[i][1], s->at[i][2] };

		if (2 * to[axis] >= s->order - 1)
			continue;
		to[axis] = s->order - 1 - to[axis];
		s->pairs[axis][(*count)++] = (struct mirrored){
			(uint16_t)i,
			(uint16_t)find_point(s, to[0], to[1], to[2]),
		};
	}
	s->symmetry.pairs[axis] = s->pairs[axis];
}

/* The padding repeats point 0. */
static void
place_points(struct surface *s, int axis)
{
	for (unsigned i = 0; i < s->padded; i++)
		s->unit[axis][i] = 2.0 * s->at[i < s->count ? i : 0][axis] /
					   (s->order - 1) -
				   1;
}

int
surface_init(struct surface *s, unsigned order)
{
	unsigned count = 6 * (order - 1) * (order - 1) + 2;

	*s = (struct surface){ .order = order, .count = count };
	s->padded = (count + LANES - 1) / LANES * LANES;
	/* One more: number_points() tries points there. */
	s->at = calloc(count + 1, sizeof *s->at);
	if (!s->at)
		return -1;
	number_points(s);
	for (int axis = 0; axis < 3; axis++) {
		s->unit[axis] = malloc(s->padded * sizeof(double));
		s->pairs[axis] = malloc(count * sizeof *s->pairs[axis]);
		if (!s->unit[axis] || !s->pairs[axis])
			return -1;
		place_points(s, axis);
		pair_points(s, axis);
	}
	return 0;
}

void
surface_finish(struct surface *s)
{
	for (int axis = 0; axis < 3; axis++) {
		free(s->unit[axis]);
		free(s->pairs[axis]);
	}
	free(s->at);
}
