/*
 * fuzz_setcover.c: arbitrary bytes are either a problem as problem.h promises,
 * or are refused with one line.
 */
#include <string.h>

#include "apps/setcover/problem.h"
#include "tests/fuzz/fuzz.h"

static void
check_problem(const struct setcover *problem)
{
	int i, j, sets;

	require(problem->elements >= 1 && problem->sets >= 1);
	require(problem->elements <= SETCOVER_ELEMENTS_MOST);
	require(problem->sets <= SETCOVER_SETS_MOST);
	for (j = 0; j < problem->sets; j++) {
		require(problem->set[j].number == j + 1);
		require(problem->set[j].cost >= 1);
		require(problem->set[j].cost <= SETCOVER_COST_MOST);
	}
	for (i = 0; i < SETCOVER_ELEMENTS_MOST; i++) {
		for (sets = 0, j = 0; j < problem->sets; j++)
			sets += setcover_has(&problem->set[j], i);
		require((i < problem->elements) == (sets > 0));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct app_why why = { "" };
	struct setcover problem;

	if (setcover_parse("input", (const char *)data, size, &problem, &why))
		check_problem(&problem);
	else
		require(!strncmp(why.text, "input:", 6) &&
			!strchr(why.text, '\n'));
	return 0;
}
