/*
 * kernel.c: a ruler in bits, by the shift algorithm of W. T. Rankin ("Optimal
 * Golomb Rulers: An Exhaustive Parallel Search Implementation", Duke
 * University, 1993). There are three maps, in which the highest bit is 0, and
 * the next bit 1:
 *
 *	list	the distances from the last mark, or from the place that is
 *		tried, back to all marks
 *	dist	the distances between all marks
 *	comp	the gaps after which the next mark can't be
 *
 * If the next mark is at a gap g, list and comp are shifted by g, and dist and
 * comp get the distances of the new list.
 *
 * A map has as many bits as there is room up to the limit. So 128 bits do for
 * the first marks of most rulers (wide), and 64 bits for the last marks, where
 * the search spends most of its time (narrow). If the limit is higher, the
 * search compares the first marks with each other.
 *
 * The middle marks: with an odd number of marks these are one mark, m, and
 * m + m < length. With an even number these are two marks, m < n, and m + n <
 * length.
 */
#include "apps/golomb/kernel.h"

#define NARROW_ROOM 62 /* below it, a gap of 63 is too long */
#define WIDE_ROOM 126
#define TOP (UINT64_C(1) << 63)

#define WIDE_TOP ((wide_map)TOP << 64)

__extension__ typedef unsigned __int128 wide_map;

struct wide_maps {
	wide_map list, dist, comp;
};

static inline const uint8_t *
narrow_floor(const struct golomb_hunt *hunt, uint64_t dist)
{
	return hunt->floors->least[dist >> (63 - GOLOMB_FLOOR_BITS) &
				   ((1 << GOLOMB_FLOOR_BITS) - 1)];
}

/* Behind the middle: places the marks that are @left after one at @place. */
static void
narrow(struct golomb_hunt *hunt, uint64_t list, uint64_t dist, uint64_t comp,
       int place, int left)
{
	const uint8_t *floor = narrow_floor(hunt, dist);
	int gap;

	if (place + floor[left] > hunt->limit)
		return;
	hunt->mark[hunt->marks - 1 - left] = (uint8_t)place;
	golomb_counts(hunt);
	if (!left) {
		hunt->found(hunt);
		return;
	}
	for (;;) {
		gap = __builtin_clzll(~comp | 1);
		place += gap;
		if (place + floor[left - 1] > hunt->limit)
			return;
		list >>= gap;
		comp <<= gap;
		narrow(hunt, list | TOP, dist | list, comp | dist | list, place,
		       left - 1);
		comp |= TOP;
	}
}

static int
middle(const struct golomb_hunt *hunt)
{
	return (hunt->marks - 1) / 2;
}

static bool
is_even(const struct golomb_hunt *hunt)
{
	return hunt->marks % 2 == 0;
}

/* Whether mark @index may be at @place, with a floor of the marks before it. */
static bool
may_stand(const struct golomb_hunt *hunt, const uint8_t *floor, int index,
	  int place)
{
	int half = (hunt->limit - 1 - is_even(hunt)) / 2;

	/* The floor would be the length that is searched for. */
	if (!index)
		return hunt->limit >= 0;
	if (place + floor[hunt->marks - 1 - index] > hunt->limit)
		return false;
	if (index <= middle(hunt))
		return place + floor[middle(hunt) - index] <= half;
	return !is_even(hunt) || index > middle(hunt) + 1 ||
	       hunt->mark[middle(hunt)] + place < hunt->limit;
}

static inline int
wide_gap(wide_map comp)
{
	uint64_t high = ~(uint64_t)(comp >> 64);

	return high ? __builtin_clzll(high)
		    : 64 + __builtin_clzll(~(uint64_t)comp | 1);
}

/* Searches from mark @index, which is at @place. */
static void
wide(struct golomb_hunt *hunt, struct wide_maps maps, int index, int place)
{
	const uint8_t *floor = narrow_floor(hunt, (uint64_t)(maps.dist >> 64));
	wide_map dist;
	int gap;

	if (index > middle(hunt) + 1 && hunt->limit - place <= NARROW_ROOM) {
		narrow(hunt, (uint64_t)(maps.list >> 64),
		       (uint64_t)(maps.dist >> 64), (uint64_t)(maps.comp >> 64),
		       place, hunt->marks - 1 - index);
		return;
	}
	if (!may_stand(hunt, floor, index, place))
		return;
	hunt->mark[index] = (uint8_t)place;
	golomb_counts(hunt);
	if (index == hunt->marks - 1) {
		hunt->found(hunt);
		return;
	}
	for (;;) {
		gap = wide_gap(maps.comp);
		place += gap;
		if (!may_stand(hunt, floor, index + 1, place))
			return;
		maps.list >>= gap;
		maps.comp <<= gap;
		dist = maps.dist | maps.list;
		wide(hunt,
		     (struct wide_maps){ maps.list | WIDE_TOP, dist,
					 maps.comp | dist },
		     index + 1, place);
		maps.comp |= WIDE_TOP;
	}
}

/* The distances between marks: a map of those below 128, and of the others. */
struct distances {
	wide_map near, far;
};

static struct distances
measure(const struct golomb_hunt *hunt, int count)
{
	struct distances all = { 0, 0 };

	for (int i = 0; i < count; i++)
		for (int j = 0; j <= i; j++) {
			int apart = hunt->mark[i] - hunt->mark[j];

			if (apart < 128)
				all.near |= (wide_map)1 << (127 - apart);
			else
				all.far |= (wide_map)1 << (255 - apart);
		}
	return all;
}

/* The map of the distances from @first on; @first is 255 at most. */
static wide_map
map_from(struct distances all, int first)
{
	if (first >= 128)
		return all.far << (first - 128);
	return first ? all.near << first | all.far >> (128 - first) : all.near;
}

/* Whether @place, behind the first @count marks, gives new distances only. */
static bool
fits(const struct golomb_hunt *hunt, struct distances all, int count, int place)
{
	for (int i = 0; i < count; i++)
		if (map_from(all, place - hunt->mark[i]) >> 127)
			return false;
	return true;
}

static struct wide_maps
maps_of(const struct golomb_hunt *hunt, int count)
{
	struct distances all = measure(hunt, count);
	struct wide_maps maps = { 0, all.near, 0 };

	for (int i = 0; i < count; i++) {
		int apart = hunt->mark[count - 1] - hunt->mark[i];

		if (apart < 128)
			maps.list |= (wide_map)1 << (127 - apart);
		maps.comp |= map_from(all, apart);
	}
	return maps;
}

static const uint8_t *
floor_of(const struct golomb_hunt *hunt, struct distances all)
{
	return narrow_floor(hunt, (uint64_t)(all.near >> 64));
}

bool
golomb_goes_on(const struct golomb_hunt *hunt, int count)
{
	return may_stand(hunt, floor_of(hunt, measure(hunt, count)), count - 1,
			 hunt->mark[count - 1]);
}

int
golomb_next(const struct golomb_hunt *hunt, int count, int place)
{
	struct distances all = measure(hunt, count);
	const uint8_t *floor = floor_of(hunt, all);

	while (may_stand(hunt, floor, count, ++place))
		if (fits(hunt, all, count, place))
			return place;
	return 0;
}

void
golomb_hunt_on(struct golomb_hunt *hunt, int count)
{
	int place = hunt->mark[count - 1];

	if (hunt->limit - place <= WIDE_ROOM || count == hunt->marks) {
		wide(hunt, maps_of(hunt, count), count - 1, place);
		return;
	}
	if (!golomb_goes_on(hunt, count))
		return;
	golomb_counts(hunt);
	while ((place = golomb_next(hunt, count, place))) {
		hunt->mark[count] = (uint8_t)place;
		golomb_hunt_on(hunt, count + 1);
	}
}

static void
least_found(struct golomb_hunt *hunt)
{
	hunt->limit = -1;
}

static void
least_look(struct golomb_hunt *hunt)
{
	(void)hunt;
}

int
golomb_least(const struct golomb_floors *floors, unsigned distances, int gaps,
	     int from, int to)
{
	struct golomb_hunt hunt = { .floors = floors,
				    .marks = gaps + 1,
				    .found = least_found,
				    .look = least_look };
	uint64_t dist = TOP | (uint64_t)distances << (63 - GOLOMB_FLOOR_BITS);

	for (; from <= to; from++) {
		hunt.limit = from;
		narrow(&hunt, TOP, dist, dist, 0, gaps);
		if (hunt.limit < 0)
			return from;
	}
	return from;
}
