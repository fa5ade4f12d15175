/*
 * launch_input.h: main's standard input in a run that survives deaths. With
 * several hosts the agents get it (agents.h). On one host, main has the
 * launcher's standard input itself if that is a file or /dev/null; otherwise a
 * pipe, to which this module writes. One thread.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_INPUT_H
#define STN_LAUNCH_RUN_LAUNCH_INPUT_H

#include <poll.h>

#include "launch/run/launch.h"

/*
 * launch_input_begin: before the nodes start, when launch->survives is known.
 * launch_input_end: after their end.
 */
void launch_input_begin(struct launch *launch);
void launch_input_end(struct launch *launch);

/*
 * launch_input_poll: what to poll for; the descriptor is -1 if there is nothing.
 * launch_input_ready: poll() has found @polled ready.
 * launch_input_wait: milliseconds after which to poll anew; -1: any time.
 */
struct pollfd launch_input_poll(const struct launch *launch);
void launch_input_ready(struct launch *launch, const struct pollfd *polled);
int launch_input_wait(const struct launch *launch);

/* launch_input_follow: launch->root, another node, reads from the beginning. */
void launch_input_follow(struct launch *launch);

#endif
