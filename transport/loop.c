/*
 * loop.c: the nodes of one process. A message is a parcel put into the
 * receiver's mailbox; what is offered is copied once, by the receiver.
 *
 * Mailboxes are shared by threads and outlive their endpoint as long as a peer
 * refers to them:
 *
 *	mailbox_put     any thread
 *	mailbox_empty   the endpoint's owner
 *	closed, first   under the mailbox's lock
 *
 * Users are counted atomically, in the default order: so the last to let go
 * sees all that the others did before they let go.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "transport/ops.h"
#include "transport/pieces.h"

#define LOOP_MAGIC 0x706f6f6c6e7473ull /* "stnloop" */
#define LOOP_EAGER_BYTES 8192

struct mailbox {
	pthread_mutex_t lock;
	struct parcel *first, **last;
	int fd;
	bool closed;
	_Atomic(unsigned) users;
};

/*
 * A payload that the receiver copies when it likes. The sender may cancel it:
 * the lock is held while the payload is read. Both ends refer to it.
 */
struct offer {
	struct offer *next, **previous; /* in the sender's list */
	struct mailbox *sender;
	uint32_t to;
	stn_done *done;
	void *arg;
	pthread_mutex_t lock;
	bool cancelled;
	_Atomic(unsigned) users;
	struct iovec pieces[];
};

struct parcel {
	struct stn_arrival arrival; /* first: handlers see its address */
	struct parcel *next;
	struct offer *offer; /* whose payload, or whose end, this is */
	bool ended;	     /* this is the end of an offer, with: */
	enum stn_err err;
	unsigned char header[STN_HEADER_BYTES];
	unsigned char payload[];
};

struct loop {
	struct stn_transport base;
	struct stn_opening opening;
	struct mailbox *mailbox;
	struct offer *offers; /* of ours, that have not ended */
	struct mailbox *peers[];
};

/* What an endpoint's address holds. */
struct loop_address {
	uint64_t magic;
	uint64_t process;
	struct mailbox *mailbox;
};

static struct mailbox *
mailbox_create(void)
{
	struct mailbox *box = calloc(1, sizeof(*box));

	if (!box)
		return NULL;
	box->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (box->fd < 0) {
		free(box);
		return NULL;
	}
	pthread_mutex_init(&box->lock, NULL);
	box->last = &box->first;
	box->users = 1;
	return box;
}

static void
mailbox_release(struct mailbox *box)
{
	if (!box || atomic_fetch_sub(&box->users, 1) > 1)
		return;
	close(box->fd);
	pthread_mutex_destroy(&box->lock);
	free(box);
}

/* False if nobody will ever read it. */
static bool
mailbox_put(struct mailbox *box, struct parcel *parcel)
{
	bool closed;

	parcel->next = NULL;
	pthread_mutex_lock(&box->lock);
	closed = box->closed;
	if (!closed) {
		if (!box->first)
			eventfd_write(box->fd, 1);
		*box->last = parcel;
		box->last = &parcel->next;
	}
	pthread_mutex_unlock(&box->lock);
	return !closed;
}

static struct parcel *
mailbox_empty(struct mailbox *box)
{
	struct parcel *first;

	pthread_mutex_lock(&box->lock);
	first = box->first;
	box->first = NULL;
	box->last = &box->first;
	pthread_mutex_unlock(&box->lock);
	return first;
}

/* A transport can't go on without memory for what it has promised to do. */
static void *
allocate(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory)
		abort();
	return memory;
}

static struct offer *
offer_create(struct loop *loop, uint32_t to, const struct iovec *pieces,
	     size_t count, stn_done *done, void *arg)
{
	struct offer *offer;

	offer = allocate(sizeof(*offer) + count * sizeof(pieces[0]));
	offer->sender = loop->mailbox;
	atomic_fetch_add(&offer->sender->users, 1);
	offer->to = to;
	offer->done = done;
	offer->arg = arg;
	offer->users = 2;
	pthread_mutex_init(&offer->lock, NULL);
	memcpy(offer->pieces, pieces, count * sizeof(pieces[0]));
	offer->next = loop->offers;
	offer->previous = &loop->offers;
	if (offer->next)
		offer->next->previous = &offer->next;
	loop->offers = offer;
	return offer;
}

static void
offer_release(struct offer *offer)
{
	if (atomic_fetch_sub(&offer->users, 1) > 1)
		return;
	mailbox_release(offer->sender);
	pthread_mutex_destroy(&offer->lock);
	free(offer);
}

/* The receiver is through with an offer: tells the sender how it ended. */
static void
offer_end(struct offer *offer, enum stn_err err)
{
	struct parcel *parcel = allocate(sizeof(*parcel));

	parcel->ended = true;
	parcel->offer = offer;
	parcel->err = err;
	if (!mailbox_put(offer->sender, parcel)) {
		free(parcel);
		offer_release(offer);
	}
}

/* The sender has learnt, or decided, how an offer ended. */
static void
offer_complete(struct offer *offer, enum stn_err err)
{
	*offer->previous = offer->next;
	if (offer->next)
		offer->next->previous = offer->previous;
	offer->done(offer->arg, err);
	offer_release(offer);
}

/* The end of an offer came in, perhaps after the sender cancelled it. */
static void
offer_ended(struct offer *offer, enum stn_err err)
{
	if (!offer->cancelled)
		offer_complete(offer, err);
	offer_release(offer);
}

static void
offer_cancel(struct offer *offer, enum stn_err err)
{
	pthread_mutex_lock(&offer->lock);
	offer->cancelled = true;
	pthread_mutex_unlock(&offer->lock);
	offer_complete(offer, err);
}

static enum stn_err
loop_open(const struct stn_opening *opening, struct stn_transport **transport_p,
	  struct stn_why *why)
{
	uint32_t nodes = opening->topology->nodes;
	struct loop *loop;

	loop = calloc(1, sizeof(*loop) + nodes * sizeof(loop->peers[0]));
	if (!loop)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	loop->mailbox = mailbox_create();
	if (!loop->mailbox) {
		free(loop);
		return stn_because(why, STN_IO, "can't make an eventfd: %s",
				   strerror(errno));
	}
	loop->opening = *opening;
	loop->base.ops = &stn_transport_loop;
	loop->base.limits = (struct stn_limits){
		.inline_bytes = LOOP_EAGER_BYTES,
		.eager_bytes = LOOP_EAGER_BYTES,
		.pieces = SIZE_MAX,
		.fd = loop->mailbox->fd,
	};
	*transport_p = &loop->base;
	return STN_OK;
}

static struct loop *
loop_of(struct stn_transport *transport)
{
	return (struct loop *)transport;
}

static size_t
loop_address(struct stn_transport *transport,
	     unsigned char address[STN_ADDRESS_BYTES])
{
	struct loop_address mine = { LOOP_MAGIC, (uint64_t)getpid(),
				     loop_of(transport)->mailbox };

	memcpy(address, &mine, sizeof(mine));
	return sizeof(mine);
}

static enum stn_err
loop_connect(struct stn_transport *transport, uint32_t rank,
	     const unsigned char *address, size_t bytes, struct stn_why *why)
{
	struct loop *loop = loop_of(transport);
	struct loop_address theirs;

	if (bytes != sizeof(theirs) || rank >= loop->opening.topology->nodes)
		return stn_because(why, STN_MALFORMED,
				   "node %u's address is malformed", rank);
	memcpy(&theirs, address, sizeof(theirs));
	if (theirs.magic != LOOP_MAGIC || theirs.process != (uint64_t)getpid())
		return stn_because(why, STN_INVALID,
				   "node %u is in another process, where the "
				   "loop transport can't reach it",
				   rank);
	atomic_fetch_add(&theirs.mailbox->users, 1);
	mailbox_release(loop->peers[rank]);
	loop->peers[rank] = theirs.mailbox;
	return STN_OK;
}

static struct parcel *
parcel_create(struct loop *loop, uint8_t kind, const void *header,
	      size_t header_bytes, size_t payload_bytes, size_t room)
{
	struct parcel *parcel = allocate(sizeof(*parcel) + room);

	if (header_bytes)
		memcpy(parcel->header, header, header_bytes);
	parcel->arrival.message = (struct stn_message){
		.from = loop->opening.rank,
		.kind = kind,
		.header = parcel->header,
		.header_bytes = header_bytes,
		.payload_bytes = payload_bytes,
	};
	return parcel;
}

static void
loop_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	struct loop *loop = loop_of(transport);
	size_t payload = stn_pieces_bytes(pieces, count);
	struct parcel *parcel;
	enum stn_err err = STN_OK;

	parcel = parcel_create(loop, kind, header, header_bytes, payload,
			       payload);
	parcel->arrival.payload = parcel->payload;
	stn_pieces_copy(&(struct iovec){ parcel->payload, payload }, pieces,
			payload);
	transport->traffic.bytes_copied += header_bytes + payload;
	if (!mailbox_put(loop->peers[to], parcel)) {
		free(parcel);
		err = STN_LOST;
	}
	if (done)
		done(arg, err);
}

static void
loop_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	   const void *header, size_t header_bytes, const struct iovec *pieces,
	   size_t count, stn_done *done, void *arg)
{
	struct loop *loop = loop_of(transport);
	struct parcel *parcel;

	parcel = parcel_create(loop, kind, header, header_bytes,
			       stn_pieces_bytes(pieces, count), 0);
	parcel->offer = offer_create(loop, to, pieces, count, done, arg);
	if (!mailbox_put(loop->peers[to], parcel)) {
		offer_end(parcel->offer, STN_LOST);
		free(parcel);
	}
}

static void
loop_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	  const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	struct offer *offer = ((struct parcel *)arrival)->offer;
	enum stn_err err = STN_LOST;

	(void)count;
	pthread_mutex_lock(&offer->lock);
	if (!offer->cancelled) {
		stn_pieces_copy(pieces, offer->pieces,
				arrival->message.payload_bytes);
		transport->traffic.bytes_copied +=
			arrival->message.payload_bytes;
		err = STN_OK;
	}
	pthread_mutex_unlock(&offer->lock);
	offer_end(offer, STN_OK);
	done(arg, err);
}

static void
loop_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	(void)transport;
	offer_end(((struct parcel *)arrival)->offer, STN_REFUSED);
}

/* An end may send; but not to this peer: that is dead. */
static void
loop_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct offer *offer = loop_of(transport)->offers, *next;

	for (; offer; offer = next) {
		next = offer->next;
		if (offer->to == rank)
			offer_cancel(offer, STN_LOST);
	}
}

static unsigned
loop_progress(struct stn_transport *transport)
{
	struct loop *loop = loop_of(transport);
	struct parcel *parcel = mailbox_empty(loop->mailbox), *next;
	unsigned did = 0;

	for (; parcel; parcel = next, did++) {
		next = parcel->next;
		if (parcel->ended)
			offer_ended(parcel->offer, parcel->err);
		else
			loop->opening.handler(loop->opening.arg,
					      &parcel->arrival.message);
		free(parcel);
	}
	return did;
}

static uint64_t
loop_arm(struct stn_transport *transport)
{
	struct mailbox *box = loop_of(transport)->mailbox;
	eventfd_t count;
	bool empty;

	eventfd_read(box->fd, &count);
	pthread_mutex_lock(&box->lock);
	empty = !box->first;
	pthread_mutex_unlock(&box->lock);
	return empty ? STN_FOREVER : STN_NOT_NOW;
}

static bool
loop_waits(const struct stn_transport *transport)
{
	(void)transport;
	return false;
}

/* Returns the offers left in a closed mailbox to their senders. */
static void
return_parcels(struct loop *loop)
{
	struct parcel *parcel = mailbox_empty(loop->mailbox), *next;

	for (; parcel; parcel = next) {
		next = parcel->next;
		if (parcel->ended)
			offer_ended(parcel->offer, parcel->err);
		else if (parcel->offer)
			offer_end(parcel->offer, STN_LOST);
		free(parcel);
	}
}

static void
loop_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct loop *loop = loop_of(transport);
	uint64_t end = stn_machine_now(transport) + patience_ns;

	while (loop->offers && stn_machine_now(transport) < end)
		loop_progress(transport);
	pthread_mutex_lock(&loop->mailbox->lock);
	loop->mailbox->closed = true;
	pthread_mutex_unlock(&loop->mailbox->lock);
	return_parcels(loop);
	while (loop->offers)
		offer_cancel(loop->offers, STN_CANCELLED);
	for (uint32_t i = 0; i < loop->opening.topology->nodes; i++)
		mailbox_release(loop->peers[i]);
	mailbox_release(loop->mailbox);
	free(loop);
}

const struct stn_transport_ops stn_transport_loop = {
	.name = "loop",
	.help = "nodes that are threads of one process",
	.open = loop_open,
	.close = loop_close,
	.address = loop_address,
	.connect = loop_connect,
	.send = loop_send,
	.offer = loop_offer,
	.pull = loop_pull,
	.refuse = loop_refuse,
	.peer_del = loop_peer_del,
	.progress = loop_progress,
	.arm = loop_arm,
	.waits = loop_waits,
	.now = stn_machine_now,
};
