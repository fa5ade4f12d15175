/*
 * rings.c: the rings of a trace are copied while a worker records more.
 */
#include <pthread.h>
#include <stdlib.h>

#include "node/trace/rings.h"
#include "tests/tap.h"

#define ROUNDS 2000
#define ROOM 256 /* events of the ring */
#define RECORDED (ROOM * 4)

static struct stn_trace_event net_events[1], events[ROOM];
static struct stn_trace_ring each[] = { { .events = events,
					  .mask = ROOM - 1 } };
static const struct stn_trace_rings rings = { .workers = 1,
					      .net = { .events = net_events },
					      .each = each };

static void *
record(void *arg)
{
	for (uint32_t i = 0; i < RECORDED; i++) {
		const struct stn_trace_event event = {
			.begin_ns = i, .end_ns = i, .number = i, .other = i
		};

		stn_trace_put(&each[0], &event);
	}
	return arg;
}

/* Has the part the newest events up to one, each as it was recorded? */
static bool
part_is_right(const struct stn_trace_part *part)
{
	bool right =
		part->count <= ROOM && part->lost + part->count <= RECORDED;

	for (size_t i = 0; right && i < part->count; i++) {
		const struct stn_trace_event *event = &part->events[i];
		uint64_t number = part->lost + i;

		right = event->begin_ns == number && event->end_ns == number &&
			(uint64_t)event->number == number &&
			event->other == number;
	}
	return right;
}

static bool
copy_is_right(void)
{
	struct stn_trace_part part;
	bool right;

	if (stn_trace_rings_copy(&rings, &part))
		abort();
	right = part_is_right(&part);
	free(part.events);
	return right;
}

int
main(void)
{
	bool right = true;

	tap_begin();
	for (unsigned round = 0; round < ROUNDS; round++) {
		pthread_t thread;

		atomic_store(&each[0].count, 0);
		if (pthread_create(&thread, NULL, record, NULL))
			abort();
		while (atomic_load(&each[0].count) < RECORDED)
			right = copy_is_right() && right;
		pthread_join(thread, NULL);
	}
	tap_ok(right, "a copy has the events as they were recorded");
	return tap_end();
}
