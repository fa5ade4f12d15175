/*
 * A good tour for the first limit. From each city one tour begins that always
 * goes on to the nearest city. Then parts of the tour are reversed as long as
 * that makes it shorter (2-opt).
 */
#include "apps/tsp/search.h"

static void
swap(int *a, int *b)
{
	int old = *a;

	*a = *b;
	*b = old;
}

static void
follow_nearest(const struct tsplib *tsp, int start, int *order)
{
	for (int i = 0; i < tsp->cities; i++)
		order[i] = i;
	swap(&order[0], &order[start]);
	for (int i = 1; i < tsp->cities; i++) {
		const int32_t *distance = tsp->distance[order[i - 1]];

		for (int next = i + 1; next < tsp->cities; next++)
			if (distance[order[next]] < distance[order[i]])
				swap(&order[i], &order[next]);
	}
}

/* The change of the length if positions @first to @last are reversed. */
static int64_t
cost_of_turning(const struct tsplib *tsp, const int *order, int first, int last)
{
	int before = order[first - 1], after = order[(last + 1) % tsp->cities];
	int a = order[first], b = order[last];

	return (int64_t)tsp->distance[before][b] + tsp->distance[a][after] -
	       tsp->distance[before][a] - tsp->distance[b][after];
}

static void
turn(int *order, int first, int last)
{
	for (; first < last; first++, last--)
		swap(&order[first], &order[last]);
}

static bool
improve(const struct tsplib *tsp, int *order)
{
	bool improved = false;
	int first, last;

	for (first = 1; first < tsp->cities; first++) {
		for (last = first + 1; last < tsp->cities; last++) {
			if (cost_of_turning(tsp, order, first, last) >= 0)
				continue;
			turn(order, first, last);
			improved = true;
		}
	}
	return improved;
}

static int64_t
tour_length(const struct tsplib *tsp, const int *order)
{
	int64_t length = 0;

	for (int i = 0; i < tsp->cities; i++)
		length += tsp->distance[order[i]][order[(i + 1) % tsp->cities]];
	return length;
}

int64_t
tsp_guess(const struct tsplib *tsp)
{
	int64_t length, shortest = INT64_MAX;
	int order[TSPLIB_CITIES_MOST], start;

	for (start = 0; start < tsp->cities; start++) {
		follow_nearest(tsp, start, order);
		while (improve(tsp, order))
			continue;
		length = tour_length(tsp, order);
		if (length < shortest)
			shortest = length;
	}
	return shortest;
}
