/*
 * app.h: functions that all example programs share: complaints in one line,
 * command lines, numbers, files, and a clock. They don't depend on <sateen.h>.
 */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stddef.h>

#define APP_GO_ON (-1)	/* no exit status: the program goes on */
#define APP_BAD_INPUT 1 /* exit status: a file was unreadable or malformed */
#define APP_USAGE 2	/* exit status: the command line was wrong */

/* Why a function failed: one line for the user, without a newline. */
struct app_why {
	char text[300];
};

/*
 * app_because: writes a line to @why. Returns false, so that a function can
 * fail with `return app_because(...)`.
 */
bool app_because(struct app_why *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * app_complain: prints "program: message" in one line on stderr. Returns
 * @status, so that STN_MAIN's body can return it.
 */
int app_complain(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * app_number: reads all of @text as a whole number from @least to @most.
 * Returns false, and leaves *@value_p alone, if it isn't one.
 */
bool app_number(const char *text, long least, long most, long *value_p);

/* app_real: like app_number, for a decimal number ("0.5", "1e-3"). */
bool app_real(const char *text, double least, double most, double *value_p);

/*
 * app_read_file: reads a whole file of at most @most bytes and appends a zero
 * byte, which *@bytes_p doesn't count. Returns memory that the caller frees, or
 * NULL with the reason in @why.
 */
char *app_read_file(const char *path, size_t most, size_t *bytes_p,
		    struct app_why *why);

/*
 * app_check_output: whether a file can be written at @path: it is writable, or
 * there is none and its directory is writable. app_check_replaced: whether a
 * file that is written elsewhere in the directory of @path can then be renamed
 * to @path, as STN_WRITE does it. A program calls them before it computes; they
 * write nothing. They return false with the reason in @why; true without a path
 * (NULL).
 */
bool app_check_output(const char *path, struct app_why *why);
bool app_check_replaced(const char *path, struct app_why *why);

/* app_seconds: the machine's monotonic clock, in seconds. */
double app_seconds(void);

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
