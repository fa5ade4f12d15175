/*
 * fuzz_control.c: any bytes are frames between a launcher and an agent, or are
 * rejected; and any line is an agent's first, or is none.
 */
#include <stdlib.h>
#include <string.h>

#include "steal/launch/control.h"
#include "tests/fuzz.h"

static size_t
count(char *const *texts)
{
	size_t texts_count = 0;

	while (texts[texts_count])
		texts_count++;
	return texts_count;
}

/* What was taken apart is the same when it is put together again. */
static void
check_start(const struct stn_control *control)
{
	const char *body = (const char *)control->body;
	struct stn_control_start start, again;
	struct stn_bytes bytes = { NULL };
	struct stn_control copy;

	if (stn_control_start_parse(control, &start)) {
		require(!start.settings && !start.program);
		return;
	}
	require(start.count && start.first == control->about);
	require(start.directory >= body &&
		start.directory < body + control->size);
	require(count(start.program) && count(start.program) < control->size);
	require(stn_control_start_add(&bytes, &start));
	require(!stn_control_parse(stn_bytes_front(&bytes),
				   stn_bytes_count(&bytes), &copy));
	require(!stn_control_start_parse(&copy, &again));
	require(!strcmp(start.directory, again.directory) &&
		count(start.settings) == count(again.settings) &&
		count(start.program) == count(again.program));
	free(again.settings);
	free(again.program);
	free(start.settings);
	free(start.program);
	stn_bytes_fini(&bytes);
}

/* Frames, one after the other, in a copy without a byte more. */
static void
fuzz_frames(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size + !size), *at = exact;
	struct stn_control control;

	require(exact);
	memcpy(exact, data, size);
	while (!stn_control_parse(at, size, &control)) {
		require(control.body == at + STN_CONTROL_BYTES);
		require(control.size <= size - STN_CONTROL_BYTES);
		if (control.type == STN_CONTROL_START)
			check_start(&control);
		at += STN_CONTROL_BYTES + control.size;
		size -= STN_CONTROL_BYTES + control.size;
	}
	free(exact);
}

static void
fuzz_greeting(const uint8_t *data, size_t size)
{
	struct stn_why why = { "" };
	char *line = malloc(size + 1);
	uint32_t nodes = 0;

	require(line);
	memcpy(line, data, size);
	line[size] = '\0';
	switch (stn_control_greet(line, &nodes, &why)) {
	case STN_OK:
		require(nodes);
		break;
	case STN_INVALID:
		require(*why.text);
		break;
	default:
		require(!*why.text);
	}
	free(line);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_frames(data, size);
	fuzz_greeting(data, size);
	return 0;
}
