/*
 * sections.h: reads files that describe something that changes over time. Each
 * line describes something, in a form of its own, or begins a section:
 *
 *	@ TIME					@ 60s
 *
 * The lines after it hold from that time of the run on. TIMEs must ascend. A #
 * starts a comment.
 */
#ifndef STN_EMUL_SECTIONS_H
#define STN_EMUL_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "transport/error.h"

#define STN_BLANKS " \t\r\n" /* between the words of a line */
#define STN_FORM_BYTES 128

struct stn_sections {
	const char *name; /* of the file, for @why */
	const char *form; /* the form of a line, for @why */
	struct stn_why *why;

	/*
	 * Takes a line whose first word is @word; strtok_r finds the others in
	 * @rest. STN_MALFORMED: the line has not the form; @why is then made
	 * here.
	 */
	enum stn_err (*line)(struct stn_sections *sections, char *word,
			     char *rest);

	/* A section begins, later than start_ns, which is set afterwards. */
	enum stn_err (*begin)(struct stn_sections *sections, uint64_t start_ns);

	/* For the functions above; zero at first. */
	unsigned number;   /* of the line, from 1 */
	uint64_t start_ns; /* of the section */
};

/*
 * stn_sections_read: reads @in up to its end or the first error.
 * STN_INVALID, STN_IO, or an error of the two functions.
 */
STN_CHECKED enum stn_err stn_sections_read(FILE *in,
					   struct stn_sections *sections);

#endif
