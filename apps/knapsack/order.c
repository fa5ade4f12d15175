/*
 * The preparation of a search: the search order, and the first limit.
 */
#include "apps/knapsack/search.h"

#include <math.h>
#include <stdlib.h>

#define FULL_LOAD (1 << 30) /* the load that fills one measure's room */

static double
worth(const struct knapsack_item *item)
{
	return item->load ? (double)item->value / (double)item->load : HUGE_VAL;
}

static int
compare_items(const void *a_item, const void *b_item)
{
	const struct knapsack_item *a = a_item, *b = b_item;

	if (worth(a) != worth(b))
		return worth(a) > worth(b) ? -1 : 1;
	/* qsort() isn't stable, so equal items need an order, too. */
	return a->number - b->number;
}

/* Sorts the items by the present factors. Returns the problem's bound. */
static int64_t
sort_items(struct knapsack *problem)
{
	struct knapsack_state start = knapsack_start(problem, 0);

	for (int i = 0; i < problem->items; i++) {
		struct knapsack_item *item = &problem->item[i];

		item->load = 0;
		for (int j = 0; j < problem->measures; j++)
			item->load += problem->factor[j] * item->weight[j];
	}
	qsort(problem->item, (size_t)problem->items, sizeof(*problem->item),
	      compare_items);
	return knapsack_bound(problem, &start);
}

/* Makes a factor smaller if that lowers the bound; true if so. */
static bool
improve(struct knapsack *problem, int64_t *factor, int64_t *bound)
{
	static const int percent[] = { 90, 50, 10, 0 };
	int64_t old = *factor, lower;

	for (unsigned i = 0; i < sizeof(percent) / sizeof(*percent); i++) {
		*factor = old * percent[i] / 100;
		lower = sort_items(problem);
		if (lower < *bound) {
			*bound = lower;
			return true;
		}
	}
	*factor = old;
	return false;
}

void
knapsack_sort(struct knapsack *problem)
{
	bool improved = problem->measures > 1;
	int64_t bound;

	for (int j = 0; j < problem->measures; j++)
		problem->factor[j] = FULL_LOAD / (problem->room[j] + 1) + 1;
	bound = sort_items(problem);
	while (improved) {
		improved = false;
		for (int j = 0; j < problem->measures; j++)
			improved |=
				improve(problem, &problem->factor[j], &bound);
	}
	sort_items(problem);
}

struct knapsack_choice
knapsack_guess(const struct knapsack *problem)
{
	struct knapsack_state state = knapsack_start(problem, 0);
	struct knapsack_choice choice = { 0 };

	while (state.next < problem->items) {
		if (knapsack_fits(problem, &state)) {
			choice.taken |= 1ull << state.next;
			state = knapsack_take(problem, state);
		} else {
			state = knapsack_leave(state);
		}
	}
	choice.value = state.value;
	return choice;
}
