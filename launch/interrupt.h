/*
 * interrupt.h: SIGINT in a run whose services want to know of it: a thread
 * takes the signal, lets them act, and then lets the signal have its effect: a
 * handler of the program, or the end of the process.
 */
#ifndef STN_LAUNCH_INTERRUPT_H
#define STN_LAUNCH_INTERRUPT_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

struct stn_config;
struct stn_node;

struct stn_interrupt {
	bool on;
	sigset_t before; /* signals that were blocked before */
	int signals, stop;
	struct stn_node *node;
	pthread_t thread;
};

/*
 * stn_interrupt_hold: SIGINT waits from now on, if the run is traced and the
 * process does not ignore SIGINT. All threads and processes that are started
 * later inherit this.
 * stn_interrupt_begin: begins to take it; the node has its transport. If that
 * fails, SIGINT has its effect at once again.
 * stn_interrupt_end: SIGINT has its effect at once again.
 */
void stn_interrupt_hold(struct stn_interrupt *interrupt,
			const struct stn_config *config);
void stn_interrupt_begin(struct stn_interrupt *interrupt,
			 struct stn_node *node);
void stn_interrupt_end(struct stn_interrupt *interrupt);

#endif
