/*
 * The preparation of a search: the search order, and the first limit.
 */
#include "apps/setcover/search.h"

#include <stdlib.h>

struct rare {
	int element, sets;
};

static int
compare_rare(const void *a_rare, const void *b_rare)
{
	const struct rare *a = a_rare, *b = b_rare;

	/* qsort() isn't stable, so equal items need an order, too. */
	return a->sets != b->sets ? a->sets - b->sets : a->element - b->element;
}

static int
size(const struct setcover_set *set)
{
	int count = 0, i;

	for (i = 0; i < SETCOVER_WORDS; i++)
		count += __builtin_popcountll(set->elements[i]);
	return count;
}

/* Compares the cost for each element of a set. Empty sets come last. */
static int
compare_sets(const void *a_set, const void *b_set)
{
	const struct setcover_set *a = a_set, *b = b_set;
	int64_t left = (int64_t)a->cost * size(b);
	int64_t right = (int64_t)b->cost * size(a);

	if (left != right)
		return left < right ? -1 : 1;
	return a->number - b->number;
}

/* Replaces the set's elements by their places in @order. */
static void
renumber(struct setcover_set *set, const struct rare *order, int elements)
{
	struct setcover_set old = *set;

	for (int i = 0; i < SETCOVER_WORDS; i++)
		set->elements[i] = 0;
	for (int i = 0; i < elements; i++)
		if (setcover_has(&old, order[i].element))
			set->elements[i / 64] |= 1ull << i % 64;
}

void
setcover_sort(struct setcover *problem)
{
	struct rare order[SETCOVER_ELEMENTS_MOST];

	for (int i = 0; i < problem->elements; i++) {
		order[i] = (struct rare){ i, 0 };
		for (int j = 0; j < problem->sets; j++)
			order[i].sets += setcover_has(&problem->set[j], i);
	}
	qsort(order, (size_t)problem->elements, sizeof(*order), compare_rare);
	for (int j = 0; j < problem->sets; j++)
		renumber(&problem->set[j], order, problem->elements);
	qsort(problem->set, (size_t)problem->sets, sizeof(*problem->set),
	      compare_sets);
}

/* True if set @a costs less for each open element than set @b. */
static bool
is_cheaper(const struct setcover_set *a, const struct setcover_set *b,
	   const struct setcover_state *state)
{
	return (int64_t)a->cost * setcover_gain(b, state) <
	       (int64_t)b->cost * setcover_gain(a, state);
}

/*
 * A cover that begins with set @first. Each further set is the one that costs
 * least for each open element.
 */
static struct setcover_cover
follow_cheapest(const struct setcover *problem, int first)
{
	struct setcover_state state = setcover_start(problem);
	struct setcover_cover cover = { .cost = 0 };
	int i, best = first;

	for (;;) {
		setcover_mark(&cover, best);
		state = setcover_choose(state, &problem->set[best]);
		if (setcover_open(&state) < 0)
			break;
		for (best = 0, i = 1; i < problem->sets; i++)
			if (is_cheaper(&problem->set[i], &problem->set[best],
				       &state))
				best = i;
	}
	cover.cost = state.cost;
	return cover;
}

struct setcover_cover
setcover_guess(const struct setcover *problem)
{
	struct setcover_cover cover, best = { .cost = INT64_MAX };

	for (int i = 0; i < problem->sets; i++) {
		cover = follow_cheapest(problem, i);
		if (cover.cost < best.cost)
			best = cover;
	}
	return best;
}
