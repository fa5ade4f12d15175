/*
 * delay.c: a transport around another one, the inner transport. A message to a
 * node of this cluster is passed on at once. A message to another cluster is
 * held at its sender until the emulated link would have delivered it, and is
 * sent then. A large payload is charged to the link together with its offer, as
 * gateways carry both in one stream; the pull is not delayed again (HACKING,
 * "Links").
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "emul/delay.h"
#include "emul/link.h"
#include "transport/memory.h"
#include "transport/ops.h"
#include "transport/pieces.h"

/* A message that is held at its sender. */
struct held {
	STAILQ_ENTRY(held) link;
	uint64_t due_ns;
	uint32_t to;
	uint8_t kind;
	const void *header;
	/* Copy of the header if the sender may overwrite its own (no done). */
	unsigned char copy[STN_HEADER_BYTES];
	size_t header_bytes;
	stn_done *done;
	void *arg;
	size_t count;
	struct iovec pieces[];
};

/* The messages held for one cluster, in the order in which they are due. */
STAILQ_HEAD(queue, held);

struct delay {
	struct stn_transport base;
	uint32_t cluster;
	int timer, epoll;
	bool closing;	       /* sends end with STN_CANCELLED from now on */
	struct queue queues[]; /* one per cluster */
};

static struct delay *
delay_of(const struct stn_transport *transport)
{
	return (struct delay *)transport;
}

static uint64_t
earliest(const struct delay *delay)
{
	uint64_t due = STN_FOREVER;

	for (uint32_t i = 0; i < delay->base.opening.topology->clusters; i++) {
		const struct held *first = STAILQ_FIRST(&delay->queues[i]);

		if (first && first->due_ns < due)
			due = first->due_ns;
	}
	return due;
}

/*
 * Sets the timer to the time when the next message is due. If that time has
 * passed, the timer expires at once.
 */
static void
set_timer(struct delay *delay)
{
	uint64_t due = earliest(delay);
	struct itimerspec when = { { 0, 0 }, { 0, 0 } };

	if (due != STN_FOREVER) {
		when.it_value.tv_sec = (time_t)(due / STN_SECOND_NS);
		when.it_value.tv_nsec = (long)(due % STN_SECOND_NS);
	}
	timerfd_settime(delay->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static uint64_t
due_at(struct delay *delay, uint32_t cluster, size_t bytes, uint64_t now)
{
	const struct stn_topology *topology = delay->base.opening.topology;
	size_t link = stn_topology_link(topology, delay->cluster, cluster);
	struct stn_profile profile = stn_topology_profile(topology, link);

	return stn_link_send(&profile, &topology->queues[link], bytes, now);
}

static void
delay_hold(struct delay *delay, struct queue *queue, uint64_t due_ns,
	   uint32_t to, uint8_t kind, const void *header, size_t header_bytes,
	   const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	struct held *held = stn_or_abort(
		calloc(1, sizeof(*held) + count * sizeof(pieces[0])));

	held->due_ns = due_ns;
	held->to = to;
	held->kind = kind;
	held->header_bytes = header_bytes;
	held->header = done ? header : held->copy;
	if (!done)
		stn_append(held->copy, header, header_bytes);
	held->done = done;
	held->arg = arg;
	held->count = count;
	stn_append(held->pieces, pieces, count * sizeof(pieces[0]));
	STAILQ_INSERT_TAIL(queue, held, link);
	if (STAILQ_FIRST(queue) == held)
		set_timer(delay);
}

/*
 * A message on a link that takes no time now is passed on at once, unless
 * earlier ones are held.
 */
static void
send_across(struct delay *delay, uint32_t to, uint8_t kind, const void *header,
	    size_t header_bytes, const struct iovec *pieces, size_t count,
	    stn_done *done, void *arg)
{
	uint32_t cluster = stn_cluster_of(delay->base.opening.topology, to);
	struct queue *queue = &delay->queues[cluster];
	size_t bytes = header_bytes + stn_pieces_bytes(pieces, count);
	uint64_t now = stn_transport_now(delay->base.inner);
	uint64_t due = due_at(delay, cluster, bytes, now);

	if (STAILQ_EMPTY(queue) && due <= now)
		stn_transport_send(delay->base.inner, to, kind, header,
				   header_bytes, pieces, count, done, arg);
	else
		delay_hold(delay, queue, due, to, kind, header, header_bytes,
			   pieces, count, done, arg);
}

/* Sends the messages that are due; returns how many. */
static unsigned
delay_release(struct delay *delay, uint64_t now)
{
	unsigned did = 0;

	for (uint32_t i = 0; i < delay->base.opening.topology->clusters; i++) {
		struct queue *queue = &delay->queues[i];
		struct held *held;

		while ((held = STAILQ_FIRST(queue)) && held->due_ns <= now) {
			STAILQ_REMOVE_HEAD(queue, link);
			stn_transport_send(delay->base.inner, held->to,
					   held->kind, held->header,
					   held->header_bytes, held->pieces,
					   held->count, held->done, held->arg);
			free(held);
			did++;
		}
	}
	if (did)
		set_timer(delay);
	return did;
}

static void
delay_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	   const void *header, size_t header_bytes, const struct iovec *pieces,
	   size_t count, stn_done *done, void *arg)
{
	struct delay *delay = delay_of(transport);

	if (delay->closing) {
		if (done)
			done(arg, STN_CANCELLED);
		return;
	}
	if (stn_cluster_of(delay->base.opening.topology, to) == delay->cluster)
		stn_transport_send(delay->base.inner, to, kind, header,
				   header_bytes, pieces, count, done, arg);
	else
		send_across(delay, to, kind, header, header_bytes, pieces,
			    count, done, arg);
}

/* Moves the messages for node @rank from their queue to @taken. */
static void
take_held(struct delay *delay, uint32_t rank, struct queue *taken)
{
	uint32_t cluster = stn_cluster_of(delay->base.opening.topology, rank);
	struct queue *queue = &delay->queues[cluster];
	struct queue all = STAILQ_HEAD_INITIALIZER(all);
	struct held *held;

	STAILQ_CONCAT(&all, queue);
	while ((held = STAILQ_FIRST(&all))) {
		STAILQ_REMOVE_HEAD(&all, link);
		STAILQ_INSERT_TAIL(held->to == rank ? taken : queue, held,
				   link);
	}
}

static void
end_held(struct queue *queue, enum stn_err err)
{
	struct held *held;

	while ((held = STAILQ_FIRST(queue))) {
		STAILQ_REMOVE_HEAD(queue, link);
		if (held->done)
			held->done(held->arg, err);
		free(held);
	}
}

static void
delay_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct queue taken = STAILQ_HEAD_INITIALIZER(taken);

	take_held(delay_of(transport), rank, &taken);
	set_timer(delay_of(transport));
	transport->inner->ops->peer_del(transport->inner, rank);
	end_held(&taken, STN_LOST);
}

static unsigned
delay_progress(struct stn_transport *transport)
{
	struct delay *delay = delay_of(transport);
	unsigned did = stn_transport_progress(delay->base.inner);

	if (earliest(delay) == STN_FOREVER)
		return did;
	return did + delay_release(delay, stn_transport_now(delay->base.inner));
}

static bool
delay_holds(const struct stn_transport *transport)
{
	return earliest(delay_of(transport)) != STN_FOREVER;
}

static uint64_t
delay_arm(struct stn_transport *transport)
{
	struct delay *delay = delay_of(transport);
	uint64_t now = stn_transport_now(delay->base.inner);
	uint64_t due = earliest(delay);
	uint64_t sleep = stn_transport_arm(delay->base.inner);

	/* An inner transport that must be polled doesn't see the timer. */
	if (due != STN_FOREVER && due <= now)
		return STN_NOT_NOW;
	return sleep;
}

static void
delay_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct delay *delay = delay_of(transport);
	uint64_t now = stn_transport_now(transport), end = now + patience_ns;

	while (earliest(delay) < STN_FOREVER && now < end) {
		if (!delay_progress(transport))
			sched_yield();
		now = stn_transport_now(transport);
	}
	delay->closing = true;
	for (uint32_t i = 0; i < transport->opening.topology->clusters; i++)
		end_held(&delay->queues[i], STN_CANCELLED);
	stn_transport_close(delay->base.inner, now < end ? end - now : 0);
	close(delay->epoll);
	close(delay->timer);
}

static const struct stn_transport_ops delay_ops = {
	.name = "delay",
	.help = "another transport, with slow links between clusters",
	.bytes = sizeof(struct delay),
	.cluster_bytes = sizeof(struct queue),
	.close = delay_close,
	.send = delay_send,
	.offer = delay_send,
	.peer_del = delay_peer_del,
	.progress = delay_progress,
	.arm = delay_arm,
	.holds = delay_holds,
};

static bool
delay_watch(struct delay *delay, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return fd < 0 || !epoll_ctl(delay->epoll, EPOLL_CTL_ADD, fd, &event);
}

static struct delay *
delay_create(const struct stn_opening *opening)
{
	struct delay *delay =
		delay_of(stn_transport_create(&delay_ops, opening));

	if (!delay)
		return NULL;
	delay->cluster = stn_cluster_of(opening->topology, opening->rank);
	for (uint32_t i = 0; i < opening->topology->clusters; i++)
		STAILQ_INIT(&delay->queues[i]);
	delay->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	delay->epoll = epoll_create1(EPOLL_CLOEXEC);
	return delay;
}

enum stn_err
stn_delay_wrap(struct stn_transport *inner, const struct stn_opening *opening,
	       struct stn_transport **transport_p, struct stn_why *why)
{
	struct delay *delay = delay_create(opening);
	enum stn_err err;

	if (!delay)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	if (delay->timer < 0 || delay->epoll < 0 ||
	    !delay_watch(delay, delay->timer) ||
	    !delay_watch(delay, inner->limits.fd)) {
		err = stn_because(why, STN_IO,
				  "can't make a timer for the links: %s",
				  strerror(errno));
		close(delay->timer);
		close(delay->epoll);
		free(delay);
		return err;
	}
	delay->base.limits = inner->limits;
	delay->base.limits.fd = delay->epoll;
	delay->base.inner = inner;
	inner->outer = &delay->base;
	*transport_p = &delay->base;
	return STN_OK;
}
