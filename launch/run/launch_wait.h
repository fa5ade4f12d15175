/*
 * launch_wait.h: the launcher's deadline, and the end of all nodes.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_WAIT_H
#define STN_LAUNCH_RUN_LAUNCH_WAIT_H

#include "launch/run/launch.h"

/* launch_wait: sets the deadline to @ms milliseconds from now. */
void launch_wait(struct launch *launch, unsigned ms);

/* launch_begin_waiting: sets the deadline for nodes, or hosts, to join. */
void launch_begin_waiting(struct launch *launch);

/*
 * launch_milliseconds_left: the time until the deadline; -1 if there is none.
 */
int launch_milliseconds_left(const struct launch *launch);

/*
 * launch_timed_out: the deadline has passed: tells the user why the run failed,
 * and kills all nodes. While output waits for a reader, sets a new deadline
 * instead.
 */
void launch_timed_out(struct launch *launch);

/*
 * launch_kill: kills all nodes. The launcher still waits for their ends, and
 * for LAUNCH_KILLED_SECONDS at most for those of agents.
 */
void launch_kill(struct launch *launch);

#endif
