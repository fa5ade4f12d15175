#include "launch/leave_signal.h"

#include <errno.h>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

/* The return from the handler sets the mask in @context. */
static void
pass_signal(int number, siginfo_t *info, void *context)
{
	int before = errno;

	(void)info;
	sigaddset(&((ucontext_t *)context)->uc_sigmask, number);
	kill(getpid(), number);
	errno = before;
}

void
stn_leave_signal_hold(struct stn_leave_signal *signal, bool leaves)
{
	struct sigaction action = {
		.sa_sigaction = pass_signal,
		.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK,
	};

	sigemptyset(&action.sa_mask);
	pthread_sigmask(SIG_BLOCK, NULL, &signal->mask);
	signal->on = leaves && !sigaction(SIGTERM, &action, &signal->action);
}

void
stn_leave_signal_end(struct stn_leave_signal *signal)
{
	struct sigaction now;

	if (!signal->on)
		return;
	if (!sigaction(SIGTERM, NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
	    now.sa_sigaction == pass_signal)
		sigaction(SIGTERM, &signal->action, NULL);
	pthread_sigmask(SIG_SETMASK, &signal->mask, NULL);
	signal->on = false;
}
