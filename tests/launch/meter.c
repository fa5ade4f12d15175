/*
 * meter.c: the time left that the progress bar and `sateen top` show.
 */
#include "launch/live/meter.h"

#include <string.h>

#include "tests/tap.h"

#define LOOK_NS 500000000ull
#define PER_SECOND 10

struct world {
	struct stn_meter meter;
	uint64_t now_ns;
	double done;
};

/* Lets @seconds pass, in which @speed units are done each second. */
static void
pass(struct world *world, double seconds, double speed, uint64_t known)
{
	for (double left = seconds; left > 0; left -= LOOK_NS * 1e-9) {
		world->now_ns += LOOK_NS;
		world->done += speed * LOOK_NS * 1e-9;
		stn_meter_look(&world->meter, world->now_ns,
			       (uint64_t)world->done, known);
	}
}

static bool
is_near(double seconds, double expected)
{
	return seconds > 0.95 * expected && seconds < 1.05 * expected;
}

static void
constant_speed(void)
{
	struct world world = { .now_ns = 1 };

	stn_meter_look(&world.meter, world.now_ns, 0, 0);
	tap_ok(stn_meter_left(&world.meter) < 0,
	       "without units nothing is known");
	pass(&world, 3, 0, 0);
	pass(&world, 10, PER_SECOND, 1000);
	tap_ok(is_near(stn_meter_left(&world.meter), 90),
	       "at a constant speed the time left is exact: %.1f s",
	       stn_meter_left(&world.meter));
}

/* As when a node slows down, or another one joins. */
static void
other_speed(double speed)
{
	struct world world = { .now_ns = 1 };
	double expected;

	pass(&world, 100, PER_SECOND, 10000);
	pass(&world, 100, speed, 10000);
	expected = (10000 - world.done) / speed;
	tap_ok(is_near(stn_meter_left(&world.meter), expected),
	       "it follows the speed: %.1f s, of %.1f s",
	       stn_meter_left(&world.meter), expected);
}

static void
nothing_done(void)
{
	struct world world = { .now_ns = 1 };
	char text[STN_METER_TEXT];

	pass(&world, 10, 0, 100);
	tap_ok(stn_meter_left(&world.meter) < 0, "without speed it is unknown");
	stn_meter_text(&world.meter, text);
	tap_ok(strstr(text, "? left"), "which the text says: %s", text);
	pass(&world, 60, PER_SECOND, 100);
	tap_ok(stn_meter_left(&world.meter) == 0,
	       "when all is done, none is left");
}

int
main(void)
{
	tap_begin();
	constant_speed();
	other_speed(PER_SECOND / 2);
	other_speed(PER_SECOND * 2);
	nothing_done();
	return tap_end();
}
