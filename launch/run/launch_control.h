/*
 * launch_control.h: requests of other commands to the launcher, which come
 * through its control socket (control.h).
 *
 *	words		       answer
 *	list		       a line about the run, for `sateen runs`
 *	metrics		       the state of the run (live/metrics.h)
 *	leave HOST | node N    when these nodes have left, or died
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_CONTROL_H
#define STN_LAUNCH_RUN_LAUNCH_CONTROL_H

#include "launch/run/launch.h"

/*
 * launch_control_open, _close: at the start and the end of the launch. Without
 * a control socket the run is out of reach of other commands.
 */
void launch_control_open(struct launch *launch);
void launch_control_close(struct launch *launch);

/*
 * launch_control_check: answers the requests to leave whose nodes have ended.
 */
void launch_control_check(struct launch *launch);

#endif
