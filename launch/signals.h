/*
 * signals.h: the signals that a launcher, an agent or a gateway waits for, and
 * one that all processes ignore.
 */
#ifndef STN_LAUNCH_SIGNALS_H
#define STN_LAUNCH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * stn_signals_block: blocks SIGCHLD and the signals that end a run: SIGINT,
 * SIGTERM and SIGHUP. A signal that the parent process has set to be ignored is
 * left out (nohup and shells do that). The mask is that of the calling thread,
 * so call it before other threads start.
 * @mask  the signals to wait for, by sigwait or a signalfd
 * @old_mask  the signals that were blocked before, to be restored in children
 */
void stn_signals_block(sigset_t *mask, sigset_t *old_mask);

/*
 * stn_signal_is_ignored: whether @signal is ignored. If it is blocked, it
 * reaches a signalfd nevertheless.
 */
bool stn_signal_is_ignored(int signal);

/*
 * stn_signals_ignore_xfsz: ignores SIGXFSZ, so that writing beyond the limit
 * for the size of files (ulimit -f) fails with EFBIG, and a line says so.
 * Processes that are started later inherit this.
 */
void stn_signals_ignore_xfsz(void);

#endif
