/*
 * muster_accept.c: process 0 accepts the connections of the others. Whatever
 * strangers do, it waits for nobody longer than MUSTER_MS.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launch/run/muster_private.h"
#include "transport/clock.h"

/*
 * Connections that have not sent their rank and token yet. If there are more,
 * the oldest is closed: those of our processes send both at once.
 */
#define PENDING 64

#define MS_NS 1000000ull

struct pending {
	int fd;
	size_t count; /* bytes of @hello that are there */
	struct muster_hello hello;
};

struct reception {
	int listener;
	const struct stn_muster_card *cards;
	uint32_t nodes, missing;
	int *sockets;
	struct pending pending[PENDING]; /* the oldest first */
	size_t count;
};

static void
forget(struct reception *reception, size_t at)
{
	struct pending *pending = &reception->pending[at];

	reception->count--;
	memmove(pending, pending + 1,
		(reception->count - at) * sizeof(*pending));
}

static void
accept_one(struct reception *reception)
{
	int fd = accept4(reception->listener, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (reception->count == PENDING) {
		close(reception->pending[0].fd);
		forget(reception, 0);
	}
	reception->pending[reception->count++] = (struct pending){ .fd = fd };
}

/* Is this a process of the run that is not connected yet? Then answers it. */
static bool
is_awaited(struct reception *reception, const struct pending *pending)
{
	uint32_t rank = pending->hello.rank;

	return rank && rank < reception->nodes &&
	       reception->sockets[rank] < 0 &&
	       stn_muster_same(pending->hello.token,
			       reception->cards[rank].token) &&
	       send(pending->fd, reception->cards[0].token, STN_MUSTER_TOKEN,
		    MSG_NOSIGNAL) == STN_MUSTER_TOKEN;
}

/* Reads from a pending connection. Returns whether it is pending no longer. */
static bool
listen_to(struct reception *reception, struct pending *pending)
{
	char *into = (char *)&pending->hello + pending->count;
	ssize_t got = recv(pending->fd, into,
			   sizeof(pending->hello) - pending->count, 0);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got > 0)
		pending->count += (size_t)got;
	if (got > 0 && pending->count < sizeof(pending->hello))
		return false;
	if (got > 0 && is_awaited(reception, pending)) {
		reception->sockets[pending->hello.rank] = pending->fd;
		reception->missing--;
	} else {
		close(pending->fd);
	}
	return true;
}

static void
await_hello(struct reception *reception, int timeout_ms)
{
	struct pollfd fds[1 + PENDING];
	size_t count = reception->count;

	fds[0] = (struct pollfd){ reception->listener, POLLIN, 0 };
	for (size_t i = 0; i < count; i++)
		fds[1 + i] =
			(struct pollfd){ reception->pending[i].fd, POLLIN, 0 };
	if (poll(fds, 1 + count, timeout_ms) <= 0)
		return;
	for (size_t i = count; i--;)
		if (fds[1 + i].revents &&
		    listen_to(reception, &reception->pending[i]))
			forget(reception, i);
	if (fds[0].revents)
		accept_one(reception);
}

bool
muster_accept(int listener, const struct stn_muster_card *cards, uint32_t nodes,
	      int *sockets)
{
	struct reception reception = { .listener = listener,
				       .cards = cards,
				       .nodes = nodes,
				       .missing = nodes - 1,
				       .sockets = sockets };
	uint64_t now, end = stn_machine_now(NULL) + MUSTER_MS * MS_NS;

	while (reception.missing && (now = stn_machine_now(NULL)) < end)
		await_hello(&reception, (int)((end - now) / MS_NS) + 1);
	for (size_t i = 0; i < reception.count; i++)
		close(reception.pending[i].fd);
	return !reception.missing;
}
