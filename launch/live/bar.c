#include "launch/live/bar.h"

#include <stdio.h>

void
stn_bar_again(struct stn_bar *bar)
{
	if (!*bar->text || bar->shown)
		return;
	fprintf(stderr, "\r\033[K%s\r", bar->text);
	fflush(stderr);
	bar->shown = true;
}

void
stn_bar_draw(struct stn_bar *bar, const struct stn_meter *meter)
{
	stn_meter_text(meter, bar->text);
	bar->shown = false; /* drawing removes the old text */
	stn_bar_again(bar);
}

void
stn_bar_hide(struct stn_bar *bar)
{
	if (!bar->shown)
		return;
	fprintf(stderr, "\r\033[K");
	fflush(stderr);
	bar->shown = false;
}

void
stn_bar_end(struct stn_bar *bar)
{
	stn_bar_hide(bar);
	*bar->text = '\0';
}
