/*
 * fuzz_tsplib.c: arbitrary bytes are either a problem as tsplib.h promises, or
 * are refused with one line.
 */
#include <stdlib.h>
#include <string.h>

#include "apps/tsp/tsplib.h"
#include "tests/fuzz/fuzz.h"

static void
check_problem(const struct tsplib *tsp)
{
	int i, j;

	require(tsp->cities >= 2 && tsp->cities <= TSPLIB_CITIES_MOST);
	require(*tsp->name && memchr(tsp->name, '\0', sizeof(tsp->name)));
	for (i = 0; i < tsp->cities; i++) {
		for (j = 0; j < tsp->cities; j++) {
			require(tsp->distance[i][j] >= 0);
			require(tsp->distance[i][j] <= TSPLIB_DISTANCE_MOST);
			require(tsp->distance[i][j] == tsp->distance[j][i]);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct app_why why = { "" };
	struct tsplib tsp;

	if (tsplib_parse("input", (const char *)data, size, &tsp, &why))
		check_problem(&tsp);
	else
		require(!strncmp(why.text, "input:", 6) &&
			!strchr(why.text, '\n'));
	return 0;
}
