/*
 * agents_call.c: how an agent is called: by ssh, or by what stands in for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "steal/launch/agents_own.h"

#define SSH_WORDS 64 /* of the command, all in all */

/*
 * That are not answered yet. All may go by way of one host, whose sshd refuses
 * some from the tenth on that has not logged in (MaxStartups).
 */
#define CALLS 8

/*
 * The user's own options come first, and ssh takes the first of each. No
 * question can be answered; banners are kept out; a dead host is noticed.
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
	char *words[SSH_WORDS + 1], *text = strdup(agents->ssh), *rest;
	char command[PATH_MAX + 64];
	size_t at = 0;

	for (char *word = text ? strtok_r(text, " \t", &rest) : NULL;
	     word && at < SSH_WORDS - count - 2;
	     word = strtok_r(NULL, " \t", &rest))
		words[at++] = word;
	for (size_t i = 0; i < count; i++)
		words[at++] = (char *)options[i];
	snprintf(command, sizeof(command), "exec '%s' agent %s", agents->remote,
		 agents->per);
	words[at++] = (char *)name;
	words[at++] = command;
	words[at] = NULL;
	execvp(words[0], words);
	fprintf(stderr, "can't run %s: %s\n", words[0], strerror(errno));
	_exit(255);
}

/* The ends that are ours, and those of ssh. */
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
		agents_close(&pipes->orders[i]);
		agents_close(&pipes->reports[i]);
		agents_close(&pipes->errors[i]);
	}
}

/* In the child. The terminal's signals are for the launcher alone. */
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
	sigprocmask(SIG_SETMASK, agents->old_mask, NULL);
	if (dup2(pipes->orders[0], STDIN_FILENO) >= 0 &&
	    dup2(pipes->reports[1], STDOUT_FILENO) >= 0 &&
	    dup2(pipes->errors[1], STDERR_FILENO) >= 0)
		become_ssh(agents, name);
	_exit(255);
}

static enum stn_err
call(struct stn_agents *agents, struct stn_agent_host *host,
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
		stn_because(why, STN_IO, "host %.80s: can't start ssh: %s",
			    agents_name(agents, host), strerror(errno));
		close_pipes(&pipes);
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
agents_call(struct stn_agents *agents, struct stn_why *why)
{
	enum stn_err err = STN_OK;

	while (!err && agents->called < agents->hosts->count &&
	       agents->called - agents->greeted < CALLS)
		err = call(agents, &agents->list[agents->called++], why);
	return err;
}
