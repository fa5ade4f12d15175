/*
 * options.h: reads command lines by a table of a program's options.
 */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "apps/app.h"

/*
 * An option; or an operand, if it has neither letter nor name. Operands come in
 * the table's order. The value is stored through one of flag, text and number.
 * If an option isn't on the command line, its variable keeps its value, so the
 * caller sets defaults before. A table ends with { 0 }.
 */
struct app_option {
	char letter;	   /* "-d", or 0 */
	const char *name;  /* "--depth", or NULL */
	const char *value; /* the value's name, "DEPTH"; NULL for flags */
	bool *flag;
	const char **text;
	long *number, least, most;
	bool needed; /* an operand that may not be left out */
};

/*
 * app_options: reads the command line by @table, which -h and --help are added
 * to. Returns APP_GO_ON. Or returns the exit status to end with at once, after
 * it has printed @help on stdout or a complaint on stderr.
 */
int app_options(int argc, char **argv, const char *help,
		const struct app_option *table);

/*
 * app_misuse: prints a complaint about the command line on stderr, and refers
 * to --help. Returns APP_USAGE.
 */
int app_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
