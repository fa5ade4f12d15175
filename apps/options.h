/*
 * options.h: command lines, read by a table of what a program takes.
 */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "apps/app.h"

/*
 * An option, or, without letter and name, an operand; operands come in the
 * table's order. One of flag, text and number says where it goes; what isn't on
 * the command line stays as it was. A table ends with { 0 }.
 */
struct app_option {
	char letter;	   /* "-d", or 0 */
	const char *name;  /* "--depth", or NULL */
	const char *value; /* what help calls it, "DEPTH"; flags have none */
	bool *flag;
	const char **text;
	long *number, least, most;
	bool needed; /* of operands */
};

/*
 * app_options: takes a command line apart, with -h and --help besides @table.
 * Returns APP_GO_ON, or the exit status to end with at once, after @help on
 * stdout or a complaint on stderr.
 */
int app_options(int argc, char **argv, const char *help,
		const struct app_option *table);

/* app_misuse: complains of the command line; returns APP_USAGE. */
int app_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
