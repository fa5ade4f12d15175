#include "launch/run/launch_wait.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/join_far.h"
#include "launch/plan/survival.h"
#include "launch/run/descriptors.h"

#define LINE_BYTES (PATH_MAX + 200)
#define SIGNAL_BYTES 200 /* of the reason why a signal ends the run */

void
launch_say_line(struct launch *launch, const char *text)
{
	char line[LINE_BYTES + 16];
	int size = snprintf(line, sizeof(line), "%s\n", text);

	if (launch->watches &&
	    (stn_output_waits(&launch->errors) ||
	     !stn_descriptor_is_writable(STDERR_FILENO)) &&
	    stn_output_add(&launch->errors, line, (size_t)size))
		return;
	/* One write, so that output of nodes does not split the line. */
	fputs(line, stderr);
}

void
launch_say(struct launch *launch, const char *format, ...)
{
	char text[LINE_BYTES + 8];
	va_list list;
	int begin = sprintf(text, "sateen: ");

	va_start(list, format);
	vsnprintf(text + begin, LINE_BYTES, format, list);
	va_end(list);
	launch_say_line(launch, text);
}

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
	launch_say(launch, "%s", line);
}

const char *
launch_on_host(const struct launch *launch, uint32_t rank,
	       char text[LAUNCH_ON_HOST])
{
	text[0] = '\0';
	if (launch->hosts.count && !launch->agents.one_host)
		snprintf(text, LAUNCH_ON_HOST, " on %s",
			 stn_agents_host(&launch->agents, rank));
	return text;
}

/* Has node @rank joined? A single process with all nodes need not join. */
static bool
joined(const struct launch *launch, uint32_t rank)
{
	return launch->joined[rank] || launch->inside;
}

/* Why the signal that has killed a node ends the run, after "died during". */
static void
explain_signal(const struct launch *launch, int signal, char text[SIGNAL_BYTES])
{
	const char *unsafe = stn_survival_unsafe(&launch->config);
	bool crash = stn_survival_is_crash(signal);

	text[0] = '\0';
	if (launch->survives && crash)
		snprintf(text, SIGNAL_BYTES,
			 "; a crash ends the run, because another node might "
			 "crash in the same way");
	else if (!launch->survives && !crash && unsafe &&
		 !strcmp(launch->config.survive, "auto"))
		snprintf(text, SIGNAL_BYTES,
			 "; runs with --%s %.60s do not survive that, those "
			 "with --transport shm, or with --transport ofi "
			 "--provider net, do",
			 strcmp(unsafe, "ucx") ? "provider" : "transport",
			 unsafe);
}

static void
explain_killed(struct launch *launch, uint32_t rank, const char *place,
	       int signal)
{
	const char *where = stn_join_far_offered() ? " of this cluster" : "";
	char why[SIGNAL_BYTES];

	if (!joined(launch, rank)) {
		launch_complain(launch,
				"node %" PRIu32 "%s%s died before the run: "
				"signal %d, %s",
				rank, where, place, signal, strsignal(signal));
		return;
	}
	explain_signal(launch, signal, why);
	launch_complain(launch,
			"node %" PRIu32 "%s%s died during the run: signal %d, "
			"%s%s",
			rank, where, place, signal, strsignal(signal), why);
}

void
launch_explain_end(struct launch *launch, uint32_t rank, int status)
{
	char place[LAUNCH_ON_HOST];

	launch_on_host(launch, rank, place);
	if (WIFSIGNALED(status))
		explain_killed(launch, rank, place, WTERMSIG(status));
	else if (stn_join_far_offered() &&
		 (joined(launch, rank) || WEXITSTATUS(status)))
		launch->left = true; /* the gateway tells the user why */
	else if (rank == launch->root && joined(launch, rank) &&
		 !launch->main_gave_up)
		launch->failed = true; /* main called exit(): no complaint */
	else if (launch->server.aborted)
		return;
	else if (!joined(launch, rank))
		launch_complain(
			launch,
			"node %" PRIu32 "%s ended (status %d) before it "
			"joined the run; is %s a Sateen program?",
			rank, place, WEXITSTATUS(status), launch->program[0]);
	else
		launch_complain(launch,
				"node %" PRIu32 "%s left the run early "
				"(status %d)",
				rank, place, WEXITSTATUS(status));
}

void
launch_explain_abort(struct launch *launch)
{
	const struct stn_wireup_server *server = &launch->server;

	if (!server->aborted)
		return;
	if (launch->hosts.count && !launch->muster)
		launch_complain(
			launch, "host %s: %s",
			stn_agents_host(&launch->agents, server->aborted_by),
			server->reason.text);
	else
		launch_complain(launch, "%s", server->reason.text);
}

/* Names the first host without an answer. */
static void
launch_explain_silence(struct launch *launch)
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
	char place[LAUNCH_ON_HOST];
	uint32_t i = 0;

	launch_explain_abort(launch);
	if (launch->left)
		launch->failed = true; /* the gateway tells the user why */
	if (launch->failed)
		return;
	if (launch->agents.greeted < launch->hosts.count) {
		launch_explain_silence(launch);
		return;
	}
	if (launch->server.finished) {
		launch_complain(launch,
				"nodes did not end within %d s after the run",
				LAUNCH_LEAVE_SECONDS);
		return;
	}
	while (launch->joined[i])
		i++;
	launch_complain(launch,
			"node %" PRIu32 "%s did not join the run in %d s; is "
			"%s a Sateen program?",
			i, launch_on_host(launch, i, place),
			LAUNCH_JOIN_SECONDS, launch->program[0]);
}
