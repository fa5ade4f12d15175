/*
 * wireup_socket.c: wire-up of a node that a launcher started, through the
 * socket that the launcher gave it. wireup_server.c is the other end.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/wireup/wireup_frame.h"
#include "transport/wireup/wireup_ops.h"

struct socket_wireup {
	struct stn_wireup base;
	int fd;
	pthread_mutex_t lock; /* for writing: aborts come from any thread */
	unsigned char *body;  /* of the CARDS frame */
};

static struct socket_wireup *
socket_of(struct stn_wireup *wireup)
{
	return (struct socket_wireup *)wireup;
}

static enum stn_err
tell(struct socket_wireup *socket, enum stn_frame_type type, const void *bytes,
     size_t size)
{
	enum stn_err err;

	pthread_mutex_lock(&socket->lock);
	err = stn_frame_write(socket->fd, type, bytes, size);
	pthread_mutex_unlock(&socket->lock);
	return err;
}

static enum stn_err
read_all(int fd, void *bytes, size_t size)
{
	char *at = bytes;

	while (size) {
		ssize_t got = read(fd, at, size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return STN_LOST;
		at += got;
		size -= (size_t)got;
	}
	return STN_OK;
}

/* Waits for a frame of this type; its body is in socket->body. */
static enum stn_err
await(struct socket_wireup *socket, enum stn_frame_type type, size_t *size_p,
      struct stn_why *why)
{
	struct stn_frame_head head;

	if (read_all(socket->fd, &head, sizeof(head)))
		return stn_because(why, STN_LOST,
				   "the launcher has ended the run");
	if (head.type != type)
		return stn_because(why, STN_MALFORMED,
				   "the launcher is of another version");
	free(socket->body);
	socket->body = malloc(head.size ? head.size : 1);
	if (!socket->body)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	*size_p = head.size;
	if (read_all(socket->fd, socket->body, head.size))
		return stn_because(why, STN_LOST,
				   "the launcher has ended the run");
	return STN_OK;
}

static enum stn_err
socket_exchange(struct stn_wireup *wireup, uint32_t rank, const void *card,
		size_t size, struct stn_card *cards, struct stn_why *why)
{
	struct socket_wireup *socket = socket_of(wireup);
	enum stn_err err;

	(void)rank; /* the launcher knows whose socket this is */
	err = tell(socket, STN_FRAME_CARD, card, size);
	if (err)
		return stn_because(why, err, "the launcher is gone");
	err = await(socket, STN_FRAME_CARDS, &size, why);
	if (err)
		return err;
	err = stn_frame_cards(socket->body, size, cards, wireup->nodes);
	if (err)
		stn_because(why, err, "the launcher is of another version");
	return err;
}

static enum stn_err
socket_barrier(struct stn_wireup *wireup, struct stn_why *why)
{
	struct socket_wireup *socket = socket_of(wireup);
	enum stn_err err = tell(socket, STN_FRAME_ARRIVED, NULL, 0);
	size_t size;

	if (err)
		return stn_because(why, err, "the launcher is gone");
	return await(socket, STN_FRAME_GO, &size, why);
}

static void
socket_abort(struct stn_wireup *wireup, const char *text)
{
	/* If nobody hears it, the run is over anyway. */
	if (tell(socket_of(wireup), STN_FRAME_ABORT, text, strlen(text)))
		return;
}

static void
socket_miss(struct stn_wireup *wireup, uint32_t missed, const char *text)
{
	unsigned char
		body[sizeof(struct stn_frame_miss) + sizeof(struct stn_why)];
	struct stn_frame_miss miss = { missed };
	size_t size = strnlen(text, sizeof(struct stn_why) - 1);

	memcpy(body, &miss, sizeof(miss));
	memcpy(body + sizeof(miss), text, size);
	if (tell(socket_of(wireup), STN_FRAME_MISS, body, sizeof(miss) + size))
		return; /* as above */
}

static void
socket_destroy(struct stn_wireup *wireup)
{
	struct socket_wireup *socket = socket_of(wireup);

	close(socket->fd);
	pthread_mutex_destroy(&socket->lock);
	free(socket->body);
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
