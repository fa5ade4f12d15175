#include "apps/show.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "apps/app.h"

#define LOOK_MS 100 /* between two looks at the bound */
#define PATIENCE_SECONDS 0.5 /* for signals that belong together */

/* Why the thread is woken up; added to the descriptor's count. */
#define WAKE_END 1
#define WAKE_INTERRUPT 0x10000

/* Global, as a handler gets no argument. */
static int wake = -1;		    /* an eventfd */
static _Atomic(int) interrupter;    /* the first signal; 0: none */
static _Atomic(double) interrupted; /* when it came; 0: not yet */

/*
 * Threads may run this handler at the same time. The exchange, which pairs with
 * itself, lets only the first signal count. The thread that shows lines reads
 * the signal's number after it has read the eventfd, to which the handler writes
 * last.
 *
 * `sateen run` and a terminal send a signal each. A later one ends the process,
 * which may be unable to print.
 */
static void
on_interrupt(int number)
{
	double now = app_seconds(), first = interrupted;
	int before = errno, none = 0;

	if (first > 0 && now > first + PATIENCE_SECONDS) {
		signal(number, SIG_DFL);
		raise(number); /* takes effect when this handler returns */
	}
	if (atomic_compare_exchange_strong(&interrupter, &none, number))
		interrupted = now;
	(void)eventfd_write(wake, WAKE_INTERRUPT);
	errno = before;
}

static bool
shows_line(const struct show *show)
{
	return show->watch.terminal && isatty(STDERR_FILENO);
}

/* How far the search is, of which some work may have been done twice. */
static int
percent(const struct stn_sighting *sighting)
{
	double part = (double)sighting->done / (double)sighting->total;

	return part < 1 ? (int)(100 * part) : 100;
}

static void
show_line(const struct show *show, const struct stn_sighting *sighting)
{
	double after = sighting->seconds - show->begin;

	fprintf(stderr, "\r\033[K");
	if (show->unit > 0)
		fprintf(stderr, "best so far: %.15g",
			(double)sighting->value / show->unit);
	else
		fprintf(stderr, "a solution, maybe not the first");
	fprintf(stderr, ", found by node %u after %.1f s",
		(unsigned)sighting->node, after > 0 ? after : 0);
	if (sighting->total)
		fprintf(stderr, "; %d %% done", percent(sighting));
}

static void
show_interrupted(const struct show *show)
{
	unsigned char witness[SHOW_WITNESS_MOST];
	struct stn_sighting seen = { 0 };
	bool found = stn_watch_look(&show->watch, &seen, witness, show->bytes);

	if (shows_line(show))
		fprintf(stderr, "\r\033[K");
	printf("interrupted: %s\n",
	       show->unit > 0 ? "not proven optimal"
	       : found	      ? "not proven to be the first"
			      : "the search was not over");
	if (!show->print(show, seen.value, found ? witness : NULL))
		printf("no solution was found\n");
	fflush(stdout);
	_exit(128 + interrupter); /* other threads may be inside of tasks */
}

/* Waits for the end, and looks at the bound now and then. */
static void
show_until_woken(const struct show *show)
{
	struct pollfd event = { wake, POLLIN, 0 };
	int wait_ms = shows_line(show) ? LOOK_MS : -1;
	unsigned char witness[SHOW_WITNESS_MOST];
	struct stn_sighting last = { 0 }, now;
	int ready;

	while ((ready = poll(&event, 1, wait_ms)) <= 0) {
		if (ready < 0) /* a signal has interrupted it */
			continue;
		if (!stn_watch_look(&show->watch, &now, witness, show->bytes) ||
		    (now.value == last.value && now.seconds == last.seconds &&
		     now.done == last.done))
			continue;
		show_line(show, &now);
		last = now;
	}
}

static void *
show_until_end(void *arg)
{
	eventfd_t why = 0;

	show_until_woken(arg);
	if (!eventfd_read(wake, &why) && why >= WAKE_INTERRUPT)
		show_interrupted(arg);
	if (shows_line(arg))
		fprintf(stderr, "\r\033[K");
	return NULL;
}

/*
 * Changes only the default action: if SIGTERM means that this node leaves the
 * run, the runtime handles it.
 */
static void
handle_signal(int number, bool handle)
{
	void (*from)(int) = handle ? SIG_DFL : on_interrupt;
	struct sigaction action = { .sa_handler = handle ? on_interrupt
							 : SIG_DFL,
				    .sa_flags = SA_RESTART };
	struct sigaction now;

	if (!sigaction(number, NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
	    now.sa_handler == from)
		(void)sigaction(number, &action, NULL);
}

static void
handle_interrupts(bool handle)
{
	handle_signal(SIGTERM, handle);
	handle_signal(SIGINT, handle);
}

void
show_begin(STN_FRAME, struct show *show, struct stn_bound bound)
{
	show->watch = STN_WATCH(bound);
	show->begin = STN_SECONDS();
	show->runs = false;
	if (!show->watch.search)
		return;
	wake = eventfd(0, EFD_CLOEXEC);
	if (wake < 0)
		return;
	show->runs = !pthread_create(&show->thread, NULL, show_until_end, show);
	if (show->runs)
		handle_interrupts(true);
	else
		close(wake);
}

void
show_end(struct show *show)
{
	if (!show->runs)
		return;
	handle_interrupts(false);
	(void)eventfd_write(wake, WAKE_END);
	pthread_join(show->thread, NULL);
	close(wake);
}
