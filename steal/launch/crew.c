#include "steal/launch/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "steal/join/card.h"
#include "steal/join/join.h"
#include "steal/join/place.h"
#include "transport/signals.h"
#include "transport/transport.h"

#define SEND_SECONDS 60	 /* for which a node may not read what it is told */
#define REAPED 64	 /* children at once */
#define LINE_BYTES 32768 /* a longer line may be torn */

int
stn_crew_signals(sigset_t *old_mask)
{
	sigset_t mask;

	stn_signals_block(&mask, old_mask);
	return signalfd(-1, &mask, SFD_CLOEXEC);
}

static void
set_number(const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	setenv(name, text, 1);
}

/* Of a node's socket and pipes. */
struct ends {
	int socket[2], output[2], input[2];
};

static const struct ends no_ends = { { -1, -1 }, { -1, -1 }, { -1, -1 } };

static void
close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
close_ends(struct ends *ends)
{
	for (int i = 0; i < 2; i++) {
		close_end(&ends->socket[i]);
		close_end(&ends->output[i]);
		close_end(&ends->input[i]);
	}
}

/* Node 0 alone has an input. */
static bool
open_ends(const struct stn_crew *crew, uint32_t rank, struct ends *ends)
{
	const struct timeval patience = { SEND_SECONDS, 0 };

	*ends = no_ends;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends->socket) ||
	    (crew->piped && pipe2(ends->output, O_CLOEXEC)) ||
	    (crew->piped && !rank && pipe2(ends->input, O_CLOEXEC))) {
		int error = errno;

		close_ends(ends);
		errno = error;
		return false;
	}
	setsockopt(ends->socket[0], SOL_SOCKET, SO_SNDTIMEO, &patience,
		   sizeof(patience));
	return true;
}

/* In the child: its standard input and output. */
static bool
redirect(const struct stn_crew *crew, uint32_t rank, const struct ends *ends)
{
	if (crew->piped && dup2(ends->output[1], STDOUT_FILENO) < 0)
		return false;
	if (rank)
		return freopen("/dev/null", "r", stdin);
	return !crew->piped || dup2(ends->input[0], STDIN_FILENO) >= 0;
}

static void
tell_about_ourselves(const struct stn_crew *crew, uint32_t rank, int socket)
{
	fcntl(socket, F_SETFD, 0);
	set_number(STN_JOIN_RANK, rank);
	set_number(STN_JOIN_WIREUP, socket);
	unsetenv(STN_JOIN_LINKS);
	if (crew->links >= 0) {
		fcntl(crew->links, F_SETFD, 0);
		set_number(STN_JOIN_LINKS, crew->links);
	}
	set_number(STN_JOIN_BEGIN, (int64_t)crew->begin_ns);
	/* A handler that libinfinipath would set can hang in exit(). */
	setenv("IPATH_NO_BACKTRACE", "1", 0);
}

/* In the child: becomes node @rank. Does not return. */
static _Noreturn void
become_node(const struct stn_crew *crew, uint32_t rank, const struct ends *ends)
{
	struct stn_why why;

	/* No node outlives who started it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != crew->self)
		_exit(EXIT_FAILURE);
	if (rank || !crew->terminal)
		setpgid(0, 0);
	sigprocmask(SIG_SETMASK, crew->old_mask, NULL);
	if (crew->piped)
		signal(SIGPIPE, SIG_DFL);
	if (!redirect(crew, rank, ends))
		_exit(127);
	tell_about_ourselves(crew, rank, ends->socket[1]);
	stn_place_process(crew->per, rank - crew->first);
	execvp(crew->program[0], crew->program);
	stn_because(&why, STN_IO, "can't run %s: %s", crew->program[0],
		    strerror(errno));
	if (stn_frame_write(ends->socket[1], STN_FRAME_ABORT, why.text,
			    strlen(why.text)))
		_exit(126);
	_exit(127);
}

static struct stn_crew_node *
node_of(struct stn_crew *crew, uint32_t rank)
{
	return &crew->nodes[rank - crew->first];
}

static enum stn_err
start_node(struct stn_crew *crew, uint32_t rank, struct stn_why *why)
{
	struct stn_crew_node *node = node_of(crew, rank);
	struct ends ends;
	pid_t pid;

	if (!open_ends(crew, rank, &ends))
		return stn_because(why, STN_IO,
				   "can't make a socket for node %" PRIu32
				   ": %s",
				   rank, strerror(errno));
	pid = fork();
	if (!pid)
		become_node(crew, rank, &ends);
	if (pid < 0) {
		stn_because(why, STN_IO, "can't start node %" PRIu32 ": %s",
			    rank, strerror(errno));
		close_ends(&ends);
		return STN_IO;
	}
	if (rank || !crew->terminal)
		setpgid(pid, pid);
	close_end(&ends.socket[1]);
	close_end(&ends.output[1]);
	close_end(&ends.input[0]);
	node->pid = pid;
	node->socket = ends.socket[0];
	node->output = ends.output[0];
	if (!rank)
		crew->input = ends.input[1];
	crew->running++;
	return STN_OK;
}

enum stn_err
stn_crew_start(struct stn_crew *crew, struct stn_why *why)
{
	enum stn_err err = STN_OK;

	crew->self = getpid();
	crew->input = -1;
	crew->running = 0;
	if (crew->count > STN_PLACE_NODES)
		return stn_because(why, STN_INVALID,
				   "%" PRIu32 " nodes are too many for one "
				   "host, which takes %d; `sateen sim` "
				   "simulates more",
				   crew->count, STN_PLACE_NODES);
	crew->nodes = calloc(crew->count, sizeof(crew->nodes[0]));
	if (!crew->nodes)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	for (uint32_t i = 0; i < crew->count; i++)
		crew->nodes[i].socket = crew->nodes[i].output = -1;
	for (uint32_t i = 0; !err && i < crew->count; i++)
		err = start_node(crew, crew->first + i, why);
	return err;
}

void
stn_crew_fini(struct stn_crew *crew)
{
	if (!crew->nodes)
		return;
	for (uint32_t i = 0; i < crew->count; i++) {
		struct stn_crew_node *node = &crew->nodes[i];

		close_end(&node->socket);
		close_end(&node->output);
		stn_frame_drop(&node->frame);
		stn_bytes_fini(&node->lines);
		free(node->address);
	}
	close_end(&crew->input);
	free(crew->nodes);
	crew->nodes = NULL;
}

uint32_t
stn_crew_fds(const struct stn_crew *crew, struct pollfd *fds)
{
	for (uint32_t i = 0; crew->nodes && i < crew->count; i++) {
		const struct stn_crew_node *node = &crew->nodes[i];

		*fds++ = (struct pollfd){ node->socket, POLLIN, 0 };
		*fds++ = (struct pollfd){ node->output, POLLIN, 0 };
	}
	return crew->nodes ? STN_CREW_FDS * crew->count : 0;
}

int
stn_crew_poll(struct pollfd *fds, uint32_t count, int timeout_ms)
{
	struct pollfd *open = fds + count;
	uint32_t opened = 0;
	int ready;

	for (uint32_t i = 0; i < count; i++)
		if (fds[i].fd >= 0)
			open[opened++] = fds[i];
	ready = poll(open, opened, timeout_ms);
	for (uint32_t i = 0; i < count; i++) {
		fds[i].revents = 0;
		if (fds[i].fd >= 0)
			fds[i].revents = open++->revents;
	}
	return ready;
}

/* Where it can be reached, so that it can be cleared away. */
static void
note_address(struct stn_crew_node *node, uint32_t rank)
{
	struct stn_card card = { node->frame.body, node->frame.head.size };
	struct stn_hello hello;

	if (node->frame.head.type != STN_FRAME_CARD || node->address ||
	    stn_card_read(&card, rank, &hello, NULL))
		return;
	node->address = malloc(hello.address_bytes + 1);
	if (node->address) {
		memcpy(node->address, hello.address, hello.address_bytes);
		node->address_bytes = hello.address_bytes;
	}
	free(hello.tasks);
}

/* Takes some of what a node says; false if it won't say more. */
static bool
hear(struct stn_crew *crew, uint32_t rank)
{
	struct stn_crew_node *node = node_of(crew, rank);
	enum stn_err err = stn_frame_read(&node->frame, node->socket);

	if (!err && stn_frame_whole(&node->frame)) {
		note_address(node, rank);
		crew->events->said(crew->arg, rank, &node->frame);
		stn_frame_drop(&node->frame);
	}
	if (!err)
		return true;
	close_end(&node->socket);
	crew->events->silent(crew->arg, rank, err);
	return false;
}

/* How many of the first @count bytes are whole lines. */
static size_t
whole_lines(const struct stn_bytes *lines, size_t count)
{
	const unsigned char *front = stn_bytes_front(lines), *last;

	last = count ? memrchr(front, '\n', count) : NULL;
	return last ? (size_t)(last - front) + 1 : 0;
}

/* Prints the first @size bytes, cut between lines, unless one is very long. */
static void
print(struct stn_crew *crew, uint32_t rank, size_t size)
{
	struct stn_bytes *lines = &node_of(crew, rank)->lines;

	while (size) {
		size_t part = size;

		if (part > LINE_BYTES) {
			part = whole_lines(lines, LINE_BYTES);
			part = part ? part : LINE_BYTES;
		}
		crew->events->printed(crew->arg, rank, stn_bytes_front(lines),
				      part);
		stn_bytes_drop(lines, part);
		size -= part;
	}
}

/* Prints what is whole, or too long to wait for its end. */
static void
print_lines(struct stn_crew *crew, uint32_t rank)
{
	const struct stn_bytes *lines = &node_of(crew, rank)->lines;
	size_t count = stn_bytes_count(lines), whole;

	whole = whole_lines(lines, count);
	print(crew, rank, whole || count < LINE_BYTES ? whole : count);
}

/* Takes some of what a node prints; false if there is no more. */
static bool
collect(struct stn_crew *crew, uint32_t rank)
{
	struct stn_crew_node *node = node_of(crew, rank);

	if (stn_bytes_read(&node->lines, node->output)) {
		print(crew, rank, stn_bytes_count(&node->lines));
		close_end(&node->output);
		return false;
	}
	print_lines(crew, rank);
	return true;
}

void
stn_crew_listen(struct stn_crew *crew, const struct pollfd *fds)
{
	for (uint32_t i = 0; crew->nodes && i < crew->count; i++) {
		const struct stn_crew_node *node = &crew->nodes[i];

		if (fds[STN_CREW_FDS * i].revents && node->socket >= 0)
			hear(crew, crew->first + i);
		if (fds[STN_CREW_FDS * i + 1].revents && node->output >= 0)
			collect(crew, crew->first + i);
	}
}

static bool
is_readable(int fd)
{
	struct pollfd one = { fd, POLLIN, 0 };

	return fd >= 0 && poll(&one, 1, 0) > 0;
}

/* All it said last: only what is there, as others may hold its ends open. */
static void
hear_out(struct stn_crew *crew, uint32_t rank)
{
	struct stn_crew_node *node = node_of(crew, rank);

	while (is_readable(node->socket) && hear(crew, rank))
		continue;
	while (is_readable(node->output) && collect(crew, rank))
		continue;
	print(crew, rank, stn_bytes_count(&node->lines));
	close_end(&node->socket);
	close_end(&node->output);
}

/* A node with all it has started, unless it shares our process group. */
static void
kill_node(const struct stn_crew *crew, uint32_t rank, pid_t pid)
{
	if (pid > 0)
		kill(!rank && crew->terminal ? pid : -pid, SIGKILL);
}

static bool
ended(struct stn_crew *crew, uint32_t rank, int status)
{
	struct stn_crew_node *node = node_of(crew, rank);

	kill_node(crew, rank, node->pid); /* what it left running */
	node->pid = 0;
	hear_out(crew, rank);
	crew->running--;
	crew->events->ended(crew->arg, rank, status);
	if (node->address)
		stn_transport_sweep(stn_config_transport(crew->config),
				    node->address, node->address_bytes);
	return true;
}

static bool
reaped(struct stn_crew *crew, pid_t pid, int status)
{
	for (uint32_t i = 0; crew->nodes && i < crew->count; i++)
		if (crew->nodes[i].pid == pid)
			return ended(crew, crew->first + i, status);
	return false;
}

/* Of those that ended together, who was killed is why the others gave up. */
void
stn_crew_reap(struct stn_crew *crew, stn_crew_other *other, void *arg)
{
	struct end {
		pid_t pid;
		int status;
	} ends[REAPED];
	size_t count;

	do {
		for (count = 0; count < REAPED; count++) {
			struct end *end = &ends[count];

			end->pid = waitpid(-1, &end->status, WNOHANG);
			if (end->pid <= 0)
				break;
		}
		for (size_t i = 0; i < 2 * count; i++) {
			const struct end *end = &ends[i % count];

			if (WIFSIGNALED(end->status) == (i < count) &&
			    !reaped(crew, end->pid, end->status) && other)
				other(arg, end->pid, end->status);
		}
	} while (count == REAPED);
}

void
stn_crew_tell(struct stn_crew *crew, enum stn_frame_type type, const void *body,
	      size_t size)
{
	for (uint32_t i = 0; crew->nodes && i < crew->count; i++)
		if (stn_frame_write(crew->nodes[i].socket, type, body, size))
			continue; /* it has died, which is seen by itself */
}

void
stn_crew_kill(struct stn_crew *crew)
{
	for (uint32_t i = 0; crew->nodes && i < crew->count; i++)
		kill_node(crew, crew->first + i, crew->nodes[i].pid);
}
