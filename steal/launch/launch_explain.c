/*
 * launch_explain.c: why a run has ended before its time, in one line: which
 * node was the first, and what became of it.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "steal/launch/launch.h"

#define KILLED_MS 100 /* for which a node may take to die when killed */

void
launch_complain(struct launch *launch, const char *format, ...)
{
	va_list list;

	if (launch->failed)
		return;
	launch->failed = true;
	launch->status = EXIT_FAILURE;
	fputs("sateen: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
}

void
launch_hear_out(struct launch *launch, uint32_t rank)
{
	struct pollfd fd = { launch->server.clients[rank].fd, POLLIN, 0 };

	while (fd.fd >= 0 && poll(&fd, 1, 0) > 0 &&
	       !stn_wireup_server_read(&launch->server, rank))
		continue;
}

/* One process that has all the nodes needs no joining. */
static bool
joined(const struct launch *launch, uint32_t rank)
{
	return launch->server.clients[rank].shown || launch->inside;
}

static void
explain_killed(struct launch *launch, uint32_t rank, int signal)
{
	launch_complain(launch, "node %" PRIu32 " died %s: signal %d, %s", rank,
			joined(launch, rank) ? "during the run"
					     : "before the run",
			signal, strsignal(signal));
}

void
launch_explain_end(struct launch *launch, uint32_t rank, int status)
{
	if (WIFSIGNALED(status))
		explain_killed(launch, rank, WTERMSIG(status));
	else if (launch->server.aborted)
		launch_explain_abort(launch);
	else if (!joined(launch, rank))
		launch_complain(launch,
				"node %" PRIu32 " ended (status %d) before it "
				"joined the run; is %s a Sateen program?",
				rank, WEXITSTATUS(status), launch->program[0]);
	else if (rank)
		launch_complain(launch,
				"node %" PRIu32
				" left the run early (status %d)",
				rank, WEXITSTATUS(status));
	else
		launch->failed = true; /* main called exit(): it is its end */
}

/* By which signal a child has ended that is still to be reaped, or 0. */
static int
killed_by(pid_t pid)
{
	siginfo_t info = { 0 };

	if (pid <= 0 ||
	    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	    (info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED))
		return 0;
	return info.si_status;
}

/* Has a node been killed? Then that is said. */
static bool
find_killed(struct launch *launch)
{
	for (uint32_t i = 0; i < launch->processes; i++) {
		int signal = killed_by(launch->children[i]);

		if (!signal)
			continue;
		launch_hear_out(launch, i); /* it may just have joined */
		explain_killed(launch, i, signal);
		return true;
	}
	return false;
}

/* A killed node's connections end a little before it does. */
void
launch_explain_abort(struct launch *launch)
{
	for (int i = 0; i < KILLED_MS; i++) {
		if (launch->failed || find_killed(launch))
			return;
		poll(NULL, 0, 1);
	}
	launch_complain(launch, "%s", launch->server.reason.text);
}

void
launch_explain_wait(struct launch *launch)
{
	uint32_t i = 0;

	if (launch->server.finished) {
		launch_complain(launch, "nodes did not end %d s after the run",
				LAUNCH_LEAVE_SECONDS);
		return;
	}
	while (launch->server.clients[i].shown)
		i++;
	launch_complain(launch,
			"node %" PRIu32 " did not join the run in %d s; is %s "
			"a Sateen program?",
			i, LAUNCH_JOIN_SECONDS, launch->program[0]);
}
