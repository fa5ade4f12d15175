#include "apps/tsp/section.h"

static bool
next_row(struct words *words, const struct section_format *format, int row,
	 struct tsplib *tsp)
{
	int column = format->lower ? 0 : row + !format->diagonal;
	int end = format->upper ? tsp->cities : row + format->diagonal;
	int32_t *there, *back;
	long value;

	for (; column < end; column++) {
		if (!words_whole(words, "a distance", 0, TSPLIB_DISTANCE_MOST,
				 &value))
			return false;
		there = &tsp->distance[row][column];
		back = &tsp->distance[column][row];
		if (format->upper && column < row && value != *back)
			return words_fail(words,
					  "from city %d to %d it is %ld, "
					  "but back it is %d",
					  row + 1, column + 1, value, *back);
		/* Files have any number in the diagonal, which no tour uses. */
		*there = *back = column == row ? 0 : (int32_t)value;
	}
	return true;
}

bool
section_distances(struct words *words, const struct section_format *format,
		  struct tsplib *tsp)
{
	for (int row = 0; row < tsp->cities; row++)
		if (!next_row(words, format, row, tsp))
			return false;
	return true;
}

bool
section_points(struct words *words, int cities, struct tsplib_point *points)
{
	uint64_t seen = 0;
	long city;

	for (int i = 0; i < cities; i++) {
		if (!words_whole(words, "a city", 1, cities, &city))
			return false;
		city--;
		if (seen >> city & 1)
			return words_fail(words, "city %ld comes twice",
					  city + 1);
		seen |= 1ull << city;
		if (!words_number(words, "a coordinate", TSPLIB_COORDINATE_MOST,
				  &points[city].x) ||
		    !words_number(words, "a coordinate", TSPLIB_COORDINATE_MOST,
				  &points[city].y))
			return false;
	}
	return true;
}
