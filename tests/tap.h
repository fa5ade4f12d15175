/*
 * tap.h: tests that print the Test Anything Protocol, version 12. A program's
 * plan is printed last, so that a crash shows; a program that hangs is ended
 * by an alarm, which TAP_SECONDS (default 120) sets.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Weak: the files of one program share them. */
__attribute__((weak)) unsigned tap_count, tap_failed;

static inline void
tap_begin(void)
{
	const char *seconds = getenv("TAP_SECONDS");

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(seconds ? (unsigned)atoi(seconds) : 120);
}

/* tap_ok: a test's outcome, and what was expected, as a sentence. */
__attribute__((format(printf, 2, 3))) static inline bool
tap_ok(bool passed, const char *format, ...)
{
	va_list list;

	tap_failed += !passed;
	printf("%sok %u - ", passed ? "" : "not ", ++tap_count);
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
	return passed;
}

/* tap_skip: a test that can't be run here, and what is missing. */
static inline void
tap_skip(const char *what, const char *missing)
{
	printf("ok %u - %s # SKIP %s\n", ++tap_count, what, missing);
}

/* tap_end: the plan; what main() returns. */
static inline int
tap_end(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
