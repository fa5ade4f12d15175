/*
 * meter.h: how far a run is, by what its program reports (STN_PROGRESS), and
 * when it may end. No clock, no descriptor; one thread at a time.
 */
#ifndef STN_LAUNCH_LIVE_METER_H
#define STN_LAUNCH_LIVE_METER_H

#include <stddef.h>
#include <stdint.h>

#define STN_METER_TEXT 80 /* bytes of the text, with its zero byte */

/* All zeros: nothing was reported yet. */
struct stn_meter {
	/*
	 * The last look before units were known, or the first look; 0: none
	 * are known.
	 */
	uint64_t begin_ns;
	uint64_t now_ns; /* of the last look */
	uint64_t done, known;

	/* Since the start; the longer ago, the less both count. */
	double recent_units, recent_seconds;
};

/* stn_meter_look: at the time @now_ns so much is done and known. */
void stn_meter_look(struct stn_meter *meter, uint64_t now_ns, uint64_t done,
		    uint64_t known);

/*
 * stn_meter_left: the seconds until all known units are done, if they go on at
 * the present speed; less than 0: not known. The speed is a weighted mean: what
 * is older than 5 s plus an eighth of the run counts about a third.
 */
double stn_meter_left(const struct stn_meter *meter);

/*
 * stn_meter_text: a bar, the percentage, the speed and the time left; "" if
 * nothing was reported.
 */
void stn_meter_text(const struct stn_meter *meter, char text[STN_METER_TEXT]);

/* stn_meter_duration: writes seconds as "1 h 5 min", "3 min 20 s", "12 s". */
void stn_meter_duration(double seconds, char *text, size_t room);

#endif
