/*
 * signals.h: the signals that a process which starts others waits for.
 */
#ifndef STN_TRANSPORT_SIGNALS_H
#define STN_TRANSPORT_SIGNALS_H

#include <signal.h>

/*
 * stn_signals_block: blocks SIGCHLD, and what ends a run: SIGINT, SIGTERM and
 * SIGHUP, but none that is ignored, as nohup and shells have it. Of the calling
 * thread, so before there are others.
 * @mask  what is to be waited for, by sigwait or a signalfd
 * @old_mask  which signals were blocked before, for the children
 */
void stn_signals_block(sigset_t *mask, sigset_t *old_mask);

#endif
