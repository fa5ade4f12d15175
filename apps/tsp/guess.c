/*
 * A good tour for the first limit. From each city one tour begins that always
 * goes on to the nearest city. Then parts of the tour are reversed as long as
 * that makes it shorter (2-opt). For a better tour, cities that follow each
 * other also move to other places (Or-opt). Of few cities the best of these
 * tours is usually the shortest of all.
 */
#include "apps/tsp/search.h"

#define MOVED_MOST 3 /* cities that move together */

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

/*
 * The change of the length if positions @middle + 1 to @last come before
 * positions @first to @middle.
 */
static int64_t
cost_of_moving(const struct tsplib *tsp, const int *order, int first,
	       int middle, int last)
{
	int before = order[first - 1], after = order[(last + 1) % tsp->cities];
	int a = order[first], b = order[middle];
	int c = order[middle + 1], d = order[last];

	return (int64_t)tsp->distance[before][c] + tsp->distance[d][a] +
	       tsp->distance[b][after] - tsp->distance[before][a] -
	       tsp->distance[b][c] - tsp->distance[d][after];
}

/* Tries to move position @first and those behind it, up to @middle. */
static bool
move_part(const struct tsplib *tsp, int *order, int first, int middle)
{
	int most = tsp->cities - 1, last;
	bool moved = false;

	if (middle - first >= MOVED_MOST && middle + MOVED_MOST < most)
		most = middle + MOVED_MOST;
	for (last = middle + 1; last <= most; last++) {
		if (cost_of_moving(tsp, order, first, middle, last) >= 0)
			continue;
		turn(order, first, middle);
		turn(order, middle + 1, last);
		turn(order, first, last);
		moved = true;
	}
	return moved;
}

static bool
move_parts(const struct tsplib *tsp, int *order)
{
	bool moved = false;

	for (int first = 1; first < tsp->cities; first++)
		for (int middle = first; middle < tsp->cities - 1; middle++)
			moved |= move_part(tsp, order, first, middle);
	return moved;
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

/* Begins with city 0, and goes on to that neighbour with the lower number. */
static void
copy_order(const int *order, int cities, uint8_t *to)
{
	int start = 0, step = 1;

	while (order[start])
		start++;
	if (order[(start + 1) % cities] > order[(start + cities - 1) % cities])
		step = cities - 1;
	for (int i = 0; i < cities; i++)
		to[i] = (uint8_t)order[(start + i * step) % cities];
}

int64_t
tsp_good_tour(const struct tsplib *tsp, uint8_t *to)
{
	int64_t length, shortest = INT64_MAX;
	int order[TSPLIB_CITIES_MOST], start;

	for (start = 0; start < tsp->cities; start++) {
		follow_nearest(tsp, start, order);
		while (improve(tsp, order) || move_parts(tsp, order))
			continue;
		length = tour_length(tsp, order);
		if (length >= shortest)
			continue;
		shortest = length;
		copy_order(order, tsp->cities, to);
	}
	return shortest;
}
