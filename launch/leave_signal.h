/*
 * leave_signal.h: SIGTERM tells a node to leave. The wire-up reads the signal
 * from a signalfd, which gets only what no thread takes.
 *
 * The signal is not blocked from the start, because the program's threads would
 * inherit that and hand it on to the programs that they start: those could not
 * be ended by SIGTERM, on which timeout(1) relies. Instead it is held, see
 * stn_signal_hold (signals.h). A program that is started has the default action
 * instead of the handler.
 */
#ifndef STN_LAUNCH_LEAVE_SIGNAL_H
#define STN_LAUNCH_LEAVE_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

struct stn_leave_signal {
	bool on;
	struct sigaction action; /* of SIGTERM, before */
	sigset_t mask;		 /* of the calling thread, before */
};

/*
 * stn_leave_signal_hold: SIGTERM waits from now on, if @leaves. One node of a
 * process calls it. If the program installs a handler later, that may get the
 * signal instead of the wire-up.
 * stn_leave_signal_end: SIGTERM has the effect again that it had before, at
 * once if it waits; a handler of the program stays. The thread that called
 * stn_leave_signal_hold calls it, and gets its mask of that time.
 */
void stn_leave_signal_hold(struct stn_leave_signal *signal, bool leaves);
void stn_leave_signal_end(struct stn_leave_signal *signal);

#endif
