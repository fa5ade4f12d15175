/*
 * across.c: the size of undivided cells. With m particles in each, the time of
 * pairs grows with m, and that of translations falls with it: the time is
 * proportional to m / best + best / m, where the best number makes both equal.
 * A cell with more particles than the plan's leaf is divided into eight because
 * that takes less time; so m = leaf and m = leaf / 8 take equal time, and the
 * best number is leaf / sqrt(8).
 *
 * If edges are only halved, m is up to sqrt(8) times too large or too small,
 * and the time up to 1.59 times the least. So the cube is made larger than the
 * particles need, and then halved.
 */
#include <math.h>

#include "apps/fmm/plan.h"

#define ACROSS_MOST 1024
#define LEAST 8 /* fewer cells across can't be chosen finely */

/* By this factor m may differ from the best number: 1.1 times the time. */
#define TOLERATED 1.55

/* How many particles an undivided cell has if edges are only halved. */
static double
halved(const struct fmm_plan *plan, double count)
{
	while (count > plan->leaf)
		count /= 8;
	return count;
}

unsigned
fmm_across(const struct fmm_plan *plan, size_t count)
{
	double best = plan->leaf / sqrt(8), m = halved(plan, (double)count);
	double across = cbrt((double)count / best);
	unsigned unit = 2;

	if ((m > best / TOLERATED && m < best * TOLERATED) || across < LEAST)
		return 0;
	/* Multiples of powers of two fill the larger cells. */
	while (unit * 2 * LEAST <= across)
		unit *= 2;
	across = unit * round(across / unit);
	return across < ACROSS_MOST ? (unsigned)across : ACROSS_MOST;
}

/* The factor above 1 keeps the particles at the upper side in the last cell. */
void
fmm_divide(struct fmm_space *space, unsigned across)
{
	unsigned cells = 1;

	while (cells < across)
		cells *= 2;
	if (cells > across && across)
		space->size *= (1 + 0x1p-30) * cells / across;
}
