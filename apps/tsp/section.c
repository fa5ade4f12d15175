#include "apps/tsp/section.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool
next_number(struct reader *reader, char word[READER_WORD_BYTES])
{
	return reader_next_word(reader, word) ||
	       reader_fail(reader, "the file ends before the last number");
}

static bool
next_whole(struct reader *reader, const char *what, long least, long most,
	   long *value_p)
{
	char word[READER_WORD_BYTES];

	if (!next_number(reader, word))
		return false;
	return app_number(word, least, most, value_p) ||
	       reader_fail(reader,
			   "%s must be a whole number from %ld to %ld, "
			   "not '%s'",
			   what, least, most, word);
}

static bool
next_coordinate(struct reader *reader, double *value_p)
{
	char word[READER_WORD_BYTES], *end;
	double value;

	if (!next_number(reader, word))
		return false;
	value = strtod(word, &end);
	/* strtod() also knows NaN, infinities and hexadecimals. */
	if (*end || strspn(word, "0123456789.+-eE") != strlen(word) ||
	    fabs(value) > TSPLIB_COORDINATE_MOST)
		return reader_fail(reader,
				   "a coordinate must be a number up to %d "
				   "either way, not '%s'",
				   TSPLIB_COORDINATE_MOST, word);
	*value_p = value;
	return true;
}

static bool
next_row(struct reader *reader, const struct section_format *format, int row,
	 struct tsplib *tsp)
{
	int column = format->lower ? 0 : row + !format->diagonal;
	int end = format->upper ? tsp->cities : row + format->diagonal;
	int32_t *there, *back;
	long value;

	for (; column < end; column++) {
		if (!next_whole(reader, "a distance", 0, TSPLIB_DISTANCE_MOST,
				&value))
			return false;
		there = &tsp->distance[row][column];
		back = &tsp->distance[column][row];
		if (format->upper && column < row && value != *back)
			return reader_fail(reader,
					   "from city %d to %d it is %ld, "
					   "but back it is %d",
					   row + 1, column + 1, value, *back);
		/* The diagonal may say anything: nobody stays in a city. */
		*there = *back = column == row ? 0 : (int32_t)value;
	}
	return true;
}

bool
section_distances(struct reader *reader, const struct section_format *format,
		  struct tsplib *tsp)
{
	int row;

	for (row = 0; row < tsp->cities; row++)
		if (!next_row(reader, format, row, tsp))
			return false;
	return true;
}

bool
section_points(struct reader *reader, int cities, struct tsplib_point *points)
{
	uint64_t seen = 0;
	long city;
	int i;

	for (i = 0; i < cities; i++) {
		if (!next_whole(reader, "a city", 1, cities, &city))
			return false;
		city--;
		if (seen >> city & 1)
			return reader_fail(reader, "city %ld again", city + 1);
		seen |= 1ull << city;
		if (!next_coordinate(reader, &points[city].x) ||
		    !next_coordinate(reader, &points[city].y))
			return false;
	}
	return true;
}
