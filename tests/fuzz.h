/*
 * fuzz.h: what every fuzz target has: the entry that libFuzzer, or fuzz_main.c,
 * calls with any bytes at all, and a way to say that a promise was broken.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void
require(bool kept)
{
	if (!kept)
		abort();
}

#endif
