/*
 * gateway_command.c: the command has a process group of its own, which is ended
 * as a whole.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport/transport.h"
#include "transport/far/uplink.h"
#include "launch/cluster_names.h"
#include "launch/gateway/gateway_private.h"
#include "launch/signals.h"
#include "launch/gateway/meeting.h"

#define END_NS (5 * STN_SECOND_NS) /* from SIGTERM to SIGKILL */
/* Before SIGTERM, as a launcher that knows of the failure ends by itself. */
#define KNOWS_NS (3 * STN_SECOND_NS)
#define LEAVE_NS (20 * STN_SECOND_NS) /* from the run's end to SIGTERM */
/* After SIGINT, until main has printed its best solution and has ended. */
#define INTERRUPT_NS (3 * STN_SECOND_NS)
#define MPI_LIST "OMPI_MCA_mca_base_env_list"

extern char **environ;

/* Sets the addresses at which nodes on any host of the cluster can connect. */
static bool
set_gateway(const struct gateway *gateway)
{
	struct stn_host_port own[STN_GATEWAY_ADDRESSES];
	char text[STN_GATEWAY_BYTES],
		addresses[STN_GATEWAY_ADDRESSES][STN_HOST_PORT_BYTES];
	const char *all[STN_GATEWAY_ADDRESSES];
	size_t count = stn_own_addresses(NULL, own, STN_GATEWAY_ADDRESSES);

	for (size_t i = 0; i < count; i++) {
		own[i].port = gateway->listeners.inside_port;
		stn_host_port_write(addresses[i], &own[i]);
		all[i] = addresses[i];
	}
	return !stn_uplink_write(text, gateway->token, all, count) &&
	       !setenv(STN_GATEWAY, text, 1);
}

/* A cluster that joins the run while it runs does not know its number yet. */
static bool
set_names(const struct gateway *gateway)
{
	const char *names[STN_CLUSTERS_MOST];
	uint32_t count = gateway->late.ours ? 0 : gateway->options->clusters;

	for (uint32_t i = 0; i < count; i++)
		names[i] = gateway->clusters[i].name;
	return !stn_cluster_names_set(names, count);
}

/* Open MPI passes only the variables that it is told to on to other hosts. */
static bool
tell_open_mpi(void)
{
	const char *before = getenv(MPI_LIST);
	char *list = NULL;
	size_t size;
	FILE *out = open_memstream(&list, &size);
	bool set;

	if (!out)
		return false;
	fputs(before ? before : "", out);
	for (char **at = environ; *at; at++)
		if (!strncmp(*at, "STN_", 4))
			fprintf(out, "%s%.*s", ftell(out) ? ";" : "",
				(int)strcspn(*at, "="), *at);
	set = !fclose(out) && !setenv(MPI_LIST, list, 1);
	free(list);
	return set;
}

/*
 * srun passes the limit on to its nodes, and some programs close every descriptor
 * below it.
 */
static void
restore_limit_of_files(const struct gateway *gateway)
{
	struct rlimit files;

	if (!gateway->command.old_files || getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = gateway->command.old_files;
	setrlimit(RLIMIT_NOFILE, &files);
}

static _Noreturn void
cannot_run(const struct gateway *gateway, const char *reason, int status)
{
	fprintf(stderr, "sateen join %s: can't run %s: %s\n",
		gateway->options->cluster, gateway->options->command[0],
		reason);
	_exit(status);
}

static _Noreturn void
become_command(const struct gateway *gateway)
{
	char **command = gateway->options->command;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	stn_signals_restore(&gateway->command.before);
	signal(SIGPIPE, SIG_DFL);
	unsetenv(STN_MEETING_PASSWORD); /* nodes don't need it */
	restore_limit_of_files(gateway);
	if (isatty(STDIN_FILENO) && !freopen("/dev/null", "r", stdin))
		cannot_run(gateway, "can't open /dev/null", 126);
	if (!set_gateway(gateway) || !set_names(gateway) || !tell_open_mpi())
		cannot_run(gateway, "can't set its environment", 126);
	execvp(command[0], command);
	cannot_run(gateway, strerror(errno), 127);
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
	gateway->command.pid = pid;
}

static void
ask_to_end(struct gateway *gateway)
{
	gateway->command.killed = true;
	gateway->command.kill_ns = gateway_now() + END_NS;
	gateway_nodes_hang_up(gateway);
	kill(-gateway->command.pid, SIGTERM);
}

/*
 * The user has interrupted the run. Main, on the first cluster, may print its best
 * solution so far. So that cluster's command gets the signal, and the commands of
 * the other clusters are ended later.
 */
static void
interrupt_command(struct gateway *gateway)
{
	gateway->command.kill_ns = gateway_now() + INTERRUPT_NS;
	if (gateway_is_first(gateway))
		kill(gateway->command.pid, SIGINT);
}

void
gateway_hurry_command(struct gateway *gateway)
{
	if (gateway->failure.interrupted && !gateway_is_first(gateway))
		gateway->command.kill_ns = gateway_now();
}

/*
 * If one of its own nodes has failed, or all have died, the launcher is given
 * time to end by itself and to report how. Otherwise gateway_check_command ends
 * the command at once. This function does not: the run may fail while a frame
 * of a node or of the launcher is handled, and to end the command closes their
 * connections.
 */
void
gateway_end_command(struct gateway *gateway)
{
	bool knows =
		gateway->members.server.aborted ||
		*gateway->failure.cause.text ||
		(gateway->members.size && !gateway->members.server.living);

	if (!gateway->command.pid || gateway->command.killed)
		return;
	if (gateway->failure.interrupted)
		interrupt_command(gateway);
	else
		gateway->command.kill_ns =
			gateway_now() + (knows ? KNOWS_NS : 0);
}

static void
child_ended(struct gateway *gateway, int status)
{
	kill(-gateway->command.pid,
	     SIGKILL); /* what the command has left running */
	gateway->command.pid = 0;
	if (!gateway->command.killed && !gateway->command.interrupted)
		gateway->command.status = WIFEXITED(status)
						  ? WEXITSTATUS(status)
						  : 128 + WTERMSIG(status);
	if (gateway->failure.declared)
		return;
	gateway_read_members(gateway,
			     STN_NOBODY); /* the members may have said why */
	if (gateway_nodes_command_ended(gateway, status))
		return;
	gateway_attribute_command(
		gateway, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		WEXITSTATUS(status), gateway_is_first(gateway));
}

static void
reap(struct gateway *gateway)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == gateway->command.pid)
			child_ended(gateway, status);
}

static void
take_signal(struct gateway *gateway, struct watch *watch, uint32_t events)
{
	struct signalfd_siginfo info;

	(void)watch;
	(void)events;
	if (read(gateway->command.signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		reap(gateway);
		return;
	}
	if (info.ssi_signo == SIGTERM && gateway_leave(gateway))
		return;
	if (!gateway->failure.declared)
		gateway->failure.interrupted = info.ssi_signo == SIGINT;
	gateway_fail(gateway, "interrupted by signal %u", info.ssi_signo);
	gateway->command.status = 128 + (int)info.ssi_signo;
	gateway->command.interrupted = true;
}

enum stn_err
gateway_open_signals(struct gateway *gateway, struct stn_why *why)
{
	struct command *command = &gateway->command;
	sigset_t mask;

	signal(SIGPIPE, SIG_IGN); /* hiredis writes without MSG_NOSIGNAL */
	stn_signals_block(&mask, &command->before);
	command->signals = signalfd(-1, &mask, SFD_CLOEXEC);
	command->signal_watch.ready = take_signal;
	if (command->signals < 0 ||
	    !gateway_watch(&gateway->loop, &command->signal_watch,
			   command->signals, EPOLLIN))
		return stn_because(why, STN_IO, "can't wait for signals: %s",
				   strerror(errno));
	return STN_OK;
}

void
gateway_close_signals(struct gateway *gateway)
{
	if (gateway->command.signals >= 0)
		close(gateway->command.signals);
}

/*
 * After a failure the command has some seconds to end in; after the run, more.
 */
void
gateway_check_command(struct gateway *gateway, uint64_t now)
{
	if (!gateway->command.pid)
		return;
	if (gateway->over && !gateway->failure.declared &&
	    !gateway->command.kill_ns)
		gateway->command.kill_ns = now + LEAVE_NS;
	if (!gateway->command.kill_ns || now < gateway->command.kill_ns)
		return;
	if (gateway->command.killed) {
		kill(-gateway->command.pid, SIGKILL);
		gateway->command.kill_ns = now + END_NS;
		return;
	}
	if (gateway->failure.declared) {
		ask_to_end(gateway);
		return;
	}
	gateway_fail(gateway, "%s did not end %llu s after the run",
		     gateway->options->command[0],
		     (unsigned long long)(LEAVE_NS / STN_SECOND_NS));
}
