#include "launch/signals.h"

#include <stddef.h>

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

void
stn_signals_block(sigset_t *mask, sigset_t *old_mask)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };

	signal(SIGCHLD, SIG_DFL); /* if ignored, ends of children are lost */
	sigemptyset(mask);
	sigaddset(mask, SIGCHLD);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!stn_signal_is_ignored(ends[i]))
			sigaddset(mask, ends[i]);
	sigprocmask(SIG_BLOCK, mask, old_mask);
}
