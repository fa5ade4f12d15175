/*
 * A TSPLIB file begins with lines "KEYWORD : VALUE", in any order. A keyword
 * without a value may begin a section of numbers.
 */
#include "apps/tsp/tsplib.h"

#include <stdlib.h>
#include <string.h>

#include "apps/words.h"

#define FILE_BYTES_MOST (1 << 20) /* far more than so few cities need */
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* The part of the distance matrix that a file has, row by row. */
struct section_format {
	const char *name;
	bool lower, upper, diagonal;
};

static const struct section_format formats[] = {
	{ "FULL_MATRIX", true, true, true },
	{ "UPPER_ROW", false, true, false },
	{ "LOWER_ROW", true, false, false },
	{ "UPPER_DIAG_ROW", false, true, true },
	{ "LOWER_DIAG_ROW", true, false, true },
};

static const char *const rules[] = {
	[TSPLIB_EXPLICIT] = "EXPLICIT", [TSPLIB_EUC_2D] = "EUC_2D",
	[TSPLIB_CEIL_2D] = "CEIL_2D",	[TSPLIB_GEO] = "GEO",
	[TSPLIB_ATT] = "ATT",
};

/* Places in the table of keywords below. A file needs these keywords. */
enum { NAME, TYPE, DIMENSION, RULE, DISTANCES, POINTS };

struct parser {
	struct words words; /* the word read last is the value of key */
	const char *key;
	struct tsplib *tsp;
	unsigned seen; /* a bit for each keyword of the file so far */
	enum tsplib_rule rule;
	const struct section_format *format; /* of the explicit distances */
	struct tsplib_point points[TSPLIB_CITIES_MOST];
};

static bool
seen(const struct parser *parser, int keyword)
{
	return parser->seen >> keyword & 1;
}

static bool
fail_to_know(struct parser *parser)
{
	return words_fail(&parser->words, "%s '%s' is not one that tsp knows",
			  parser->key, parser->words.word);
}

static bool
take_name(struct parser *parser)
{
	_Static_assert(sizeof(parser->tsp->name) == WORDS_BYTES, "size");
	memcpy(parser->tsp->name, parser->words.word, WORDS_BYTES);
	return *parser->words.word ||
	       words_fail(&parser->words, "NAME is empty");
}

/* In some of TSPLIB's files the author's name follows, which is ignored. */
static bool
take_type(struct parser *parser)
{
	if (!strcmp(parser->words.word, "TSP") ||
	    !strncmp(parser->words.word, "TSP ", 4))
		return true;
	return fail_to_know(parser);
}

static bool
take_dimension(struct parser *parser)
{
	long cities;

	if (!app_number(parser->words.word, 2, TSPLIB_CITIES_MOST, &cities))
		return words_fail(&parser->words,
				  "DIMENSION must be from 2 to %d, not '%s'",
				  TSPLIB_CITIES_MOST, parser->words.word);
	parser->tsp->cities = (int)cities;
	return true;
}

static bool
take_rule(struct parser *parser)
{
	for (int i = 0; i < COUNT(rules); i++) {
		if (!strcmp(parser->words.word, rules[i])) {
			parser->rule = (enum tsplib_rule)i;
			return true;
		}
	}
	return fail_to_know(parser);
}

static bool
take_format(struct parser *parser)
{
	for (int i = 0; i < COUNT(formats); i++)
		if (!strcmp(parser->words.word, formats[i].name))
			parser->format = &formats[i];
	/* Files with coordinates may have the word FUNCTION. */
	return parser->format || !strcmp(parser->words.word, "FUNCTION") ||
	       fail_to_know(parser);
}

static bool
take_coordinate_type(struct parser *parser)
{
	return !strcmp(parser->words.word, "TWOD_COORDS") ||
	       fail_to_know(parser);
}

static bool
skip_line(struct parser *parser)
{
	(void)parser;
	return true;
}

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

/* Reads the matrix. */
static bool
read_distances(struct words *words, const struct section_format *format,
	       struct tsplib *tsp)
{
	for (int row = 0; row < tsp->cities; row++)
		if (!next_row(words, format, row, tsp))
			return false;
	return true;
}

/* Reads each city's coordinates, in any order of cities. */
static bool
read_coordinates(struct words *words, int cities, struct tsplib_point *points)
{
	bool seen[TSPLIB_CITIES_MOST] = { false };
	long city;

	for (int i = 0; i < cities; i++) {
		if (!words_whole(words, "a city", 1, cities, &city))
			return false;
		city--;
		if (seen[city])
			return words_fail(words, "city %ld comes twice",
					  city + 1);
		seen[city] = true;
		if (!words_number(words, "a coordinate", TSPLIB_COORDINATE_MOST,
				  &points[city].x) ||
		    !words_number(words, "a coordinate", TSPLIB_COORDINATE_MOST,
				  &points[city].y))
			return false;
	}
	return true;
}

/*
 * Checks that the keyword's line has no more words, and that the dimension,
 * which says how many numbers follow, is known.
 */
static bool
begin_section(struct parser *parser)
{
	if (*parser->words.word)
		return words_fail(&parser->words,
				  "the numbers of %s begin in the next line, "
				  "not with '%s'",
				  parser->key, parser->words.word);
	return seen(parser, DIMENSION) ||
	       words_fail(&parser->words, "%s needs DIMENSION above it",
			  parser->key);
}

static bool
take_distances(struct parser *parser)
{
	if (!begin_section(parser))
		return false;
	if (!seen(parser, RULE) || parser->rule != TSPLIB_EXPLICIT)
		return words_fail(&parser->words,
				  "%s needs EDGE_WEIGHT_TYPE EXPLICIT above it",
				  parser->key);
	if (!parser->format)
		return words_fail(&parser->words,
				  "%s needs an EDGE_WEIGHT_FORMAT above it",
				  parser->key);
	return read_distances(&parser->words, parser->format, parser->tsp);
}

static bool
read_points(struct parser *parser, struct tsplib_point *points)
{
	return begin_section(parser) &&
	       read_coordinates(&parser->words, parser->tsp->cities, points);
}

static bool
take_points(struct parser *parser)
{
	return read_points(parser, parser->points);
}

/* Reads the points at which to draw the cities; they set no distances. */
static bool
skip_points(struct parser *parser)
{
	struct tsplib_point unused[TSPLIB_CITIES_MOST];

	return read_points(parser, unused);
}

static const struct {
	const char *name;
	bool (*take)(struct parser *parser);
	bool repeats;
} keywords[] = {
	[NAME] = { "NAME", take_name, false },
	[TYPE] = { "TYPE", take_type, false },
	[DIMENSION] = { "DIMENSION", take_dimension, false },
	[RULE] = { "EDGE_WEIGHT_TYPE", take_rule, false },
	[DISTANCES] = { "EDGE_WEIGHT_SECTION", take_distances, false },
	[POINTS] = { "NODE_COORD_SECTION", take_points, false },
	{ "EDGE_WEIGHT_FORMAT", take_format, false },
	{ "NODE_COORD_TYPE", take_coordinate_type, false },
	{ "DISPLAY_DATA_TYPE", skip_line, false },
	{ "DISPLAY_DATA_SECTION", skip_points, false },
	{ "COMMENT", skip_line, true },
};

static int
find_keyword(const char *name)
{
	int i = 0;

	while (i < COUNT(keywords) && strcmp(name, keywords[i].name))
		i++;
	return i;
}

static bool
take_line(struct parser *parser)
{
	struct words *words = &parser->words;
	int i = find_keyword(words->word);

	if (i == COUNT(keywords))
		return words_fail(words, "'%s' is no keyword that tsp knows",
				  words->word);
	if (seen(parser, i) && !keywords[i].repeats)
		return words_fail(words, "%s comes twice", words->word);
	words_until(words, '\n');
	parser->key = keywords[i].name;
	if (!keywords[i].take(parser))
		return false;
	parser->seen |= 1u << i;
	return true;
}

static bool
take_all_lines(struct parser *parser)
{
	struct words *words = &parser->words;

	while (words_more(words)) {
		words_until(words, ':');
		if (!strcmp(words->word, "EOF"))
			return true;
		if (!take_line(parser))
			return false;
	}
	/* EOF is optional. Without it, nothing tells that a file was cut. */
	return !parser->seen || words->end[-1] == '\n' ||
	       words_fail(words, "the file ends within a line");
}

static bool
need(struct parser *parser, int keyword)
{
	return seen(parser, keyword) ||
	       words_fail(&parser->words, "the file ends without %s",
			  keywords[keyword].name);
}

static bool
check_complete(struct parser *parser)
{
	bool explicit = parser->rule == TSPLIB_EXPLICIT;

	return need(parser, NAME) && need(parser, TYPE) &&
	       need(parser, DIMENSION) && need(parser, RULE) &&
	       need(parser, explicit ? DISTANCES : POINTS);
}

bool
tsplib_parse(const char *path, const char *text, size_t bytes,
	     struct tsplib *tsp, struct app_why *why)
{
	struct parser parser = {
		.words = { path, text, text + bytes, why, 1, '\n' }, .tsp = tsp
	};

	if (!take_all_lines(&parser) || !check_complete(&parser))
		return false;
	if (parser.rule != TSPLIB_EXPLICIT)
		tsplib_measure(tsp, parser.rule, parser.points);
	return true;
}

bool
tsplib_read(const char *path, struct tsplib *tsp, struct app_why *why)
{
	size_t bytes;
	char *text = app_read_file(path, FILE_BYTES_MOST, &bytes, why);
	bool read = text && tsplib_parse(path, text, bytes, tsp, why);

	free(text);
	return read;
}
