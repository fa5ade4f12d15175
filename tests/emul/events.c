/*
 * events.c: the simulator's queue of events.
 */
#include "emul/events.h"
#include "tests/tap.h"

static void
test_events(void)
{
	struct stn_events events = { 0 };
	struct stn_event event, last = { 0 };
	uint64_t random = 1;
	unsigned count = 0;
	bool right = true;

	for (unsigned i = 0; i < 10000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		event = (struct stn_event){ .at = random >> 56, .node = i };
		right = right && stn_events_add(&events, event);
	}
	for (; stn_events_take(&events, &event); count++) {
		right = right &&
			(event.at > last.at ||
			 (event.at == last.at && event.order > last.order));
		last = event;
	}
	tap_ok(right && count == 10000 &&
		       stn_events_next(&events) == UINT64_MAX,
	       "events come in order of time, and those of one time in the "
	       "order of adding");
	stn_events_fini(&events);
}

/*
 * Adds and takes by turns, as a simulation does: events that follow the last
 * one at once, soon, or after a long time.
 */
static void
test_many_events(void)
{
	struct stn_events events = { 0 };
	struct stn_event event = { 0 }, last = { 0 };
	uint64_t random = 1;
	unsigned taken = 0, added = 0;
	bool right = true;

	while (added < 100000 || taken < added) {
		unsigned more = added < 100000 ? taken % 3 : 0;

		for (unsigned i = 0; i < more || added < 300; i++, added++) {
			random = random * 6364136223846793005u +
				 1442695040888963407u;
			event.at = last.at + (random >> 40 & 15) *
						     (1ull << (random >> 59));
			right = right && stn_events_add(&events, event);
		}
		right = right && stn_events_take(&events, &event) &&
			(event.at > last.at ||
			 (event.at == last.at && event.order > last.order));
		last = event;
		taken++;
	}
	tap_ok(right && taken == added && !stn_events_take(&events, &event),
	       "%u events come in order while more are added", taken);
	stn_events_fini(&events);
}

static void
test_put(void)
{
	const struct stn_event late = { .at = 7, .order = 9, .node = 2 },
			       early = { .at = 7, .order = 4, .node = 1 };
	struct stn_events events = { 0 };
	struct stn_event event = { .at = 7, .node = 3 };
	bool right = stn_events_add(&events, event) &&
		     stn_events_put(&events, &late) &&
		     stn_events_put(&events, &early);

	for (uint32_t i = 1; i <= 3; i++)
		right = right && stn_events_take(&events, &event) &&
			event.node == i;
	tap_ok(right, "events of one time whose order the caller has chosen "
		      "come first, in that order");
	stn_events_fini(&events);
}

int
main(void)
{
	tap_begin();
	test_events();
	test_many_events();
	test_put();
	return tap_end();
}
