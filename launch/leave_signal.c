#include "launch/leave_signal.h"

#include <pthread.h>

#include "launch/signals.h"

void
stn_leave_signal_hold(struct stn_leave_signal *signal, bool leaves)
{
	pthread_sigmask(SIG_BLOCK, NULL, &signal->mask);
	signal->on = leaves && stn_signal_hold(SIGTERM, &signal->action);
}

void
stn_leave_signal_end(struct stn_leave_signal *signal)
{
	if (!signal->on)
		return;
	stn_signal_let_go(SIGTERM, &signal->action);
	pthread_sigmask(SIG_SETMASK, &signal->mask, NULL);
	signal->on = false;
}
