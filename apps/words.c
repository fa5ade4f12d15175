#include "apps/words.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
words_fail(struct words *words, const char *format, ...)
{
	enum { TAIL = 120 }; /* bytes kept of a long path, so that @what fits */
	size_t length = strlen(words->path);
	bool cut = length > TAIL;
	char what[150];
	va_list list;

	va_start(list, format);
	vsnprintf(what, sizeof(what), format, list);
	va_end(list);
	return app_because(words->why, "%s%s:%u: %s", cut ? "..." : "",
			   cut ? words->path + length - TAIL : words->path,
			   words->line, what);
}

static bool
is_blank(char c)
{
	return isspace((unsigned char)c);
}

static void
skip_to_line_end(struct words *words)
{
	while (words->at < words->end && *words->at != '\n')
		words->at++;
}

bool
words_more_on_line(struct words *words)
{
	while (words->at < words->end && *words->at != '\n' &&
	       is_blank(*words->at))
		words->at++;
	if (words->at < words->end && *words->at == words->comment)
		skip_to_line_end(words);
	return words->at < words->end && *words->at != '\n';
}

bool
words_more(struct words *words)
{
	while (!words_more_on_line(words)) {
		if (words->at == words->end)
			return false;
		/* No line begins after a newline at the text's end. */
		if (++words->at < words->end)
			words->line++;
	}
	return true;
}

/* Makes the text from @from to words->at, trimmed, the last word read. */
static void
keep(struct words *words, const char *from)
{
	const char *to = words->at;
	size_t bytes, i;

	while (from < to && is_blank(*from))
		from++;
	while (from < to && is_blank(to[-1]))
		to--;
	bytes = (size_t)(to - from);
	if (bytes >= WORDS_BYTES)
		bytes = WORDS_BYTES - 1;
	for (i = 0; i < bytes; i++)
		words->word[i] =
			from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	words->word[bytes] = '\0';
	if (from + bytes < to)
		memcpy(words->word + bytes - 3, "...", 3);
}

bool
words_next(struct words *words)
{
	const char *from;

	if (!words_more(words))
		return false;
	from = words->at;
	while (words->at < words->end && !is_blank(*words->at) &&
	       *words->at != words->comment)
		words->at++;
	keep(words, from);
	return true;
}

void
words_until(struct words *words, char stop)
{
	const char *from = words->at;

	while (words->at < words->end && *words->at != '\n' &&
	       *words->at != stop)
		words->at++;
	keep(words, from);
	if (words->at < words->end && *words->at != '\n')
		words->at++;
}

static bool
next_or_fail(struct words *words, const char *what)
{
	return words_next(words) ||
	       words_fail(words, "the file ends where %s should be", what);
}

bool
words_expect(struct words *words, const char *word)
{
	char quoted[32];

	snprintf(quoted, sizeof(quoted), "'%s'", word);
	if (!next_or_fail(words, quoted))
		return false;
	return !strcmp(words->word, word) ||
	       words_fail(words, "'%s' where '%s' should be", words->word,
			  word);
}

bool
words_whole(struct words *words, const char *what, long least, long most,
	    long *value_p)
{
	return next_or_fail(words, what) &&
	       (app_number(words->word, least, most, value_p) ||
		words_fail(words,
			   "%s must be a whole number from %ld to %ld, "
			   "not '%s'",
			   what, least, most, words->word));
}

bool
words_number(struct words *words, const char *what, double most,
	     double *value_p)
{
	const char *word = words->word;
	double value;
	char *end;

	if (!next_or_fail(words, what))
		return false;
	value = strtod(word, &end);
	/* strtod() also accepts NaN, infinities and hexadecimal numbers. */
	if (end == word || *end || word[strspn(word, "0123456789.+-eE")] ||
	    fabs(value) > most)
		return words_fail(
			words, "'%s' where %s up to %.10g either way should be",
			word, what, most);
	*value_p = value;
	return true;
}
