#include "parts/fold.h"

#include <math.h>
#include <stdlib.h>

enum stn_err
stn_folds_add(struct stn_folds *folds, struct stn_fold fold)
{
	if (folds->count == folds->room) {
		size_t room = 2 * folds->room + 16;
		struct stn_fold *larger =
			realloc(folds->folds, room * sizeof(larger[0]));

		if (!larger)
			return STN_NO_MEMORY;
		folds->folds = larger;
		folds->room = room;
	}
	folds->folds[folds->count++] = fold;
	return STN_OK;
}

static uint64_t
first_part(const struct stn_fold *fold)
{
	return (uint64_t)fold->index << fold->level;
}

static int
in_order(const void *a, const void *b)
{
	uint64_t one = first_part(a), two = first_part(b);

	return (one > two) - (one < two);
}

static double
combine(double a, double b, bool largest)
{
	return largest ? fmax(a, b) : a + b;
}

/*
 * Raises @fold while its neighbour to the right has no parts, because nothing
 * can be added to it there. The root of the tree is raised no further.
 */
static void
raise_fold(struct stn_fold *fold, uint32_t parts)
{
	while (!(fold->index & 1) && fold->index &&
	       (((uint64_t)fold->index + 1) << fold->level) >= parts) {
		fold->index /= 2;
		fold->level++;
	}
}

void
stn_folds_join(struct stn_folds *folds, uint32_t parts, bool largest)
{
	struct stn_fold *out = folds->folds;
	size_t count = 0;

	if (folds->count)
		qsort(out, folds->count, sizeof(out[0]), in_order);
	for (size_t i = 0; i < folds->count; i++) {
		struct stn_fold fold = out[i];

		raise_fold(&fold, parts);
		while (count && fold.index & 1 &&
		       out[count - 1].level == fold.level &&
		       out[count - 1].index == fold.index - 1) {
			fold.value = combine(out[--count].value, fold.value,
					     largest);
			fold.index /= 2;
			fold.level++;
			raise_fold(&fold, parts);
		}
		out[count++] = fold;
	}
	folds->count = count;
}

void
stn_folds_fini(struct stn_folds *folds)
{
	free(folds->folds);
	*folds = (struct stn_folds){ 0 };
}
