#include "launch/live/bar.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/*
 * Whether a write would not block, and not stop this process: the terminal
 * takes text (Ctrl-S holds it up), and this process runs in its foreground.
 */
static bool
is_writable(void)
{
	struct pollfd fd = { STDERR_FILENO, POLLOUT, 0 };

	return tcgetpgrp(STDERR_FILENO) == getpgrp() && poll(&fd, 1, 0) == 1 &&
	       fd.revents & POLLOUT;
}

/*
 * How many bytes of the text fit into a line. Some terminals go on to the next
 * line when the last column is written.
 */
static int
fitting(const char *text)
{
	struct winsize size;
	int length = (int)strlen(text);

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col ||
	    length < size.ws_col)
		return length;
	return size.ws_col - 1;
}

static void
bar_show(struct stn_bar *bar)
{
	if (!*bar->text || !is_writable())
		return;
	fprintf(stderr, "\r\033[K%.*s\r", fitting(bar->text), bar->text);
	fflush(stderr);
	bar->shown = true;
}

void
stn_bar_again(struct stn_bar *bar)
{
	if (!bar->shown)
		bar_show(bar);
}

/* This removes the old text, too. */
void
stn_bar_draw(struct stn_bar *bar, const struct stn_meter *meter)
{
	stn_meter_text(meter, bar->text);
	bar_show(bar);
}

void
stn_bar_hide(struct stn_bar *bar)
{
	if (!bar->shown)
		return;
	if (is_writable()) {
		fprintf(stderr, "\r\033[K");
		fflush(stderr);
	}
	bar->shown = false;
}

void
stn_bar_end(struct stn_bar *bar)
{
	stn_bar_hide(bar);
	*bar->text = '\0';
}
