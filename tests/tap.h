/*
 * tap.h: for tests that print the Test Anything Protocol, version 12. The plan
 * is printed last, so that a crash is noticed. An alarm ends a test program
 * that hangs after TAP_SECONDS (default 120).
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Weak, so that all files of one program share one copy. */
__attribute__((weak)) unsigned tap_count, tap_failed;

static inline unsigned
tap_seconds(void)
{
	const char *seconds = getenv("TAP_SECONDS");

	return seconds ? (unsigned)atoi(seconds) : 120;
}

/*
 * tap_patience_ns: how long a test waits for an event that should happen. It
 * grows with TAP_SECONDS, because on a slow machine other processes are slow,
 * too.
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

/*
 * tap_ok: prints a test's outcome, and a sentence on what should hold; returns
 * @passed.
 */
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

/* tap_skip: prints that a test can't run here, and what is missing. */
static inline void
tap_skip(const char *what, const char *missing)
{
	printf("ok %u - %s # SKIP %s\n", ++tap_count, what, missing);
}

/* tap_end: prints the plan; returns main()'s exit status. */
static inline int
tap_end(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
