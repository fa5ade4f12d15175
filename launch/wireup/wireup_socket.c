/*
 * wireup_socket.c: wire-up of a node through its socket to the launcher, whose
 * side is wireup_server.c.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/wireup/wireup_frame.h"
#include "launch/wireup/wireup_ops.h"
#include "launch/wireup/wireup_socket.h"

struct socket_wireup {
	struct stn_wireup base;
	int fd;
	pthread_mutex_t lock; /* for sending: any thread may abort */
	struct stn_bytes in;
	size_t taken; /* bytes of the frame that the caller may still read */
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

/* Waits for a frame of this type, which is valid until the next call. */
static enum stn_err
socket_await(struct socket_wireup *socket, enum stn_wireup_frame_type type,
	     struct stn_wireup_frame *frame, struct stn_why *why)
{
	enum stn_err err, got;

	stn_bytes_drop(&socket->in, socket->taken);
	socket->taken = 0;
	while ((got = stn_wireup_frame_parse(&socket->in,
					     STN_WIREUP_FROM_LAUNCHER,
					     frame)) == STN_MISSING) {
		err = stn_bytes_read(&socket->in, socket->fd);
		if (err)
			return stn_because(
				why, err, "%s",
				err == STN_LOST
					? "the launcher has ended the run"
					: "out of memory");
	}
	if (got || frame->head.type != type)
		return stn_because(why, STN_MALFORMED,
				   "the launcher is of another version");
	socket->taken = sizeof(frame->head) + frame->head.size;
	return STN_OK;
}

static enum stn_err
socket_exchange(struct stn_wireup *wireup, uint32_t rank, const void *card,
		size_t size, struct stn_card *cards, struct stn_why *why)
{
	struct socket_wireup *socket = (struct socket_wireup *)wireup;
	struct stn_wireup_frame frame;
	enum stn_err err;

	(void)rank; /* the launcher knows the rank */
	err = socket_tell(socket, STN_WIREUP_CARD, card, size);
	if (err)
		return stn_because(why, err, "the launcher is gone");
	err = socket_await(socket, STN_WIREUP_CARDS, &frame, why);
	if (err)
		return err;
	err = stn_wireup_frame_cards(&frame, cards, wireup->nodes);
	if (err)
		stn_because(why, err, "the launcher is of another version");
	return err;
}

static enum stn_err
socket_barrier(struct stn_wireup *wireup, struct stn_why *why)
{
	struct socket_wireup *socket = (struct socket_wireup *)wireup;
	enum stn_err err = socket_tell(socket, STN_WIREUP_ARRIVED, NULL, 0);
	struct stn_wireup_frame frame;

	if (err)
		return stn_because(why, err, "the launcher is gone");
	return socket_await(socket, STN_WIREUP_GO, &frame, why);
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
	unsigned char body[sizeof(missed) + sizeof(struct stn_why)];
	size_t size = strnlen(text, sizeof(struct stn_why) - 1);

	memcpy(body, &missed, sizeof(missed));
	memcpy(body + sizeof(missed), text, size);
	if (socket_tell((struct socket_wireup *)wireup, STN_WIREUP_MISS, body,
			sizeof(missed) + size))
		return; /* as above */
}

static void
socket_destroy(struct stn_wireup *wireup)
{
	struct socket_wireup *socket = (struct socket_wireup *)wireup;

	close(socket->fd);
	pthread_mutex_destroy(&socket->lock);
	stn_bytes_fini(&socket->in);
	free(socket);
}

static const struct stn_wireup_ops socket_ops = {
	.destroy = socket_destroy,
	.exchange = socket_exchange,
	.barrier = socket_barrier,
	.abort = socket_abort,
	.miss = socket_miss,
};

struct stn_wireup *
stn_wireup_socket(int fd, uint32_t nodes)
{
	struct socket_wireup *socket = calloc(1, sizeof(*socket));

	if (!socket)
		return NULL;
	socket->base = (struct stn_wireup){ &socket_ops, nodes };
	socket->fd = fd;
	pthread_mutex_init(&socket->lock, NULL);
	return &socket->base;
}
