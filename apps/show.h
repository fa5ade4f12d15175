/*
 * show.h: what the user of a search with a bound sees before it has ended.
 *
 * While tasks improve the bound, a line on the terminal has the best value so
 * far, the node that has found it, and the time when this was known here; there
 * is no line unless the run's standard output and this process's standard error
 * are terminals. On SIGINT (Ctrl-C) the program prints the best solution,
 * marked as not proven optimal, and ends with status 130. On SIGTERM, by which
 * mpirun and batch systems end programs, it does the same, with status 143; but
 * in a run that survives deaths, SIGTERM tells a node to leave. A simulation
 * shows no line, and the signals have their usual effects.
 *
 * The solutions of a scope have no values. Of them the line has the node and
 * the time, and a signal prints the earliest one in search order, marked as not
 * proven to be the first.
 */
#ifndef APP_SHOW_H
#define APP_SHOW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <sateen.h>

#define SHOW_WITNESS_MOST 4096 /* bytes, those of a bound's witness */

struct show {
	/* Set by the caller: */
	double unit;	/* the value that is shown as 1; 0: for a scope */
	size_t bytes;	/* of the witness */
	const void *arg;

	/*
	 * Prints the best solution on stdout; @witness is NULL if none is known
	 * but those that @arg may have. Returns whether it has printed one.
	 * Called by another thread than the search's.
	 */
	bool (*print)(const struct show *show, int64_t value,
		      const void *witness);

	/* Set by show_begin: */
	struct stn_watch watch;
	double begin; /* as by STN_SECONDS */
	pthread_t thread;
	bool runs; /* the thread was started */
};

/*
 * show_begin: from now on @bound is shown, and the signals mean the above, unless
 * they are ignored. Called by STN_MAIN's body, before the search; not for
 * two bounds at the same time.
 * show_end: ends this. Called after the search.
 */
void show_begin(STN_FRAME, struct show *show, struct stn_bound bound);
void show_end(struct show *show);

#endif
