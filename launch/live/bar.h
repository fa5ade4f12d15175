/*
 * bar.h: the progress bar: one line on standard error, which is a terminal. It
 * is drawn again and again in the same place. The cursor stays in front of it,
 * so that a line which another process prints meanwhile replaces its beginning.
 * No call waits for the terminal: while the terminal takes no text, or while
 * this process is in the background, nothing is drawn or removed. One thread at
 * a time.
 */
#ifndef STN_LAUNCH_LIVE_BAR_H
#define STN_LAUNCH_LIVE_BAR_H

#include <stdbool.h>

#include "launch/live/meter.h"

/* All zeros: no bar. */
struct stn_bar {
	bool shown;
	char text[STN_METER_TEXT]; /* newest text */
};

/*
 * stn_bar_draw: shows the text that @meter has now; nothing if it has none.
 * stn_bar_hide: removes the bar from the terminal, for other text.
 * stn_bar_again: shows the newest text again, after stn_bar_hide.
 * stn_bar_end: removes the bar; it has no text any more.
 */
void stn_bar_draw(struct stn_bar *bar, const struct stn_meter *meter);
void stn_bar_hide(struct stn_bar *bar);
void stn_bar_again(struct stn_bar *bar);
void stn_bar_end(struct stn_bar *bar);

#endif
