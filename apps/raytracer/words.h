/*
 * words.h: a text as words and numbers, with the line of each for complaints.
 *
 * Words are separated by white space; "#" hides the rest of its line. Every
 * reader below leaves "path:line: what is wrong" in the app_why and returns
 * false when the text has something else.
 */
#ifndef RAYTRACER_WORDS_H
#define RAYTRACER_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include "apps/app.h"
#include "apps/raytracer/vec.h"

/*
 * Numbers beyond this are absurd. With it no sum of products that a ray needs
 * overflows: the largest is a cone's discriminant, of degree four.
 */
#define WORDS_MOST 1e12

struct words {
	const char *at, *end; /* what is left to read */
	const char *path;
	unsigned line; /* of the last word */
	char word[48]; /* the last word, as it may be printed */
	struct app_why *why;
};

void words_init(struct words *words, const char *path, const char *text,
		size_t bytes, struct app_why *why);

/* words_fail: leaves the complaint; returns false. */
bool words_fail(struct words *words, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * words_next: reads a word into words->word; false at the end of the text,
 * without a complaint. A word that is too long ends in "...", and unprintable
 * characters become "?", so that such a word equals no other.
 */
bool words_next(struct words *words);

/* words_more_on_line: is there another word on this line? Reads none. */
bool words_more_on_line(struct words *words);

/* words_expect: the next word is @word. */
bool words_expect(struct words *words, const char *word);

/* words_whole: a whole number between @least and @most; @what it counts. */
bool words_whole(struct words *words, const char *what, long least, long most,
		 long *value_p);

/* words_number: a number in -WORDS_MOST..WORDS_MOST. */
bool words_number(struct words *words, double *value_p);

/* words_vec: three numbers. */
bool words_vec(struct words *words, struct vec *vec_p);

/* words_colour: three numbers, none negative. */
bool words_colour(struct words *words, struct vec *colour_p);

/* words_amount: a number that is not negative; @what it measures. */
bool words_amount(struct words *words, const char *what, double *value_p);

#endif
