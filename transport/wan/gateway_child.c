/*
 * gateway_child.c: the command that starts the cluster's nodes, such as srun or
 * mpirun. It has a process group of its own, which is ended as a whole.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport/transport.h"
#include "transport/wan/door.h"
#include "transport/wan/gateway_own.h"
#include "transport/wan/listen.h"
#include "transport/wan/meeting.h"

#define END_NS (5 * STN_SECOND_NS)    /* from asking to killing */
#define KNOWS_NS (3 * STN_SECOND_NS)  /* before that */
#define LEAVE_NS (20 * STN_SECOND_NS) /* from the run's end to asking */
#define MPI_LIST "OMPI_MCA_mca_base_env_list"

extern char **environ;

/* Where nodes on any host of the cluster may find us. */
static bool
set_gateway(const struct gateway *gateway)
{
	struct stn_place own[STN_GATEWAY_ADDRESSES];
	char text[STN_GATEWAY_BYTES],
		places[STN_GATEWAY_ADDRESSES][STN_PLACE_BYTES];
	const char *all[STN_GATEWAY_ADDRESSES];
	size_t count = stn_own_places(NULL, own, STN_GATEWAY_ADDRESSES);

	for (size_t i = 0; i < count; i++) {
		own[i].port = gateway->inside_port;
		stn_place_write(places[i], &own[i]);
		all[i] = places[i];
	}
	return !stn_door_write(text, gateway->token, all, count) &&
	       !setenv(STN_GATEWAY, text, 1);
}

/* Open MPI hands to other hosts only what it is told to. */
static bool
tell_open_mpi(void)
{
	const char *before = getenv(MPI_LIST);
	size_t size = before ? strlen(before) + 1 : 0, used = 0;
	char *list;
	bool set;

	for (char **at = environ; *at; at++)
		size += strcspn(*at, "=") + 1;
	list = malloc(size + 1);
	if (!list)
		return false;
	if (before)
		used = (size_t)sprintf(list, "%s", before);
	for (char **at = environ; *at; at++)
		if (!strncmp(*at, "STN_", 4))
			used += (size_t)sprintf(list + used, "%s%.*s",
						used ? ";" : "",
						(int)strcspn(*at, "="), *at);
	set = !setenv(MPI_LIST, list, 1);
	free(list);
	return set;
}

static _Noreturn void
become_command(const struct gateway *gateway)
{
	char **command = gateway->options->command;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, &gateway->old_mask, NULL);
	signal(SIGPIPE, SIG_DFL);
	unsetenv(STN_MEETING_PASSWORD); /* no node needs it */
	if (isatty(STDIN_FILENO) && !freopen("/dev/null", "r", stdin))
		_exit(126);
	if (!set_gateway(gateway) || !tell_open_mpi())
		_exit(126);
	execvp(command[0], command);
	gateway_say(gateway, "can't run %s: %s", command[0], strerror(errno));
	_exit(127);
}

void
gateway_start_command(struct gateway *gateway)
{
	pid_t pid = fork();

	if (!pid)
		become_command(gateway);
	if (pid < 0) {
		gateway_fail(gateway, "can't start %s: %s",
			     gateway->options->command[0], strerror(errno));
		return;
	}
	setpgid(pid, pid);
	gateway->child = pid;
}

static void
ask_to_end(struct gateway *gateway)
{
	gateway->killed = true;
	gateway->kill_ns = gateway_now() + END_NS;
	kill(-gateway->child, SIGTERM);
}

/* Where one of its own nodes has failed, a launcher ends by itself. */
void
gateway_end_command(struct gateway *gateway)
{
	bool knows = gateway->server.aborted || *gateway->doubt.text;

	if (!gateway->child || gateway->killed)
		return;
	if (knows)
		gateway->kill_ns = gateway_now() + KNOWS_NS;
	else
		ask_to_end(gateway);
}

static void
ended(struct gateway *gateway, int status)
{
	kill(-gateway->child, SIGKILL); /* what it has left running */
	gateway->child = 0;
	if (!gateway->killed)
		gateway->status = WIFEXITED(status) ? WEXITSTATUS(status)
						    : 128 + WTERMSIG(status);
	if (gateway->failed)
		return;
	gateway_hear(gateway, STN_NOBODY); /* they may have said why */
	gateway_doubt_command(gateway,
			      WIFSIGNALED(status) ? WTERMSIG(status) : 0,
			      WEXITSTATUS(status));
}

static void
reap(struct gateway *gateway)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == gateway->child)
			ended(gateway, status);
}

void
gateway_signal(struct gateway *gateway, struct watch *watch, uint32_t events)
{
	struct signalfd_siginfo info;

	(void)watch;
	(void)events;
	if (read(gateway->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		reap(gateway);
		return;
	}
	gateway_fail(gateway, "interrupted by signal %u", info.ssi_signo);
	gateway->status = 128 + (int)info.ssi_signo;
}

/* It has some time to end in, when it should; more, when it may. */
void
gateway_look_at_command(struct gateway *gateway, uint64_t now)
{
	if (!gateway->child)
		return;
	if (gateway->over && !gateway->failed && !gateway->kill_ns)
		gateway->kill_ns = now + LEAVE_NS;
	if (!gateway->kill_ns || now < gateway->kill_ns)
		return;
	if (gateway->killed) {
		kill(-gateway->child, SIGKILL);
		gateway->kill_ns = now + END_NS;
		return;
	}
	if (gateway->failed) {
		ask_to_end(gateway);
		return;
	}
	gateway_fail(gateway, "%s did not end %llu s after the run",
		     gateway->options->command[0],
		     (unsigned long long)(LEAVE_NS / STN_SECOND_NS));
}
