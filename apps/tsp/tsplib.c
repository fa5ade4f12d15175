/*
 * The head of a TSPLIB file is lines "KEYWORD : VALUE", in any order; a keyword
 * without a value may begin a section of numbers, which section.c reads.
 */
#include "apps/tsp/tsplib.h"

#include <stdlib.h>
#include <string.h>

#include "apps/tsp/section.h"

#define FILE_BYTES_MOST (1 << 20) /* far more than so few cities take */
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

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

/* Places in the table of keywords below, of those a file can't do without. */
enum { NAME, TYPE, DIMENSION, RULE, DISTANCES, POINTS };

struct parser {
	struct reader reader;
	struct tsplib *tsp;
	unsigned seen; /* a bit for each keyword */
	enum tsplib_rule rule;
	const struct section_format *format; /* of explicit distances */
	struct tsplib_point points[TSPLIB_CITIES_MOST];
};

static bool
seen(const struct parser *parser, int keyword)
{
	return parser->seen >> keyword & 1;
}

static bool
fail_to_know(struct parser *parser, const struct reader_line *line)
{
	return reader_fail(&parser->reader, "%s '%s' is not one that tsp knows",
			   line->key, line->value);
}

static bool
take_name(struct parser *parser, const struct reader_line *line)
{
	_Static_assert(sizeof(parser->tsp->name) == READER_WORD_BYTES, "size");
	memcpy(parser->tsp->name, line->value, READER_WORD_BYTES);
	return *line->value || reader_fail(&parser->reader, "NAME is empty");
}

/* Some of TSPLIB's own files go on, with who sent them. */
static bool
take_type(struct parser *parser, const struct reader_line *line)
{
	if (!strcmp(line->value, "TSP") || !strncmp(line->value, "TSP ", 4))
		return true;
	return fail_to_know(parser, line);
}

static bool
take_dimension(struct parser *parser, const struct reader_line *line)
{
	long cities;

	if (!app_number(line->value, 2, TSPLIB_CITIES_MOST, &cities))
		return reader_fail(&parser->reader,
				   "DIMENSION must be from 2 to %d, not '%s'",
				   TSPLIB_CITIES_MOST, line->value);
	parser->tsp->cities = (int)cities;
	return true;
}

static bool
take_rule(struct parser *parser, const struct reader_line *line)
{
	int i;

	for (i = 0; i < COUNT(rules); i++) {
		if (!strcmp(line->value, rules[i])) {
			parser->rule = (enum tsplib_rule)i;
			return true;
		}
	}
	return fail_to_know(parser, line);
}

static bool
take_format(struct parser *parser, const struct reader_line *line)
{
	int i;

	for (i = 0; i < COUNT(formats); i++)
		if (!strcmp(line->value, formats[i].name))
			parser->format = &formats[i];
	/* FUNCTION is what files with coordinates may say. */
	return parser->format || !strcmp(line->value, "FUNCTION") ||
	       fail_to_know(parser, line);
}

static bool
take_coordinate_type(struct parser *parser, const struct reader_line *line)
{
	return !strcmp(line->value, "TWOD_COORDS") ||
	       fail_to_know(parser, line);
}

static bool
skip_line(struct parser *parser, const struct reader_line *line)
{
	(void)parser;
	(void)line;
	return true;
}

/* Numbers follow the line of a keyword, and are counted by the dimension. */
static bool
begin_section(struct parser *parser, const struct reader_line *line)
{
	if (*line->value)
		return reader_fail(&parser->reader,
				   "%s goes on in the next line, not with '%s'",
				   line->key, line->value);
	return seen(parser, DIMENSION) ||
	       reader_fail(&parser->reader, "%s needs DIMENSION above it",
			   line->key);
}

static bool
take_distances(struct parser *parser, const struct reader_line *line)
{
	if (!begin_section(parser, line))
		return false;
	if (!seen(parser, RULE) || parser->rule != TSPLIB_EXPLICIT)
		return reader_fail(&parser->reader,
				   "%s needs EDGE_WEIGHT_TYPE EXPLICIT "
				   "above it",
				   line->key);
	if (!parser->format)
		return reader_fail(&parser->reader,
				   "%s needs an EDGE_WEIGHT_FORMAT above it",
				   line->key);
	return section_distances(&parser->reader, parser->format, parser->tsp);
}

static bool
read_points(struct parser *parser, const struct reader_line *line,
	    struct tsplib_point *points)
{
	return begin_section(parser, line) &&
	       section_points(&parser->reader, parser->tsp->cities, points);
}

static bool
take_points(struct parser *parser, const struct reader_line *line)
{
	return read_points(parser, line, parser->points);
}

/* Where to draw the cities says nothing about their distances. */
static bool
skip_points(struct parser *parser, const struct reader_line *line)
{
	struct tsplib_point unused[TSPLIB_CITIES_MOST];

	return read_points(parser, line, unused);
}

static const struct {
	const char *name;
	bool (*take)(struct parser *parser, const struct reader_line *line);
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

static bool
take_line(struct parser *parser, const struct reader_line *line)
{
	int i;

	for (i = 0; i < COUNT(keywords); i++) {
		if (strcmp(line->key, keywords[i].name))
			continue;
		if (seen(parser, i) && !keywords[i].repeats)
			return reader_fail(&parser->reader, "%s again",
					   line->key);
		if (!keywords[i].take(parser, line))
			return false;
		parser->seen |= 1u << i;
		return true;
	}
	return reader_fail(&parser->reader, "'%s' is no keyword that tsp knows",
			   line->key);
}

static bool
take_all_lines(struct parser *parser)
{
	struct reader *reader = &parser->reader;
	struct reader_line line;

	while (reader_next_line(reader, &line)) {
		if (!strcmp(line.key, "EOF"))
			return true;
		if (!take_line(parser, &line))
			return false;
	}
	/* EOF is optional; without it, a cut-off number would look whole. */
	return !parser->seen || reader->end[-1] == '\n' ||
	       reader_fail(reader, "the file ends within a line");
}

static bool
check_complete(struct parser *parser)
{
	int data = parser->rule == TSPLIB_EXPLICIT ? DISTANCES : POINTS;
	int i;

	for (i = NAME; i <= RULE; i++)
		if (!seen(parser, i))
			return reader_fail(&parser->reader,
					   "the file ends without %s",
					   keywords[i].name);
	return seen(parser, data) ||
	       reader_fail(&parser->reader, "the file ends without %s",
			   keywords[data].name);
}

static void
measure(const struct parser *parser, struct tsplib *tsp)
{
	int i, j;

	for (i = 0; i < tsp->cities; i++)
		for (j = 0; j < tsp->cities; j++)
			tsp->distance[i][j] =
				i == j ? 0
				       : tsplib_distance(parser->rule,
							 parser->points[i],
							 parser->points[j]);
}

bool
tsplib_parse(const char *path, const char *text, size_t bytes,
	     struct tsplib *tsp, struct app_why *why)
{
	struct parser parser = { .reader = { path, text, text + bytes, 1, why },
				 .tsp = tsp };

	if (!take_all_lines(&parser) || !check_complete(&parser))
		return false;
	if (parser.rule != TSPLIB_EXPLICIT)
		measure(&parser, tsp);
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
