/*
 * launch_wait.h: the launcher's deadline, and the end of all nodes; why a run
 * has ended early, in one line on standard error: which node was the first, and
 * what happened to it.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_WAIT_H
#define STN_LAUNCH_RUN_LAUNCH_WAIT_H

#include "launch/run/launch.h"

#define LAUNCH_ON_HOST 100 /* bytes of " on HOST" */

/*
 * launch_say_line: prints the line @text, which has no newline, on standard
 * error. If that can't be written now, the line waits behind the text of nodes:
 * this process must not sleep.
 * launch_say: likewise, after "sateen: ".
 */
void launch_say_line(struct launch *launch, const char *text);
void launch_say(struct launch *launch, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * launch_complain: prints one line on standard error; the run has failed. Later
 * lines are not printed, because they follow from the first.
 */
void launch_complain(struct launch *launch, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * launch_on_host: writes " on HOST" to @text, or "" if all nodes are on one
 * host. Returns @text.
 */
const char *launch_on_host(const struct launch *launch, uint32_t rank,
			   char text[LAUNCH_ON_HOST]);

/*
 * launch_explain_end: says why the end of node @rank ends the run. If a node
 * has given up, nothing is said yet: another node may have been killed, and
 * then that is the reason. Its end is noticed a little later.
 */
void launch_explain_end(struct launch *launch, uint32_t rank, int status);

/* launch_explain_abort: says why a node has given up, if one has. */
void launch_explain_abort(struct launch *launch);

/* launch_explain_wait: says what the launcher has waited for in vain. */
void launch_explain_wait(struct launch *launch);

/* launch_has_output: does text of nodes wait for a reader? */
bool launch_has_output(const struct launch *launch);

/* launch_wait: sets the deadline to @ms milliseconds from now. */
void launch_wait(struct launch *launch, unsigned ms);

/* launch_begin_waiting: sets the deadline for nodes, or hosts, to join. */
void launch_begin_waiting(struct launch *launch);

/*
 * launch_await_nodes: the same, when nodes are started. There is no deadline if
 * they wait for those of other clusters.
 */
void launch_await_nodes(struct launch *launch);

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
