/*
 * signals.h: the signals that a launcher, an agent or a gateway waits for, and
 * one that all processes ignore.
 */
#ifndef STN_LAUNCH_SIGNALS_H
#define STN_LAUNCH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#define STN_SIGNALS_AWAITED 4 /* SIGCHLD, SIGINT, SIGTERM, SIGHUP */

/* Before stn_signals_block: the mask, and what these signals did. */
struct stn_signals_before {
	sigset_t mask;
	struct sigaction actions[STN_SIGNALS_AWAITED];
};

/*
 * stn_signals_block: blocks SIGCHLD and the signals that end a run: SIGINT,
 * SIGTERM and SIGHUP. A signal that the parent process has set to be ignored is
 * left out (nohup and shells do that). Other threads of the process, which a
 * library may have started before main, hold the signals as stn_signal_hold
 * says.
 * @mask  the signals to wait for, by sigwait or a signalfd
 * stn_signals_restore: restores the mask of the calling thread, and what the
 * signals did before; SIGCHLD gets its default action. The masks of other
 * threads stay. A child process calls it before exec.
 * stn_signals_let_go: the same without the mask, for a process that is about to
 * end: a signal that waits must not change its exit status.
 */
void stn_signals_block(sigset_t *mask, struct stn_signals_before *before);
void stn_signals_restore(const struct stn_signals_before *before);
void stn_signals_let_go(const struct stn_signals_before *before);

/*
 * stn_signal_hold: lets @signal wait for a signalfd or sigwait, although threads
 * of the process may not block it. Each thread that gets the signal blocks it
 * and sends it to the process again. In the end all threads block it, and it
 * waits until it is read. A call that SA_RESTART doesn't restart (poll,
 * nanosleep) may fail once with EINTR in each thread. Returns false if the
 * kernel refuses a handler for @signal.
 * @before  what the signal did before
 * stn_signal_let_go: @signal does that again, unless the program has installed a
 * handler meanwhile. The threads' masks stay.
 */
bool stn_signal_hold(int signal, struct sigaction *before);
void stn_signal_let_go(int signal, const struct sigaction *before);

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
