/*
 * fuzz_schedule.c: arbitrary bytes are either a file of events, or are refused
 * with one line.
 */
#include <stdio.h>
#include <string.h>

#include "emul/schedule.h"
#include "tests/fuzz/fuzz.h"

#define NODES 9

/* Events are ordered by time, and happen to nodes of the run. */
static void
check_schedule(const struct stn_schedule *schedule)
{
	for (size_t i = 0; i < schedule->count; i++) {
		const struct stn_schedule_event *event = &schedule->events[i];

		require(!i || event->at_ns >= event[-1].at_ns);
		require(event->what <= STN_SCHEDULE_JOIN);
		require(event->first <= event->last && event->last < NODES);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct stn_topology topology = { .nodes = NODES, .clusters = 3 };
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	struct stn_why why = { .text = "" };
	struct stn_schedule schedule;

	if (!in)
		return 0;
	if (stn_schedule_parse(in, "events", &topology, &schedule, &why)) {
		require(!schedule.events && !schedule.count && *why.text);
		require(!strchr(why.text, '\n'));
	} else {
		check_schedule(&schedule);
	}
	stn_schedule_fini(&schedule);
	fclose(in);
	return 0;
}
