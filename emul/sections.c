#include "emul/sections.h"

#include <string.h>

#include "transport/lines.h"
#include "transport/units.h"

/* Parses the rest of a line "@ TIME". */
static enum stn_err
parse_start(struct stn_sections *sections, char *rest)
{
	char *word = strtok_r(NULL, STN_BLANKS, &rest);
	enum stn_err err;
	uint64_t start;

	if (!word || stn_parse_duration(word, &start) ||
	    strtok_r(NULL, STN_BLANKS, &rest))
		return stn_because(sections->why, STN_INVALID,
				   "%.100s, line %u: not @ TIME, such as @ 60s",
				   sections->name, sections->number);
	if (!start && !sections->start_ns)
		return STN_OK;
	if (start <= sections->start_ns)
		return stn_because(sections->why, STN_INVALID,
				   "%.100s, line %u: this time is not after "
				   "the one before; they must ascend from 0",
				   sections->name, sections->number);
	err = sections->begin(sections, start);
	sections->start_ns = start;
	return err;
}

static enum stn_err
sections_parse_line(void *arg, char *line, size_t length)
{
	struct stn_sections *sections = arg;
	bool whole = strlen(line) == length;
	enum stn_err err = STN_MALFORMED;
	char *word, *rest;

	sections->number++;
	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, STN_BLANKS, &rest);
	if (whole && !word)
		return STN_OK;
	if (whole && !strcmp(word, "@"))
		return parse_start(sections, rest);
	if (whole)
		err = sections->line(sections, word, rest);
	if (err != STN_MALFORMED)
		return err;
	return stn_because(sections->why, STN_INVALID,
			   "%.100s, line %u: not %s, nor @ TIME",
			   sections->name, sections->number, sections->form);
}

enum stn_err
stn_sections_read(FILE *in, struct stn_sections *sections)
{
	return stn_lines_read(in, sections->name, sections_parse_line, sections,
			      sections->why);
}
