/*
 * fuzz_speeds.c: arbitrary bytes are either a speeds file, or are refused with
 * one line.
 */
#include <stdio.h>
#include <string.h>

#include "emul/speeds.h"
#include "tests/fuzz/fuzz.h"

#define NODES 9
#define WORK_NS 1000000000ull

/*
 * Steps ascend from 0. Work that is done takes time, and the more work the more
 * time.
 */
static void
check_speed(const struct stn_speed *speed)
{
	uint64_t took, longer;

	require(speed->count && !speed->steps[0].start_ns);
	for (size_t i = 1; i < speed->count; i++)
		require(speed->steps[i].start_ns >
			speed->steps[i - 1].start_ns);
	require(speed->steps[speed->count - 1].speed > 0);
	for (size_t i = 0; i < speed->count; i++) {
		uint64_t begin = speed->steps[i].start_ns;

		took = stn_speed_takes(speed, begin, WORK_NS);
		longer = stn_speed_takes(speed, begin, 2 * WORK_NS);
		require(took >= WORK_NS / STN_SPEED_MOST && longer >= took);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	struct stn_why why = { .text = "" };
	struct stn_speeds speeds;

	if (!in)
		return 0;
	require(!stn_speeds_init(&speeds, NODES));
	if (stn_speeds_parse(in, "speeds", &speeds, &why))
		require(*why.text && !strchr(why.text, '\n'));
	else
		for (uint32_t i = 0; i < NODES; i++)
			check_speed(&speeds.nodes[i]);
	stn_speeds_fini(&speeds);
	fclose(in);
	return 0;
}
