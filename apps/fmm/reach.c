/* reach.c: which cells are next to each other. */
#include "apps/fmm/view.h"

/* Along one axis: is cell @small next to @large, @levels levels above it? */
static bool
touch(uint32_t small, uint32_t large, uint32_t levels)
{
	uint64_t first = (uint64_t)large << levels;
	uint64_t last = first + (UINT64_C(1) << levels) - 1;

	return small + UINT64_C(1) >= first && small <= last + 1;
}

bool
places_touch(struct fmm_place a, struct fmm_place b)
{
	struct fmm_place large = a.level < b.level ? a : b;
	struct fmm_place small = a.level < b.level ? b : a;
	uint32_t levels = small.level - large.level;

	return touch(small.x, large.x, levels) &&
	       touch(small.y, large.y, levels) &&
	       touch(small.z, large.z, levels);
}

enum fmm_reach
fmm_reach(struct fmm_place mine, struct fmm_place other)
{
	if (other.level <= mine.level) {
		uint32_t levels = mine.level - other.level;

		mine = (struct fmm_place){ other.level, mine.x >> levels,
					   mine.y >> levels, mine.z >> levels };
		return places_touch(mine, other) ? FMM_OPEN : FMM_ROOT;
	}
	return places_touch(mine, other) ? FMM_BOTH : FMM_ROOT;
}
