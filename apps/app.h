/*
 * app.h: what every program here needs besides <sateen.h>: complaining in one
 * line, reading numbers and files, and telling the time.
 */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stddef.h>

#define APP_GO_ON (-1)	/* no exit status: there is work to do */
#define APP_BAD_INPUT 1 /* exit status: a file was unreadable or malformed */
#define APP_USAGE 2	/* exit status: the command line was */

/* One line of words for people, left by a function that failed. */
struct app_why {
	char text[300];
};

/* app_because: leaves a line in @why; returns false, to fail in one line. */
bool app_because(struct app_why *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * app_complain: "program: message" in one line on stderr; returns @status, so
 * that STN_MAIN's body can return it.
 */
int app_complain(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* app_number: @text as a whole number between @least and @most, or false. */
bool app_number(const char *text, long least, long most, long *value_p);

/* app_real: @text as a decimal number between @least and @most, or false. */
bool app_real(const char *text, double least, double most, double *value_p);

/*
 * app_read_file: a whole file of at most @most bytes, with a zero byte behind
 * it. Returns memory to free, or NULL with the reason in @why.
 */
char *app_read_file(const char *path, size_t most, size_t *bytes_p,
		    struct app_why *why);

/* app_seconds: a clock that only goes forward. */
double app_seconds(void);

#endif
