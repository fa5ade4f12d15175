#include <stdio.h>

#include "apps/random.h"
#include "apps/tsp/tsplib.h"

#define SIDE 1000 /* of the square with the cities */

void
tsplib_generate(struct tsplib *tsp, int cities, uint64_t seed)
{
	struct tsplib_point points[TSPLIB_CITIES_MOST];
	struct app_random random = { seed };

	*tsp = (struct tsplib){ .cities = cities };
	snprintf(tsp->name, sizeof(tsp->name), "random%d", cities);
	for (int i = 0; i < cities; i++) {
		points[i].x = (double)app_random(&random, SIDE);
		points[i].y = (double)app_random(&random, SIDE);
	}
	tsplib_measure(tsp, TSPLIB_EUC_2D, points);
}
