#include "launch/live/meter.h"

#include <stdbool.h>
#include <stdio.h>

#define BAR 30 /* characters */

void
stn_meter_look(struct stn_meter *meter, uint64_t now_ns, uint64_t done,
	       uint64_t known)
{
	bool first = !meter->now_ns;

	meter->known = known;
	meter->done = done < known ? done : known;
	if (known && !meter->begin_ns) {
		meter->begin_ns = first ? now_ns : meter->now_ns;
		meter->before = first ? meter->done : 0;
	}
	meter->now_ns = now_ns;
}

/* Units per second; 0: not known. */
static double
meter_speed(const struct stn_meter *meter)
{
	if (!meter->begin_ns || meter->now_ns <= meter->begin_ns ||
	    meter->done < meter->before)
		return 0;
	return (double)(meter->done - meter->before) * 1e9 /
	       (double)(meter->now_ns - meter->begin_ns);
}

double
stn_meter_left(const struct stn_meter *meter)
{
	double speed = meter_speed(meter);

	return speed > 0 ? (double)(meter->known - meter->done) / speed : -1;
}

void
stn_meter_duration(double seconds, char *text, size_t room)
{
	bool some = seconds > 0 && seconds < 1e9;
	uint64_t whole = some ? (uint64_t)(seconds + 0.5) : 0;

	if (seconds >= 1e9)
		snprintf(text, room, "years");
	else if (whole >= 3600)
		snprintf(text, room, "%u h %u min", (unsigned)(whole / 3600),
			 (unsigned)(whole % 3600 / 60));
	else if (whole >= 60)
		snprintf(text, room, "%u min %u s", (unsigned)(whole / 60),
			 (unsigned)(whole % 60));
	else
		snprintf(text, room, "%u s", (unsigned)whole);
}

/*
 * Writes the speed with a prefix: 12.3 k. From 999.5 on three digits would round
 * to 1e+03.
 */
static void
write_speed(double speed, char *text, size_t room)
{
	static const char prefixes[] = " kMGT";
	size_t i = 0;

	for (; speed >= 999.5 && prefixes[i + 1]; i++)
		speed /= 1000;
	snprintf(text, room, "%.3g%s%.1s", speed, i ? " " : "",
		 i ? prefixes + i : "");
}

void
stn_meter_text(const struct stn_meter *meter, char text[STN_METER_TEXT])
{
	char speed[20], left[30] = "?";
	double part;
	int full;

	*text = '\0';
	if (!meter->known)
		return;
	part = (double)meter->done / (double)meter->known;
	full = (int)(part * BAR);
	write_speed(meter_speed(meter), speed, sizeof(speed));
	if (stn_meter_left(meter) >= 0)
		stn_meter_duration(stn_meter_left(meter), left, sizeof(left));
	snprintf(text, STN_METER_TEXT, "%3d %% [%.*s%*s] %s/s, %s left",
		 (int)(part * 100), full, "##############################",
		 BAR - full, "", speed, left);
}
