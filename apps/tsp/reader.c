#include "apps/tsp/reader.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
reader_fail(struct reader *reader, const char *format, ...)
{
	char message[200];
	va_list list;

	va_start(list, format);
	vsnprintf(message, sizeof(message), format, list);
	va_end(list);
	return app_because(reader->why, "%s:%d: %s", reader->path, reader->line,
			   message);
}

static bool
blank(char c)
{
	return isspace((unsigned char)c);
}

static void
skip_blanks(struct reader *reader)
{
	while (reader->at < reader->end && blank(*reader->at)) {
		/* The text's last newline begins no further line. */
		if (*reader->at++ == '\n' && reader->at < reader->end)
			reader->line++;
	}
}

/* keep: the text from @from to @to without blanks at its ends, fit to print. */
static void
keep(const char *from, const char *to, char kept[READER_WORD_BYTES])
{
	size_t bytes, i;

	while (from < to && blank(*from))
		from++;
	while (from < to && blank(to[-1]))
		to--;
	bytes = (size_t)(to - from);
	if (bytes >= READER_WORD_BYTES)
		bytes = READER_WORD_BYTES - 1;
	for (i = 0; i < bytes; i++)
		kept[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	kept[bytes] = '\0';
	if (from + bytes < to)
		memcpy(kept + bytes - 3, "...", 3);
}

bool
reader_next_word(struct reader *reader, char word[READER_WORD_BYTES])
{
	const char *from;

	skip_blanks(reader);
	from = reader->at;
	while (reader->at < reader->end && !blank(*reader->at))
		reader->at++;
	keep(from, reader->at, word);
	return reader->at > from;
}

bool
reader_next_line(struct reader *reader, struct reader_line *line)
{
	const char *from, *to, *colon;

	skip_blanks(reader);
	from = reader->at;
	if (from == reader->end)
		return false;
	to = memchr(from, '\n', (size_t)(reader->end - from));
	to = to ? to : reader->end;
	colon = memchr(from, ':', (size_t)(to - from));
	keep(from, colon ? colon : to, line->key);
	keep(colon ? colon + 1 : to, to, line->value);
	reader->at = to;
	return true;
}
