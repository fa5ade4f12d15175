/*
 * tap.h: tests that print the Test Anything Protocol, version 12. A program's
 * plan is printed last, so that a crash shows; a program that hangs is ended
 * by an alarm, which TAP_SECONDS (default 120) sets.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Weak: the files of one program share them. */
__attribute__((weak)) unsigned tap_count, tap_failed;

static inline unsigned
tap_seconds(void)
{
	const char *seconds = getenv("TAP_SECONDS");

	return seconds ? (unsigned)atoi(seconds) : 120;
}

/*
 * tap_patience_ns: for how long to wait for what should happen. A part of what
 * the program has, as where it runs slowly, other processes do, too.
 */
static inline uint64_t
tap_patience_ns(void)
{
	return tap_seconds() * UINT64_C(1000000000) / 3;
}

static inline void
tap_begin(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(tap_seconds());
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
