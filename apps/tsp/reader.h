/*
 * reader.h: a text taken apart from front to back, into words or lines, with
 * the line number at hand for complaints.
 */
#ifndef TSP_READER_H
#define TSP_READER_H

#include "apps/app.h"

#define READER_WORD_BYTES 64

struct reader {
	const char *path, *at, *end;
	int line;
	struct app_why *why;
};

/* "KEY : VALUE", or a KEY alone; without the blanks around them. */
struct reader_line {
	char key[READER_WORD_BYTES], value[READER_WORD_BYTES];
};

/* reader_fail: leaves "path:line: message" in the reader's why; false. */
bool reader_fail(struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * reader_next_word: the next word, on whatever line it may be. Returns false
 * at the end of the text. What it leaves is printable ASCII; of a word that is
 * too long it is the beginning and an ellipsis, which passes for no number.
 */
bool reader_next_word(struct reader *reader, char word[READER_WORD_BYTES]);

/*
 * reader_next_line: the next line that is not blank, as reader_next_word in
 * all else.
 */
bool reader_next_line(struct reader *reader, struct reader_line *line);

#endif
