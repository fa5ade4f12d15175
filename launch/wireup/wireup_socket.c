/*
 * wireup_socket.c: wire-up of a node through its socket to the launcher, whose
 * side is wireup_server.c.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "launch/end.h"
#include "launch/wireup/wireup_frame.h"
#include "launch/wireup/wireup_ops.h"
#include "launch/wireup/wireup_socket.h"

struct socket_wireup {
	struct stn_wireup base;
	int fd;
	pthread_mutex_t lock; /* for sending: any thread may abort */
	struct stn_bytes in;
	size_t taken; /* bytes of the frame that the caller may still read */
	uint32_t ranks; /* of the run, with those that are reserved */
	bool late;	/* the node joins: CARDS don't have its own card, */
	struct stn_bytes own; /* which is kept here */

	/* The thread that reads views, from stn_wireup_watch to the barrier: */
	bool watching;
	int signals; /* a signalfd for SIGTERM, or -1 */
	pthread_t watch;
	bool depends; /* this process ends with the connection */
	uint32_t rank;
	stn_wireup_view *view;
	void *view_arg;
	stn_wireup_meet *meet; /* NULL: no node joins */
	void *meet_arg;
	enum stn_err ended; /* why it has ended; STN_OK: by GO */
	struct stn_why why;
};

static enum stn_err
socket_tell(struct socket_wireup *socket, enum stn_wireup_frame_type type,
	    const void *bytes, size_t size)
{
	enum stn_err err;

	pthread_mutex_lock(&socket->lock);
	err = stn_wireup_frame_send(socket->fd, type, bytes, size);
	pthread_mutex_unlock(&socket->lock);
	return err;
}

static enum stn_err
other_version(struct stn_why *why)
{
	return stn_because(why, STN_MALFORMED,
			   "the launcher is of another version");
}

/*
 * Waits until the launcher has sent something. SIGTERM means that this node is
 * to leave: the launcher lets the sequencer tell it so.
 */
static void
watch_wait(struct socket_wireup *socket)
{
	struct pollfd fds[] = { { socket->fd, POLLIN, 0 },
				{ socket->signals, POLLIN, 0 } };
	struct signalfd_siginfo info;

	while (socket->signals >= 0 && !fds[0].revents) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return;
		if (fds[1].revents &&
		    read(socket->signals, &info, sizeof(info)) ==
			    sizeof(info) &&
		    socket_tell(socket, STN_WIREUP_LEAVING, NULL, 0))
			return; /* the launcher is gone, as a read will say */
	}
}

/* Waits for a frame, which is valid until the next call. */
static enum stn_err
socket_next(struct socket_wireup *socket, struct stn_wireup_frame *frame,
	    struct stn_why *why)
{
	enum stn_err err, got;

	stn_bytes_drop(&socket->in, socket->taken);
	socket->taken = 0;
	while ((got = stn_wireup_frame_parse(&socket->in,
					     STN_WIREUP_FROM_LAUNCHER,
					     frame)) == STN_MISSING) {
		watch_wait(socket);
		err = stn_bytes_read(&socket->in, socket->fd);
		if (err)
			return stn_because(
				why, err, "%s",
				err == STN_LOST
					? "the launcher has ended the run"
					: "out of memory");
	}
	if (got)
		return other_version(why);
	socket->taken = sizeof(frame->head) + frame->head.size;
	return STN_OK;
}

/*
 * The same, if it is of this type. A node that joins may get views, of which
 * the one that lets it join has all changes; they are skipped.
 */
static enum stn_err
socket_await(struct socket_wireup *socket, enum stn_wireup_frame_type type,
	     struct stn_wireup_frame *frame, struct stn_why *why)
{
	enum stn_err err;

	do
		err = socket_next(socket, frame, why);
	while (!err && frame->head.type == STN_WIREUP_VIEW);
	return !err && frame->head.type != type ? other_version(why) : err;
}

/* The node's own card is valid as long as the others. */
static enum stn_err
keep_own(struct socket_wireup *socket, const void *card, size_t size,
	 struct stn_card *card_p, struct stn_why *why)
{
	stn_bytes_fini(&socket->own);
	if (!stn_bytes_add(&socket->own, card, size))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	*card_p = (struct stn_card){ stn_bytes_front(&socket->own), size };
	return STN_OK;
}

static enum stn_err
socket_exchange(struct stn_wireup *wireup, uint32_t rank, const void *card,
		size_t size, struct stn_card *cards, struct stn_why *why)
{
	struct socket_wireup *socket = (struct socket_wireup *)wireup;
	struct stn_wireup_frame frame;
	enum stn_err err;

	(void)rank; /* the launcher knows it */
	err = socket_tell(socket, STN_WIREUP_CARD, card, size);
	if (err)
		return stn_because(why, err, "the launcher is gone");
	err = socket_await(socket, STN_WIREUP_CARDS, &frame, why);
	if (err)
		return err;
	err = stn_wireup_frame_cards(&frame, cards,
				     wireup->nodes - socket->late);
	if (err)
		return other_version(why);
	return socket->late ? keep_own(socket, card, size,
				       &cards[wireup->nodes - 1], why)
			    : STN_OK;
}

static enum stn_err
socket_barrier(struct stn_wireup *wireup, struct stn_why *why)
{
	struct socket_wireup *socket = (struct socket_wireup *)wireup;
	enum stn_err err = socket_tell(socket, STN_WIREUP_ARRIVED, NULL, 0);
	struct stn_wireup_frame frame;

	if (err)
		return stn_because(why, err, "the launcher is gone");
	if (!socket->watching)
		return socket_await(socket, STN_WIREUP_GO, &frame, why);
	pthread_join(socket->watch, NULL);
	socket->watching = false;
	*why = socket->why;
	return socket->ended;
}

/* If sending fails, the launcher is gone, and ends this node. */
static void
tell_number(struct stn_wireup *wireup, enum stn_wireup_frame_type type,
	    uint32_t number)
{
	if (socket_tell((struct socket_wireup *)wireup, type, &number,
			sizeof(number)))
		return;
}

static void
tell_text(struct stn_wireup *wireup, enum stn_wireup_frame_type type,
	  uint32_t number, const char *text)
{
	unsigned char body[sizeof(number) + sizeof(struct stn_why)];
	size_t size = strnlen(text, sizeof(struct stn_why) - 1);

	memcpy(body, &number, sizeof(number));
	memcpy(body + sizeof(number), text, size);
	if (socket_tell((struct socket_wireup *)wireup, type, body,
			sizeof(number) + size))
		return; /* as above */
}

static void
socket_suspect(struct stn_wireup *wireup, uint32_t rank, const char *how)
{
	tell_text(wireup, STN_WIREUP_SUSPECT, rank, how);
}

static void
socket_applied(struct stn_wireup *wireup, uint32_t view)
{
	tell_number(wireup, STN_WIREUP_APPLIED, view);
}

/* If sending fails, this counts as a death. */
static void
socket_left(struct stn_wireup *wireup, uint32_t rank)
{
	(void)rank; /* the launcher knows the rank */
	if (socket_tell((struct socket_wireup *)wireup, STN_WIREUP_LEFT, NULL,
			0))
		return;
}

static void
socket_returned(struct stn_wireup *wireup, int status)
{
	tell_number(wireup, STN_WIREUP_RETURNED, (uint32_t)status);
}

static void
socket_summary(struct stn_wireup *wireup, uint32_t view, const char *line)
{
	tell_text(wireup, STN_WIREUP_SUMMARY, view, line);
}

/* Passes a view on, if this node is its root. */
static enum stn_err
watch_take_view(struct socket_wireup *socket,
		const struct stn_wireup_frame *frame)
{
	struct stn_change *changes;
	uint32_t root, count;
	enum stn_err err = stn_wireup_frame_view(frame, socket->ranks,
						 &root, &changes, &count);

	if (err)
		return stn_because(&socket->why, err, "%s",
				   err == STN_NO_MEMORY
					   ? "out of memory"
					   : "the launcher is of another "
					     "version");
	if (root == socket->rank)
		socket->view(socket->view_arg, changes, count);
	free(changes);
	return STN_OK;
}

/* Tells the launcher whether this node could connect to node @rank. */
static void
tell_met(struct socket_wireup *socket, uint32_t rank, const char *text)
{
	unsigned char body[sizeof(rank) + sizeof(struct stn_why)];
	size_t size = strnlen(text, sizeof(struct stn_why) - 1);

	memcpy(body, &rank, sizeof(rank));
	memcpy(body + sizeof(rank), text, size);
	if (socket_tell(socket, STN_WIREUP_MET, body, sizeof(rank) + size))
		return; /* the launcher is gone, and ends this node */
}

static void
watch_take_peers(struct socket_wireup *socket,
		 const struct stn_wireup_frame *frame)
{
	struct stn_card card;
	struct stn_why why;
	size_t at = 0;
	uint32_t rank;

	while (stn_wireup_frame_peer(frame, &at, &rank, &card)) {
		if (rank == socket->rank || !socket->meet ||
		    !socket->meet(socket->meet_arg, rank, &card, &why))
			continue;
		tell_met(socket, rank, why.text);
		return;
	}
	tell_met(socket, STN_NOBODY, "");
}

/*
 * The frames until GO. If the launcher is gone, the barrier says so; any other
 * failure ends this process at once, because the run waits for its views.
 */
static void *
watch_main(void *arg)
{
	struct socket_wireup *socket = arg;
	struct stn_wireup_frame frame;
	enum stn_err err;

	do {
		err = socket_next(socket, &frame, &socket->why);
		if (!err && frame.head.type == STN_WIREUP_GO)
			break;
		if (!err && frame.head.type == STN_WIREUP_VIEW)
			err = watch_take_view(socket, &frame);
		else if (!err && frame.head.type == STN_WIREUP_PEERS)
			watch_take_peers(socket, &frame);
		else if (!err)
			err = other_version(&socket->why);
	} while (!err);
	socket->ended = err;
	if (err == STN_LOST && socket->depends)
		stn_end_cut_off();
	if (!err || err == STN_LOST)
		return NULL;
	stn_wireup_abort(&socket->base, socket->why.text);
	stn_end_process(EXIT_FAILURE);
}

/* Signals to the process are for the threads of the program. */
static int
start_watch(struct socket_wireup *socket)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&socket->watch, NULL, watch_main, socket);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static int
watch_open_signals(void)
{
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	return signalfd(-1, &term, SFD_CLOEXEC | SFD_NONBLOCK);
}

static enum stn_err
socket_watch(struct stn_wireup *wireup, uint32_t rank, stn_wireup_view *view,
	     void *arg, struct stn_why *why)
{
	struct socket_wireup *socket = (struct socket_wireup *)wireup;
	int err;

	socket->rank = rank;
	socket->view = view;
	socket->view_arg = arg;
	socket->signals = watch_open_signals();
	/*
	 * Sent before the thread starts: when a test sees the thread, the frame
	 * is already in the launcher's socket. Views wait in the socket.
	 */
	socket_applied(wireup, 0);
	err = start_watch(socket);
	if (err)
		return stn_because(why, STN_NO_MEMORY,
				   "can't start a thread: %s", strerror(err));
	socket->watching = true;
	return STN_OK;
}

static void
socket_greet(struct stn_wireup *wireup, stn_wireup_meet *meet, void *arg)
{
	struct socket_wireup *socket = (struct socket_wireup *)wireup;

	socket->meet = meet;
	socket->meet_arg = arg;
}

static void
socket_abort(struct stn_wireup *wireup, const char *text)
{
	/* If sending fails, the launcher is gone and the run is over. */
	if (socket_tell((struct socket_wireup *)wireup, STN_WIREUP_ABORT, text,
			strnlen(text, sizeof(struct stn_why) - 1)))
		return;
}

static void
socket_miss(struct stn_wireup *wireup, uint32_t missed, const char *text)
{
	tell_text(wireup, STN_WIREUP_MISS, missed, text);
}

static void
socket_destroy(struct stn_wireup *wireup)
{
	struct socket_wireup *socket = (struct socket_wireup *)wireup;

	close(socket->fd);
	if (socket->signals >= 0)
		close(socket->signals);
	pthread_mutex_destroy(&socket->lock);
	stn_bytes_fini(&socket->in);
	stn_bytes_fini(&socket->own);
	free(socket);
}

static const struct stn_wireup_ops socket_ops = {
	.destroy = socket_destroy,
	.exchange = socket_exchange,
	.barrier = socket_barrier,
	.suspect = socket_suspect,
	.applied = socket_applied,
	.left = socket_left,
	.returned = socket_returned,
	.summary = socket_summary,
	.watch = socket_watch,
	.greet = socket_greet,
	.abort = socket_abort,
	.miss = socket_miss,
};

struct stn_wireup *
stn_wireup_socket_joins(int fd, uint32_t nodes, uint32_t ranks, bool late)
{
	struct socket_wireup *socket = calloc(1, sizeof(*socket));

	if (!socket)
		return NULL;
	socket->base = (struct stn_wireup){ &socket_ops, nodes + late };
	socket->ranks = ranks;
	socket->late = late;
	socket->fd = fd;
	socket->signals = -1;
	pthread_mutex_init(&socket->lock, NULL);
	return &socket->base;
}

void
stn_wireup_socket_depend(struct stn_wireup *wireup)
{
	((struct socket_wireup *)wireup)->depends = true;
}

struct stn_wireup *
stn_wireup_socket(int fd, uint32_t nodes)
{
	return stn_wireup_socket_joins(fd, nodes, nodes, false);
}
