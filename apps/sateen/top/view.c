#include "apps/sateen/top/view.h"

#include <curses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/signals.h"

#define LOOK_MS 1000 /* between two looks */

/* The number of lines of @text. */
static int
count_lines(const char *text)
{
	int count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* Draws the lines from number @first on that fit; the last line has help. */
static void
draw(const char *text, int first)
{
	int number = 0;

	erase();
	for (; *text; number++) {
		int length = (int)strcspn(text, "\n");

		if (number >= first && number - first < LINES - 1)
			mvaddnstr(number - first, 0, text,
				  length < COLS ? length : COLS);
		text += length + (text[length] == '\n');
	}
	mvaddnstr(LINES - 1, 0, "q: quit; up, down, page up, page down: scroll",
		  COLS);
	refresh();
}

/* The first line to show, after a key. */
static int
scrolled(int first, int key, int lines)
{
	int page = LINES - 1, last = lines > page ? lines - page : 0;

	if (key == KEY_UP || key == KEY_PPAGE)
		first -= key == KEY_UP ? 1 : page;
	if (key == KEY_DOWN || key == KEY_NPAGE)
		first += key == KEY_DOWN ? 1 : page;
	if (first > last)
		first = last;
	return first < 0 ? 0 : first;
}

/* Without the capability to place the cursor, curses draws nothing readable. */
static bool
can_place(void)
{
	const char *cup = tigetstr("cup");

	return cup && cup != (char *)-1;
}

static enum stn_err
unknown_type(struct stn_why *why)
{
	return stn_because(why, STN_INVALID,
			   "the terminal is of an unknown type; use sateen "
			   "top --once RUN");
}

static volatile sig_atomic_t interrupted; /* set by on_interrupt */

static void
on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/*
 * newterm would install a handler that ends the process with status 1. It
 * leaves a signal alone that is handled or ignored already.
 */
static void
handle_interrupt(void)
{
	const struct sigaction action = { .sa_handler = on_interrupt };

	if (!stn_signal_is_ignored(SIGINT))
		sigaction(SIGINT, &action, NULL);
}

static enum stn_err
show_until_end(top_look *look, void *arg, struct stn_why *why)
{
	enum stn_err err = STN_OK;
	int key = ERR, first = 0;

	while (!err && key != 'q' && !interrupted) {
		char *text = NULL;

		err = look(arg, &text, why);
		if (err)
			break;
		do {
			first = scrolled(first, key, count_lines(text));
			draw(text, first);
			key = getch(); /* LOOK_MS at most */
		} while (key != ERR && key != 'q');
		free(text);
		/* Without a terminal getch() does not wait. */
		if (key == ERR && !isatty(STDIN_FILENO))
			err = stn_because(why, STN_LOST,
					  "the terminal has gone");
	}
	return interrupted ? STN_OK : err;
}

static enum stn_err
view_screen(top_look *look, void *arg, struct stn_why *why)
{
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	timeout(LOOK_MS);
	return show_until_end(look, arg, why);
}

enum stn_err
top_view(top_look *look, void *arg, struct stn_why *why)
{
	SCREEN *screen;
	enum stn_err err;

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		return stn_because(why, STN_INVALID,
				   "there is no terminal; use sateen top "
				   "--once RUN");
	handle_interrupt();
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return unknown_type(why);
	err = can_place() ? view_screen(look, arg, why) : unknown_type(why);
	endwin();
	delscreen(screen);
	return err;
}
