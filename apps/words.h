/*
 * words.h: a text as words and numbers, with the line of each for complaints.
 *
 * Words are separated by white space. What is read last is kept fit to print:
 * unprintable characters become "?", and of what is too long there is the
 * beginning and "...", which passes for no number and no keyword. Readers that
 * return false leave "path:line: what is wrong" in the app_why, unless told.
 */
#ifndef APP_WORDS_H
#define APP_WORDS_H

#include "apps/app.h"

#define WORDS_BYTES 64

/* To begin, set all but the word; the first line is 1. */
struct words {
	const char *path, *at, *end; /* from at to end is left to read */
	struct app_why *why;
	unsigned line;
	char comment; /* hides the rest of its line; '\n' if nothing does */
	char word[WORDS_BYTES];
};

/* words_fail: leaves the complaint; returns false. */
bool words_fail(struct words *words, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* words_more: goes to the next word; false at the end, without a complaint. */
bool words_more(struct words *words);

/* words_more_on_line: is there another word on this line? Reads none. */
bool words_more_on_line(struct words *words);

/* words_next: reads a word; false at the end, without a complaint. */
bool words_next(struct words *words);

/*
 * words_until: reads what comes before @stop, which it passes, or before the
 * line's end, comments included; blanks around it are left out.
 */
void words_until(struct words *words, char stop);

/* words_expect: the next word is @word. */
bool words_expect(struct words *words, const char *word);

/* words_whole: a whole number between @least and @most; @what it counts. */
bool words_whole(struct words *words, const char *what, long least, long most,
		 long *value_p);

/* words_number: a decimal number in -@most..@most; @what it measures. */
bool words_number(struct words *words, const char *what, double most,
		  double *value_p);

#endif
