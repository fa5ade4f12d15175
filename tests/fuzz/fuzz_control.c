/*
 * fuzz_control.c: arbitrary bytes are a request to a launcher, the start of
 * one, or are refused.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/run/control.h"
#include "tests/fuzz/fuzz.h"

/* The words lie in the bytes, one behind the other. */
static void
check_request(const struct stn_control_request *request, const char *bytes,
	      size_t size)
{
	const char *at = bytes;

	require(request->count && request->count <= STN_CONTROL_WORDS);
	for (size_t i = 0; i < request->count; i++) {
		require(request->words[i] == at && *at);
		for (; *at; at++)
			require((unsigned char)*at >= ' ');
		at++;
	}
	require(at == bytes + size - 1 && !*at);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stn_control_request request;
	char *bytes = malloc(size + !size); /* so that reads beyond show */

	require(bytes);
	memcpy(bytes, data, size);
	switch (stn_control_parse(bytes, size, &request)) {
	case STN_OK:
		check_request(&request, bytes, size);
		break;
	case STN_MISSING:
		require(size < STN_CONTROL_BYTES);
		break;
	default:
		break;
	}
	free(bytes);
	return 0;
}
