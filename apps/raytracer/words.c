#include "apps/raytracer/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
words_init(struct words *words, const char *path, const char *text,
	   size_t bytes, struct app_why *why)
{
	*words = (struct words){ .at = text,
				 .end = text + bytes,
				 .path = path,
				 .line = 1,
				 .why = why };
}

bool
words_fail(struct words *words, const char *format, ...)
{
	enum { TAIL = 120 }; /* of a long path: what is wrong matters more */
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
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Goes to the next word or line end, past blanks and a comment. */
static void
skip_blanks(struct words *words)
{
	while (words->at < words->end && is_blank(*words->at))
		words->at++;
	if (words->at < words->end && *words->at == '#')
		while (words->at < words->end && *words->at != '\n')
			words->at++;
}

bool
words_more_on_line(struct words *words)
{
	skip_blanks(words);
	return words->at < words->end && *words->at != '\n';
}

static void
take_word(struct words *words)
{
	const size_t most = sizeof(words->word) - sizeof("...");
	size_t length = 0;

	for (; words->at < words->end; words->at++) {
		char c = *words->at;

		if (is_blank(c) || c == '\n' || c == '#')
			break;
		if (length < most)
			words->word[length++] = c > ' ' && c <= '~' ? c : '?';
		else
			strcpy(words->word + most, "...");
	}
	if (length < most || !words->word[most])
		words->word[length] = '\0';
}

bool
words_next(struct words *words)
{
	words->word[sizeof(words->word) - sizeof("...")] = '\0';
	for (skip_blanks(words); words->at < words->end; skip_blanks(words)) {
		if (*words->at != '\n') {
			take_word(words);
			return true;
		}
		words->at++;
		words->line++;
	}
	return false;
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
		words_fail(words, "%s should be %ld to %ld, not '%s'", what,
			   least, most, words->word));
}

bool
words_number(struct words *words, double *value_p)
{
	double value;
	char *end;

	if (!next_or_fail(words, "a number"))
		return false;
	value = strtod(words->word, &end);
	if (end == words->word || *end)
		return words_fail(words, "'%s' where a number should be",
				  words->word);
	if (!(fabs(value) <= WORDS_MOST)) /* catches NaN too */
		return words_fail(words, "'%s' is not between -%g and %g",
				  words->word, WORDS_MOST, WORDS_MOST);
	*value_p = value;
	return true;
}

bool
words_vec(struct words *words, struct vec *vec_p)
{
	struct vec vec;

	if (!words_number(words, &vec.x) || !words_number(words, &vec.y) ||
	    !words_number(words, &vec.z))
		return false;
	*vec_p = vec;
	return true;
}

bool
words_amount(struct words *words, const char *what, double *value_p)
{
	double value = 0; /* gcc -O3 can't see that it is set */

	if (!words_number(words, &value))
		return false;
	if (value < 0)
		return words_fail(words, "%s is negative: %s", what,
				  words->word);
	*value_p = value;
	return true;
}

bool
words_colour(struct words *words, struct vec *colour_p)
{
	struct vec colour;

	if (!words_amount(words, "red", &colour.x) ||
	    !words_amount(words, "green", &colour.y) ||
	    !words_amount(words, "blue", &colour.z))
		return false;
	*colour_p = colour;
	return true;
}
