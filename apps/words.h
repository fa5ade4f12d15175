/*
 * words.h: reads a text as words and numbers, and counts lines for complaints.
 *
 * Words are separated by white space. The member word holds the word that was
 * read last, in a form that can be printed: unprintable characters become "?",
 * and a word that is too long ends with "...", so that it is neither a number
 * nor a keyword. Unless said otherwise, a function that returns false has
 * written "path:line: what is wrong" to the app_why.
 */
#ifndef APP_WORDS_H
#define APP_WORDS_H

#include "apps/app.h"

#define WORDS_BYTES 64

/* The caller sets all members but word. The first line is 1. */
struct words {
	const char *path, *at, *end; /* at to end: not read yet */
	struct app_why *why;
	unsigned line;
	char comment; /* begins a comment, to the line's end; '\n': none */
	char word[WORDS_BYTES];
};

/* words_fail: writes a complaint about the current line; returns false. */
bool words_fail(struct words *words, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * words_more: skips to the next word, without reading it. Returns false at the
 * end of the text, without a complaint.
 */
bool words_more(struct words *words);

/*
 * words_more_on_line: whether there is another word on this line. Reads no
 * word, and writes no complaint.
 */
bool words_more_on_line(struct words *words);

/*
 * words_next: reads a word. Returns false at the end of the text, without a
 * complaint.
 */
bool words_next(struct words *words);

/*
 * words_until: reads all up to @stop, or up to the line's end, as one word:
 * inner blanks and comments too, but no blanks at its ends. Skips @stop.
 */
void words_until(struct words *words, char stop);

/* words_expect: reads a word, which must be @word. */
bool words_expect(struct words *words, const char *word);

/*
 * words_whole: reads a whole number from @least to @most. Complaints call it
 * @what.
 */
bool words_whole(struct words *words, const char *what, long least, long most,
		 long *value_p);

/*
 * words_number: reads a decimal number from -@most to @most. Complaints call it
 * @what.
 */
bool words_number(struct words *words, const char *what, double most,
		  double *value_p);

#endif
