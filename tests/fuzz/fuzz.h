/*
 * fuzz.h: common to all fuzz targets: the entry that libFuzzer or fuzz_main.c
 * calls with arbitrary bytes, and require, which ends the process if a
 * condition doesn't hold.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

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
