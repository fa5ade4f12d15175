/*
 * sim_watch.h: shows on a terminal how far a simulation is, and ends it on
 * SIGINT or SIGTERM.
 */
#ifndef STN_EMUL_SIM_WATCH_H
#define STN_EMUL_SIM_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "emul/sim_run.h"

#define SIM_SIGNALS 2 /* that end a simulation */

struct sim_watch {
	uint64_t begin_ns, shown_ns; /* of the machine's time */
	bool terminal;		     /* stderr is one */
	bool ours[SIM_SIGNALS];	     /* the signal has our handler */
};

/* sim_watch_begin: starts the clock and handles the signals. */
void sim_watch_begin(struct sim_watch *watch);

/* sim_watch_signal: the signal that asks the simulation to end, or 0. */
int sim_watch_signal(void);

/*
 * sim_watch_due: is it time to update the line on the terminal? Once a second.
 * sim_watch_show: updates the line. The cursor stays in front of it, so that
 * other text replaces its beginning. No share may run meanwhile.
 */
bool sim_watch_due(const struct sim_watch *watch);
void sim_watch_show(struct sim_watch *watch, const struct stn_sim *sim);

/* sim_watch_hide: clears the line. */
void sim_watch_hide(void);

/*
 * sim_watch_end: clears the line and restores the signals' defaults. Returns
 * the time since sim_watch_begin, in ns of the machine's time.
 */
uint64_t sim_watch_end(struct sim_watch *watch);

#endif
