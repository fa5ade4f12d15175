/*
 * loop.c: nodes that are threads of one process. A message is a parcel in the
 * receiver's mailbox. The receiver copies an offered payload once.
 *
 * Threads share mailboxes. A mailbox lives until its endpoint is closed and no
 * peer refers to it any more:
 *
 *	mailbox_put       any thread
 *	mailbox_empty     the endpoint's owner
 *	closed, parcels   under the mailbox's lock
 *
 * Users are counted by sequentially consistent atomics. So the thread that
 * drops the last reference sees everything that other threads did before they
 * dropped theirs.
 *
 * An address holds a pointer to a mailbox. An index has all mailboxes of the
 * process, under a lock, so that an address with any other pointer is refused.
 */
#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "transport/backends.h"
#include "transport/memory.h"
#include "transport/rendezvous.h"
#include "transport/pieces.h"

#define LOOP_MAGIC 0x706f6f6c6e7473ull /* "stnloop" */
#define LOOP_EAGER_BYTES 8192

struct parcel;
STAILQ_HEAD(parcels, parcel);

struct mailbox {
	pthread_mutex_t lock;
	struct parcels parcels;
	int fd;
	bool closed;
	_Atomic(unsigned) users;
};

/*
 * A payload that the receiver may copy later. Both ends refer to it. The sender
 * may end it first; the lock is held while the payload is read, and over says
 * that it may not be read any more.
 */
struct loop_offer {
	struct stn_offer offer; /* first */
	struct mailbox *sender;
	pthread_mutex_t lock;
	bool over;
	_Atomic(unsigned) users;
	struct iovec pieces[];
};

struct parcel {
	struct stn_arrival arrival; /* first: the handler gets its address */
	STAILQ_ENTRY(parcel) link;
	struct loop_offer *offer; /* offered or answered by this parcel */
	bool ended;		  /* the parcel answers an offer, with err */
	enum stn_err err;
	unsigned char header[STN_HEADER_BYTES];
	unsigned char payload[];
};

struct loop {
	struct stn_transport base;
	struct mailbox *mailbox;
	struct stn_rendezvous rendezvous;
	struct mailbox *peers[];
};

/* The bytes of an endpoint's address. */
struct loop_address {
	uint64_t magic;
	uint64_t process;
	struct mailbox *mailbox;
};

static struct loop *
loop_of(struct stn_transport *transport)
{
	return (struct loop *)transport;
}

static pthread_mutex_t index_lock = PTHREAD_MUTEX_INITIALIZER;
static void *mailboxes; /* a tree of tsearch(3) */

static int
by_pointer(const void *a, const void *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static bool
mailbox_enter(struct mailbox *box)
{
	bool added;

	pthread_mutex_lock(&index_lock);
	added = tsearch(box, &mailboxes, by_pointer);
	pthread_mutex_unlock(&index_lock);
	return added;
}

static void
mailbox_remove(struct mailbox *box)
{
	pthread_mutex_lock(&index_lock);
	tdelete(box, &mailboxes, by_pointer);
	pthread_mutex_unlock(&index_lock);
}

static struct mailbox *
mailbox_create(void)
{
	struct mailbox *box = calloc(1, sizeof(*box));

	if (!box)
		return NULL;
	box->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (box->fd < 0 || !mailbox_enter(box)) {
		if (box->fd >= 0)
			close(box->fd);
		free(box);
		return NULL;
	}
	pthread_mutex_init(&box->lock, NULL);
	STAILQ_INIT(&box->parcels);
	box->users = 1;
	return box;
}

/*
 * Returns false if no mailbox is there, or if its last reference was dropped.
 * mailbox_release frees it only after mailbox_remove has held the lock.
 */
static bool
mailbox_acquire(struct mailbox *box)
{
	unsigned users = 0;

	pthread_mutex_lock(&index_lock);
	if (tfind(box, &mailboxes, by_pointer))
		users = atomic_load(&box->users);
	while (users &&
	       !atomic_compare_exchange_weak(&box->users, &users, users + 1))
		;
	pthread_mutex_unlock(&index_lock);
	return users;
}

static void
mailbox_release(struct mailbox *box)
{
	if (!box || atomic_fetch_sub(&box->users, 1) > 1)
		return;
	mailbox_remove(box);
	close(box->fd);
	pthread_mutex_destroy(&box->lock);
	free(box);
}

/*
 * Returns false if the mailbox is closed, so that nobody will read the parcel.
 */
static bool
mailbox_put(struct mailbox *box, struct parcel *parcel)
{
	bool closed;

	pthread_mutex_lock(&box->lock);
	closed = box->closed;
	if (!closed) {
		if (STAILQ_EMPTY(&box->parcels))
			eventfd_write(box->fd, 1);
		STAILQ_INSERT_TAIL(&box->parcels, parcel, link);
	}
	pthread_mutex_unlock(&box->lock);
	return !closed;
}

static void
mailbox_empty(struct mailbox *box, struct parcels *parcels)
{
	STAILQ_INIT(parcels);
	pthread_mutex_lock(&box->lock);
	STAILQ_CONCAT(parcels, &box->parcels);
	pthread_mutex_unlock(&box->lock);
}

static struct loop_offer *
loop_offer_create(struct loop *loop, uint32_t to, const struct iovec *pieces,
		  size_t count, stn_done *done, void *arg)
{
	struct loop_offer *offer;

	offer = stn_or_abort(
		calloc(1, sizeof(*offer) + count * sizeof(pieces[0])));
	offer->sender = loop->mailbox;
	atomic_fetch_add(&offer->sender->users, 1);
	offer->users = 2;
	pthread_mutex_init(&offer->lock, NULL);
	memcpy(offer->pieces, pieces, count * sizeof(pieces[0]));
	stn_rendezvous_add(&loop->rendezvous, &offer->offer, to, done, arg);
	return offer;
}

static void
offer_release(struct loop_offer *offer)
{
	if (atomic_fetch_sub(&offer->users, 1) > 1)
		return;
	mailbox_release(offer->sender);
	pthread_mutex_destroy(&offer->lock);
	free(offer);
}

/* The receiver has finished with an offer. Sends the outcome to the sender. */
static void
loop_offer_end(struct loop_offer *offer, enum stn_err err)
{
	struct parcel *parcel = stn_or_abort(calloc(1, sizeof(*parcel)));

	parcel->ended = true;
	parcel->offer = offer;
	parcel->err = err;
	if (!mailbox_put(offer->sender, parcel)) {
		free(parcel);
		offer_release(offer);
	}
}

/* The receiver's answer arrived, perhaps after the sender ended the offer. */
static void
loop_answered(struct loop_offer *offer, enum stn_err err)
{
	if (!offer->over)
		stn_offer_end(&offer->offer, err);
	offer_release(offer);
}

static void
loop_offer_ended(struct stn_transport *transport, struct stn_offer *ended,
		 enum stn_err err)
{
	struct loop_offer *offer = (struct loop_offer *)ended;

	(void)transport;
	pthread_mutex_lock(&offer->lock);
	offer->over = true;
	pthread_mutex_unlock(&offer->lock);
	ended->done(ended->arg, err);
	offer_release(offer);
}

static enum stn_err
loop_open(struct stn_transport *transport, struct stn_why *why)
{
	struct loop *loop = loop_of(transport);

	loop->mailbox = mailbox_create();
	if (!loop->mailbox)
		return stn_because(why, STN_IO, "can't make an eventfd: %s",
				   strerror(errno));
	loop->rendezvous.transport = transport;
	loop->rendezvous.ended = loop_offer_ended;
	transport->limits = (struct stn_limits){
		.inline_bytes = LOOP_EAGER_BYTES,
		.eager_bytes = LOOP_EAGER_BYTES,
		.pieces = SIZE_MAX,
		.fd = loop->mailbox->fd,
	};
	return STN_OK;
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

	memcpy(&theirs, address, bytes);
	if (theirs.magic != LOOP_MAGIC || theirs.process != (uint64_t)getpid())
		return stn_because(why, STN_INVALID,
				   "node %u is in another process, where the "
				   "loop transport can't reach it",
				   rank);
	if (!mailbox_acquire(theirs.mailbox))
		return stn_because(why, STN_INVALID,
				   "node %u has no loop endpoint in this "
				   "process",
				   rank);
	mailbox_release(loop->peers[rank]);
	loop->peers[rank] = theirs.mailbox;
	return STN_OK;
}

static struct parcel *
parcel_create(struct loop *loop, uint8_t kind, const void *header,
	      size_t header_bytes, size_t payload_bytes, size_t room)
{
	struct parcel *parcel = stn_or_abort(calloc(1, sizeof(*parcel) + room));

	stn_append(parcel->header, header, header_bytes);
	parcel->arrival.message = (struct stn_message){
		.from = loop->base.opening.rank,
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
	parcel->offer = loop_offer_create(loop, to, pieces, count, done, arg);
	if (!mailbox_put(loop->peers[to], parcel)) {
		loop_offer_end(parcel->offer, STN_LOST);
		free(parcel);
	}
}

static void
loop_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	  const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	struct loop_offer *offer = ((struct parcel *)arrival)->offer;
	enum stn_err err = STN_LOST;

	(void)count;
	pthread_mutex_lock(&offer->lock);
	if (!offer->over) {
		stn_pieces_copy(pieces, offer->pieces,
				arrival->message.payload_bytes);
		transport->traffic.bytes_copied +=
			arrival->message.payload_bytes;
		err = STN_OK;
	}
	pthread_mutex_unlock(&offer->lock);
	loop_offer_end(offer, STN_OK);
	done(arg, err);
}

static void
loop_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	(void)transport;
	loop_offer_end(((struct parcel *)arrival)->offer, STN_REFUSED);
}

static void
loop_peer_del(struct stn_transport *transport, uint32_t rank)
{
	stn_rendezvous_abandon(&loop_of(transport)->rendezvous, rank, STN_LOST);
}

static unsigned
loop_progress(struct stn_transport *transport)
{
	struct loop *loop = loop_of(transport);
	struct parcel *parcel, *next;
	struct parcels parcels;
	unsigned did = 0;

	mailbox_empty(loop->mailbox, &parcels);
	for (parcel = STAILQ_FIRST(&parcels); parcel; parcel = next, did++) {
		next = STAILQ_NEXT(parcel, link);
		if (parcel->ended)
			loop_answered(parcel->offer, parcel->err);
		else
			loop->base.opening.handler(loop->base.opening.arg,
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
	empty = STAILQ_EMPTY(&box->parcels);
	pthread_mutex_unlock(&box->lock);
	return empty ? STN_FOREVER : STN_NOT_NOW;
}

/* Answers the offers left in a closed mailbox with STN_LOST. */
static void
return_parcels(struct loop *loop)
{
	struct parcel *parcel, *next;
	struct parcels parcels;

	mailbox_empty(loop->mailbox, &parcels);
	for (parcel = STAILQ_FIRST(&parcels); parcel; parcel = next) {
		next = STAILQ_NEXT(parcel, link);
		if (parcel->ended)
			loop_answered(parcel->offer, parcel->err);
		else if (parcel->offer)
			loop_offer_end(parcel->offer, STN_LOST);
		free(parcel);
	}
}

static void
loop_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct loop *loop = loop_of(transport);
	uint64_t end = stn_machine_now(transport) + patience_ns;

	while (loop->rendezvous.count && stn_machine_now(transport) < end)
		loop_progress(transport);
	pthread_mutex_lock(&loop->mailbox->lock);
	loop->mailbox->closed = true;
	pthread_mutex_unlock(&loop->mailbox->lock);
	return_parcels(loop);
	while (loop->rendezvous.count)
		stn_rendezvous_abandon(&loop->rendezvous, STN_RENDEZVOUS_ALL,
				       STN_CANCELLED);
	for (uint32_t i = 0; i < loop->base.nodes; i++)
		mailbox_release(loop->peers[i]);
	mailbox_release(loop->mailbox);
}

const struct stn_transport_ops stn_transport_loop = {
	.name = "loop",
	.help = "nodes that are threads of one process",
	.bytes = sizeof(struct loop),
	.node_bytes = sizeof(struct mailbox *),
	.open = loop_open,
	.close = loop_close,
	.address = loop_address,
	.address_bytes = sizeof(struct loop_address),
	.connect = loop_connect,
	.send = loop_send,
	.offer = loop_offer,
	.pull = loop_pull,
	.refuse = loop_refuse,
	.peer_del = loop_peer_del,
	.progress = loop_progress,
	.arm = loop_arm,
	.now = stn_machine_now,
};
