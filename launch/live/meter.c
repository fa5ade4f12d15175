#include "launch/live/meter.h"

#include <stdbool.h>
#include <stdio.h>

#define BAR 30		/* characters */
#define LEAST_SECONDS 5 /* of the mean of the speed */

/*
 * Both sums lose a factor e in `memory` seconds. Long units end in bursts, so
 * this time grows with the run.
 */
static void
meter_add(struct stn_meter *meter, uint64_t now_ns, uint64_t units)
{
	double took = (double)(now_ns - meter->now_ns) * 1e-9;
	double age = (double)(now_ns - meter->begin_ns) * 1e-9;
	double memory = LEAST_SECONDS + age / 8;
	double keep = memory / (memory + took);

	meter->recent_units = keep * meter->recent_units + (double)units;
	meter->recent_seconds = keep * meter->recent_seconds + took;
}

void
stn_meter_look(struct stn_meter *meter, uint64_t now_ns, uint64_t done,
	       uint64_t known)
{
	bool first = !meter->now_ns;
	uint64_t before = meter->done;

	meter->known = known;
	meter->done = done < known ? done : known;
	if (known && !meter->begin_ns)
		meter->begin_ns = first ? now_ns : meter->now_ns;
	if (known && !first && now_ns > meter->now_ns)
		meter_add(meter, now_ns,
			  meter->done > before ? meter->done - before : 0);
	meter->now_ns = now_ns;
}

/* Units per second; 0: not known. */
static double
meter_speed(const struct stn_meter *meter)
{
	return meter->recent_seconds > 0
		       ? meter->recent_units / meter->recent_seconds
		       : 0;
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
 * Writes the speed with a prefix: 12.3 k. From 999.5 on three digits would
 * round to 1e+03.
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
