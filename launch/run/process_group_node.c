#include "launch/run/process_group_node.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "launch/join.h"
#include "launch/plan/placement.h"
#include "launch/run/descriptors.h"
#include "steal/sateen.h"

/* A node that does not read a frame for so long is lost. */
#define SEND_SECONDS 60

static void
group_set_number(const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	setenv(name, text, 1);
}

/* Both ends of a node's socket and pipes. */
struct ends {
	int socket[2], output[2];
};

static void
close_ends(struct ends *ends)
{
	for (int i = 0; i < 2; i++) {
		stn_descriptor_close(&ends->socket[i]);
		stn_descriptor_close(&ends->output[i]);
	}
}

/* On failure some may be open. */
static bool
open_ends(const struct stn_process_group *group, struct ends *ends)
{
	const struct timeval patience = { SEND_SECONDS, 0 };

	*ends = (struct ends){ { -1, -1 }, { -1, -1 } };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends->socket) ||
	    (group->piped && pipe2(ends->output, O_CLOEXEC)))
		return false;
	setsockopt(ends->socket[0], SOL_SOCKET, SO_SNDTIMEO, &patience,
		   sizeof(patience));
	return true;
}

/*
 * In the child: opens standard input anew, because nodes that share an open
 * file share its offset.
 */
static bool
reopen_input(const struct stn_process_group *group)
{
	int file = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);

	return file >= 0 && lseek(file, group->replay, SEEK_SET) >= 0 &&
	       dup2(file, STDIN_FILENO) >= 0;
}

/* In the child: sets standard input and output. */
static bool
redirect(const struct stn_process_group *group, uint32_t rank,
	 const struct ends *ends)
{
	if (group->piped && dup2(ends->output[1], STDOUT_FILENO) < 0)
		return false;
	if (group->replay >= 0 && reopen_input(group))
		return true;
	if (rank)
		return freopen("/dev/null", "r", stdin);
	return !group->fed || dup2(group->input_reader, STDIN_FILENO) >= 0;
}

/* In the child: the node finds the memory for its live counts. */
static void
set_live(const struct stn_process_group *group, uint32_t rank)
{
	unsetenv(STN_JOIN_LIVE);
	if (!group->live || !group->live->list)
		return;
	fcntl(group->live->fd, F_SETFD, 0);
	group_set_number(STN_JOIN_LIVE, group->live->fd);
	group_set_number(STN_JOIN_LIVE_INDEX, rank - group->first);
}

/* In the child: a node that may become the root has main's input, too. */
static void
set_heir(const struct stn_process_group *group, uint32_t rank)
{
	unsetenv(STN_JOIN_INPUT);
	if (!rank || !group->heirs)
		return;
	fcntl(group->input_reader, F_SETFD, 0);
	group_set_number(STN_JOIN_INPUT, group->input_reader);
}

static void
set_node_environment(const struct stn_process_group *group, uint32_t rank,
		     int socket)
{
	fcntl(socket, F_SETFD, 0);
	set_heir(group, rank);
	set_live(group, rank);
	group_set_number(STN_JOIN_RANK, rank);
	group_set_number(STN_JOIN_WIREUP, socket);
	unsetenv(STN_JOIN_LINKS);
	if (group->links >= 0) {
		fcntl(group->links, F_SETFD, 0);
		group_set_number(STN_JOIN_LINKS, group->links);
	}
	group_set_number(STN_JOIN_BEGIN, (int64_t)group->begin_ns);
	if (group->shows)
		setenv(STN_TERMINAL, "1", 1);
	else
		unsetenv(STN_TERMINAL);
	/* Otherwise libinfinipath sets a handler that can hang in exit(). */
	setenv("IPATH_NO_BACKTRACE", "1", 0);
}

/* In the child: runs the program as node @rank. */
static _Noreturn void
become_node(const struct stn_process_group *group, uint32_t rank,
	    const struct ends *ends)
{
	struct stn_why why;

	/* The kernel kills the node when this process ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != group->self)
		_exit(EXIT_FAILURE);
	if (rank || !group->terminal)
		setpgid(0, 0);
	stn_signals_restore(group->before);
	if (!group->pipe_ignored || group->piped)
		signal(SIGPIPE, SIG_DFL); /* this process ignores it */
	if (group->heirs)
		signal(SIGTTIN, SIG_DFL);
	/* The launcher sends it to the root of a traced run after SIGTERM. */
	if (stn_config_traces(group->config) && (rank || !group->terminal))
		signal(SIGINT, SIG_DFL);
	if (!redirect(group, rank, ends))
		_exit(127);
	set_node_environment(group, rank, ends->socket[1]);
	if (group->tether)
		fcntl(group->tether, F_SETFD, 0);
	stn_placement_bind(group->per, rank - group->first);
	if (group->path)
		execv(group->path, group->program);
	else
		execvp(group->program[0], group->program);
	stn_because(&why, STN_IO, "can't run %s: %s", group->program[0],
		    strerror(errno));
	if (stn_wireup_frame_send(ends->socket[1], STN_WIREUP_ABORT, why.text,
				  strlen(why.text)))
		_exit(126);
	_exit(127);
}

enum stn_err
process_group_node_start(struct stn_process_group *group, uint32_t rank,
			 struct stn_why *why)
{
	struct stn_process_group_node *node =
		&group->nodes[rank - group->first];
	struct ends ends;
	bool open = open_ends(group, &ends);
	pid_t pid = open ? fork() : -1;

	if (!pid)
		become_node(group, rank, &ends);
	if (pid < 0) {
		stn_because(why, STN_IO, "can't %s node %" PRIu32 ": %s",
			    open ? "start" : "make a socket for", rank,
			    strerror(errno));
		close_ends(&ends);
		return STN_IO;
	}
	if (rank || !group->terminal)
		setpgid(pid, pid);
	stn_descriptor_close(&ends.socket[1]);
	stn_descriptor_close(&ends.output[1]);
	node->pid = pid;
	node->socket = ends.socket[0];
	node->output = ends.output[0];
	group->running++;
	return STN_OK;
}
