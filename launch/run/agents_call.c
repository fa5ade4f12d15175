#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "launch/run/agents_call.h"
#include "launch/run/descriptors.h"

#define SSH_WORDS 64 /* words of the command line at most */

/*
 * Calls at once. All may go through one gateway host, and sshd refuses some
 * connections when ten have not logged in yet (MaxStartups).
 */
#define CALLS 8

const char *
agents_name(const struct stn_agents *agents, const struct stn_agent_host *host)
{
	return agents->hosts->list[host - agents->list].name;
}

/* A host that was added has failed, and the run goes on without it. */
static void
leave_out(struct stn_agents *agents, struct stn_agent_host *host)
{
	stn_descriptor_close(&host->orders);
	stn_bytes_fini(&host->to);
	if (host->probing) {
		host->probing = false;
		agents->events->probed(agents->arg);
	}
	if (host->greeted)
		return;
	host->greeted = true;
	agents_count_answer(agents);
}

void
agents_count_answer(struct stn_agents *agents)
{
	struct stn_why why;

	if (++agents->greeted == agents->hosts->count)
		agents->events->ready(agents->arg);
	else if (!agents->hung_up && agents_call_next(agents, &why))
		agents->events->failed(agents->arg, why.text);
}

void
agents_fail(struct stn_agents *agents, struct stn_agent_host *host,
	    const char *format, ...)
{
	struct stn_why why, what;
	va_list list;

	va_start(list, format);
	vsnprintf(what.text, sizeof(what.text), format, list);
	va_end(list);
	if (!agents->adopted)
		stn_because(&why, STN_IO, "host %.80s: %.310s",
			    agents_name(agents, host), what.text);
	else
		stn_because(&why, STN_IO, "node %" PRIu32 "%s%.80s: %.280s",
			    (uint32_t)(host - agents->list),
			    agents->one_host ? "" : " on ",
			    agents->one_host ? "" : agents_name(agents, host),
			    what.text);
	if (host->late &&
	    agents->events->late_failed(agents->arg, host->first, host->count,
					why.text))
		leave_out(agents, host);
	else
		agents->events->failed(agents->arg, why.text);
}

/*
 * The user's options come first, because ssh uses the first value of an option.
 * Our options make ssh fail instead of asking a question, suppress banners, and
 * detect a dead host.
 */
static void
become_ssh(const struct stn_agents *agents, const char *name)
{
	static const char *const options[] = {
		"-o", "BatchMode=yes",	       "-o", "LogLevel=ERROR",
		"-o", "ConnectTimeout=10",     "-o", "ServerAliveInterval=5",
		"-o", "ServerAliveCountMax=3",
	};
	const size_t count = sizeof(options) / sizeof(options[0]);
	char *error_text[SSH_WORDS + 1], *text = strdup(agents->ssh), *rest;
	char command[PATH_MAX + 64];
	size_t at = 0;

	for (char *word = text ? strtok_r(text, " \t", &rest) : NULL;
	     word && at < SSH_WORDS - count - 2;
	     word = strtok_r(NULL, " \t", &rest))
		error_text[at++] = word;
	for (size_t i = 0; i < count; i++)
		error_text[at++] = (char *)options[i];
	snprintf(command, sizeof(command), "exec '%s' agent %s %" PRIu64 "ns",
		 agents->remote, agents->per, agents->silence_ns);
	error_text[at++] = (char *)name;
	error_text[at++] = command;
	error_text[at] = NULL;
	execvp(error_text[0], error_text);
	fprintf(stderr, "can't run %s: %s\n", error_text[0], strerror(errno));
	_exit(255);
}

/* Pipes between the launcher and ssh. */
struct pipes {
	int orders[2], reports[2], errors[2];
};

static bool
open_pipes(struct pipes *pipes)
{
	*pipes = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	return !pipe2(pipes->orders, O_CLOEXEC) &&
	       !pipe2(pipes->reports, O_CLOEXEC) &&
	       !pipe2(pipes->errors, O_CLOEXEC) &&
	       fcntl(pipes->orders[1], F_SETFL, O_NONBLOCK) >= 0;
}

static void
close_pipes(struct pipes *pipes)
{
	for (int i = 0; i < 2; i++) {
		stn_descriptor_close(&pipes->orders[i]);
		stn_descriptor_close(&pipes->reports[i]);
		stn_descriptor_close(&pipes->errors[i]);
	}
}

/*
 * In the child. A process group of its own keeps the terminal's signals from
 * ssh; the launcher handles them.
 */
static _Noreturn void
call_by_ssh(const struct stn_agents *agents, const char *name,
	    const struct pipes *pipes, pid_t launcher)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != launcher)
		_exit(255);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTTIN, SIG_DFL);
	stn_signals_restore(agents->before);
	if (dup2(pipes->orders[0], STDIN_FILENO) >= 0 &&
	    dup2(pipes->reports[1], STDOUT_FILENO) >= 0 &&
	    dup2(pipes->errors[1], STDERR_FILENO) >= 0)
		become_ssh(agents, name);
	_exit(255);
}

/* Sets errno on failure. */
static enum stn_err
agents_call_one(struct stn_agents *agents, struct stn_agent_host *host,
		struct stn_why *why)
{
	pid_t pid = -1, launcher = getpid();
	struct pipes pipes;

	if (open_pipes(&pipes))
		pid = fork();
	if (!pid)
		call_by_ssh(agents, agents_name(agents, host), &pipes,
			    launcher);
	if (pid < 0) {
		int err = errno;

		stn_because(why, STN_IO, "host %.80s: can't start ssh: %s",
			    agents_name(agents, host), strerror(err));
		close_pipes(&pipes);
		errno = err;
		return STN_IO;
	}
	setpgid(pid, pid);
	close(pipes.orders[0]);
	close(pipes.reports[1]);
	close(pipes.errors[1]);
	host->ssh = pid;
	host->orders = pipes.orders[1];
	host->reports = pipes.reports[0];
	host->errors = pipes.errors[0];
	agents->alive++;
	return STN_OK;
}

enum stn_err
agents_call_next(struct stn_agents *agents, struct stn_why *why)
{
	enum stn_err err = STN_OK;

	while (!err && agents->called < agents->hosts->count &&
	       agents->called - agents->greeted < CALLS) {
		struct stn_agent_host *host = &agents->list[agents->called++];

		err = agents_call_one(agents, host, why);
		if (!err || !host->late)
			continue;
		agents_fail(agents, host, "can't start ssh: %s",
			    strerror(errno));
		err = STN_OK;
	}
	return err;
}
