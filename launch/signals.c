#include "launch/signals.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static const int awaited[STN_SIGNALS_AWAITED] = { SIGCHLD, SIGINT, SIGTERM,
						  SIGHUP };

bool
stn_signal_is_ignored(int signal)
{
	struct sigaction action;

	return !sigaction(signal, NULL, &action) &&
	       action.sa_handler == SIG_IGN;
}

void
stn_signals_ignore_xfsz(void)
{
	signal(SIGXFSZ, SIG_IGN);
}

/*
 * The return from the handler sets the mask in @context. The signal keeps its
 * origin: a launcher does not pass on what a terminal has sent to all processes.
 */
static void
pass_signal(int number, siginfo_t *info, void *context)
{
	int before = errno;

	sigaddset(&((ucontext_t *)context)->uc_sigmask, number);
	if (syscall(SYS_rt_sigqueueinfo, getpid(), number, info))
		kill(getpid(), number);
	errno = before;
}

bool
stn_signal_hold(int signal, struct sigaction *before)
{
	struct sigaction action = {
		.sa_sigaction = pass_signal,
		.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK,
	};

	sigemptyset(&action.sa_mask);
	return !sigaction(signal, &action, before);
}

void
stn_signal_let_go(int signal, const struct sigaction *before)
{
	struct sigaction now;

	if (!sigaction(signal, NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
	    now.sa_sigaction == pass_signal)
		sigaction(signal, before, NULL);
}

void
stn_signals_block(sigset_t *mask, struct stn_signals_before *before)
{
	signal(SIGCHLD, SIG_DFL); /* if ignored, ends of children are lost */
	sigemptyset(mask);
	/* Before a handler may change it. */
	sigprocmask(SIG_BLOCK, NULL, &before->mask);
	for (size_t i = 0; i < STN_SIGNALS_AWAITED; i++) {
		if (stn_signal_is_ignored(awaited[i]))
			sigaction(awaited[i], NULL, &before->actions[i]);
		else if (stn_signal_hold(awaited[i], &before->actions[i]))
			sigaddset(mask, awaited[i]);
	}
	sigprocmask(SIG_BLOCK, mask, NULL);
}

void
stn_signals_let_go(const struct stn_signals_before *before)
{
	for (size_t i = 0; i < STN_SIGNALS_AWAITED; i++)
		stn_signal_let_go(awaited[i], &before->actions[i]);
}

void
stn_signals_restore(const struct stn_signals_before *before)
{
	stn_signals_let_go(before);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}
