#include "apps/golomb/floors.h"

#include <pthread.h>

#define GAPS_SEARCHED 5 /* with more gaps, the search takes too long */
#define LONGEST 62	/* of the rulers that the search finds */

static struct golomb_floors floors;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Sequence A003022 of the On-Line Encyclopedia of Integer Sequences. */
int
golomb_optimum(int marks)
{
	static const uint8_t optima[GOLOMB_MARKS_MOST + 1] = {
		0,  0,	1,  3,	6,   11,  17,  25,  34,
		44, 55, 72, 85, 106, 127, 151, 177,
	};

	return optima[marks];
}

static int
larger(int a, int b)
{
	return a > b ? a : b;
}

/*
 * A floor from other floors: fewer distances are forbidden, or the ruler
 * consists of two rulers.
 */
static int
deduce(unsigned distances, int gaps)
{
	const uint8_t *least = floors.least[distances];
	int most = golomb_optimum(gaps + 1);

	for (int i = 0; i < GOLOMB_FLOOR_BITS; i++)
		if (distances >> i & 1)
			most = larger(
				most,
				floors.least[distances & ~(1u << i)][gaps]);
	for (int first = 1; 2 * first <= gaps; first++)
		most = larger(most, least[first] + least[gaps - first]);
	return most;
}

static void
fill_floors(void)
{
	for (int gaps = 1; gaps < GOLOMB_MARKS_MOST; gaps++)
		for (unsigned set = 0; set < 1 << GOLOMB_FLOOR_BITS; set++) {
			int least = deduce(set, gaps);

			if (gaps <= GAPS_SEARCHED)
				least = golomb_least(&floors, set, gaps, least,
						     LONGEST - 1);
			floors.least[set][gaps] = (uint8_t)least;
		}
}

const struct golomb_floors *
golomb_floors(void)
{
	pthread_once(&once, fill_floors);
	return &floors;
}
