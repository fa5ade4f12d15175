/*
 * launch_explain.c: why a run has ended before its time, in one line: which
 * node was the first, and what became of it.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "steal/join/join_far.h"
#include "steal/launch/launch.h"

#define LINE_BYTES (PATH_MAX + 200)

void
launch_complain(struct launch *launch, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list list;

	if (launch->failed)
		return;
	launch->failed = true;
	launch->status = EXIT_FAILURE;
	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	/* By one write, or what nodes say would come between. */
	fprintf(stderr, "sateen: %s\n", line);
}

const char *
launch_place(const struct launch *launch, uint32_t rank,
	     char text[LAUNCH_PLACE])
{
	text[0] = '\0';
	if (launch->hosts.count)
		snprintf(text, LAUNCH_PLACE, " on %s",
			 stn_agents_host(&launch->agents, rank));
	return text;
}

/* One process that has all the nodes needs no joining. */
static bool
joined(const struct launch *launch, uint32_t rank)
{
	return launch->joined[rank] || launch->inside;
}

static void
explain_killed(struct launch *launch, uint32_t rank, int signal)
{
	char place[LAUNCH_PLACE];

	launch_complain(launch, "node %" PRIu32 "%s%s died %s: signal %d, %s",
			rank, stn_join_far_offered() ? " of this cluster" : "",
			launch_place(launch, rank, place),
			joined(launch, rank) ? "during the run"
					     : "before the run",
			signal, strsignal(signal));
}

static void
explain_left(struct launch *launch, uint32_t rank, int status)
{
	char place[LAUNCH_PLACE];

	launch_complain(
		launch, "node %" PRIu32 "%s left the run early (status %d)",
		rank, launch_place(launch, rank, place), WEXITSTATUS(status));
}

void
launch_explain_end(struct launch *launch, uint32_t rank, int status)
{
	char place[LAUNCH_PLACE];

	launch_place(launch, rank, place);
	if (WIFSIGNALED(status))
		explain_killed(launch, rank, WTERMSIG(status));
	else if (stn_join_far_offered() &&
		 (joined(launch, rank) || WEXITSTATUS(status)))
		launch->left = true; /* its gateway says why */
	else if (!rank && joined(launch, rank) && !launch->main_gave_up)
		launch->failed = true; /* main called exit(): it is its end */
	else if (launch->server.aborted)
		return;
	else if (!joined(launch, rank))
		launch_complain(
			launch,
			"node %" PRIu32 "%s ended (status %d) before it "
			"joined the run; is %s a Sateen program?",
			rank, place, WEXITSTATUS(status), launch->program[0]);
	else
		explain_left(launch, rank, status);
}

void
launch_explain_abort(struct launch *launch)
{
	const struct stn_wireup_server *server = &launch->server;

	if (!server->aborted)
		return;
	if (launch->hosts.count)
		launch_complain(
			launch, "host %s: %s",
			stn_agents_host(&launch->agents, server->aborted_by),
			server->reason.text);
	else
		launch_complain(launch, "%s", server->reason.text);
}

/* Of hosts that are called, some may not answer. */
static void
explain_silence(struct launch *launch)
{
	uint32_t i = 0;

	while (launch->agents.list[i].greeted)
		i++;
	launch_complain(launch, "host %s: no agent answered in %d s",
			launch->hosts.list[i].name, LAUNCH_JOIN_SECONDS);
}

void
launch_explain_wait(struct launch *launch)
{
	char place[LAUNCH_PLACE];
	uint32_t i = 0;

	launch_explain_abort(launch);
	if (launch->left)
		launch->failed = true; /* its gateway says why */
	if (launch->failed)
		return;
	if (launch->agents.greeted < launch->hosts.count) {
		explain_silence(launch);
		return;
	}
	if (launch->server.finished) {
		launch_complain(launch, "nodes did not end %d s after the run",
				LAUNCH_LEAVE_SECONDS);
		return;
	}
	while (launch->joined[i])
		i++;
	launch_complain(launch,
			"node %" PRIu32 "%s did not join the run in %d s; is "
			"%s a Sateen program?",
			i, launch_place(launch, i, place), LAUNCH_JOIN_SECONDS,
			launch->program[0]);
}
