/*
 * launch.h: the launcher's own, which its files share. Users see stn_launch in
 * sateen.h.
 */
#ifndef STN_STEAL_LAUNCH_H
#define STN_STEAL_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "steal/config.h"
#include "transport/wireup/wireup_server.h"

#define LAUNCH_JOIN_SECONDS 60	/* to show its card in */
#define LAUNCH_LEAVE_SECONDS 20 /* to end in, after the barrier */

struct launch {
	struct stn_config config;
	struct stn_topology topology;
	struct stn_wireup_server server;
	pid_t *children; /* 0: it has ended */
	char **program;
	uint32_t processes; /* one for each node, unless: */
	bool inside;	    /* one process has all the nodes */
	uint32_t running;
	bool terminal; /* node 0 reads it, so it is in our process group */
	pid_t self;
	int signals; /* a signalfd */
	int links;   /* memory for the links' state, or -1 */
	sigset_t old_mask;
	struct timespec deadline;
	int status;  /* what we shall return */
	bool failed; /* the user has been told why */
};

/*
 * launch_complain: one line on stderr, and the run has failed. The first is the
 * one that matters; later ones follow from it, and aren't said.
 */
void launch_complain(struct launch *launch, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * launch_hear_out: reads what a node said last, such as why it gives up, before
 * it is judged. Only what is there: somebody it started may hold the other end
 * open.
 */
void launch_hear_out(struct launch *launch, uint32_t rank);

/* launch_explain_end: why the end of node @rank is the end of the run. */
void launch_explain_end(struct launch *launch, uint32_t rank, int status);

/*
 * launch_explain_abort: a node has given up: why, or that another was killed,
 * which is why.
 */
void launch_explain_abort(struct launch *launch);

/* launch_explain_wait: for what the launcher has waited too long. */
void launch_explain_wait(struct launch *launch);

#endif
