/*
 * fuzz_knapsack.c: arbitrary bytes are either problems as problem.h promises,
 * or are refused with one line.
 */
#include <string.h>

#include "apps/knapsack/search.h"
#include "tests/fuzz/fuzz.h"

static void
check_problem(struct knapsack *problem)
{
	struct knapsack_state start;
	int64_t guess;
	int i, j;

	require(problem->items >= 1 && problem->measures >= 1);
	require(problem->items <= KNAPSACK_ITEMS_MOST);
	require(problem->measures <= KNAPSACK_MEASURES_MOST);
	for (i = 0; i < problem->items; i++) {
		require(problem->item[i].number == i + 1);
		require(problem->item[i].value >= 0);
		for (j = 0; j < problem->measures; j++)
			require(problem->item[i].weight[j] >= 0);
	}
	/* The sums of the numbers must not overflow. */
	knapsack_sort(problem);
	start = knapsack_start(problem, 0);
	guess = knapsack_guess(problem).value;
	require(guess >= 0);
	for (i = 0; i < problem->items; i++)
		require(problem->item[i].load >= 0);
	require(knapsack_bound(problem, &start) >= guess);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct app_why why = { "" };
	struct knapsack problem;
	int64_t best = -1;

	if (knapsack_parse("input", (const char *)data, size, 1, &problem,
			   &best, &why)) {
		require(best >= 0);
		check_problem(&problem);
	} else {
		require(!strncmp(why.text, "input:", 6) &&
			!strchr(why.text, '\n'));
	}
	return 0;
}
