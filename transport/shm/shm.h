/*
 * shm.h: the inside of the shared-memory backend, shared by its files:
 *
 *	shm.c		operations: sends, sleeping, the beginning and the end
 *	shm_receive.c	what arrives
 *	shm_stream.c	large payloads: the receiver asks, the sender streams
 *	shm_segment.c	the memory: making it, finding that of others
 *	shm_ring.c	rings of messages
 *	packet.c	what a message looks like
 *
 * Each endpoint has a segment of memory, which has no name in any file system
 * and vanishes with the last process that has mapped it. A peer finds it, and
 * the pipe that is its doorbell, by way of /proc. In the segment, each other
 * node has a ring of its own, of which it is the only producer.
 *
 * What two processes may do at the same time:
 *
 *	by a sender		by the segment's owner
 *	a ring's producer calls	the ring's consumer calls (shm_ring.h)
 *	join a ring		look for senders
 *	wake			arm
 *	see that it closed	close
 *
 * Joining: a sender sets its lane's joined before it counts itself in the
 * head's; the release there pairs with the owner's acquire.
 *
 * Sleeping: no wake is lost, since each side first writes, then passes a
 * sequentially consistent fence, and then reads what the other has written.
 *
 *	the one who has news		the owner who goes to sleep
 *	publishes: a message, room,	sets SHM_SLEEPING
 *	  SHM_CLOSED of its own
 *	fence				fence
 *	SHM_SLEEPING set? then clears	any news? then doesn't sleep
 *	  it, and rings the bell
 *
 * Only who has cleared SHM_SLEEPING rings, once; progress leaves it alone,
 * because another thread may be asleep meanwhile.
 */
#ifndef STN_TRANSPORT_SHM_SHM_H
#define STN_TRANSPORT_SHM_SHM_H

#include "transport/ops.h"
#include "transport/packet.h"
#include "transport/peers.h"
#include "transport/pieces.h"
#include "transport/shm/shm_ring.h"

#define SHM_EAGER_BYTES 16384 /* header and payload */
/* Of a large payload, in one packet. */
#define SHM_PART_LEAST 8192
#define SHM_PART_MOST 32768
/* Up to this size the receiver reads what lies in one piece by itself. */
#define SHM_READ_BYTES ((size_t)2 << 20)

/* One progress does no more, so that none is kept waiting. */
#define SHM_BATCH 16 /* messages from one peer */
#define SHM_PARTS 4  /* packets of large payloads to one */

/* What follows a packet's header, but for the payload. */
#define SHM_BLOCK_BYTES STN_OFFER_BYTES(1)

/* The longest beginning of a packet, before its payload. */
#define SHM_HEAD_BYTES (STN_PACKET_BYTES + STN_HEADER_BYTES + SHM_BLOCK_BYTES)

_Static_assert(SHM_HEAD_BYTES + SHM_EAGER_BYTES <= SHM_MOST_BYTES &&
		       SHM_HEAD_BYTES + SHM_PART_MOST <= SHM_MOST_BYTES,
	       "packets fit into a ring");

#define SHM_ALONE __attribute__((aligned(128))) /* two lines: they come so */

/* What the receiver and the sender of a ring tell each other besides. */
struct shm_lane {
	SHM_ALONE shm_position tail;
	_Atomic(uint32_t) joined; /* 1: it has a producer */
};

/* Bits of a segment's state. */
enum { SHM_SLEEPING = 1, SHM_CLOSED = 2 };

/* The beginning of a segment; the rings follow, on a page's beginning. */
struct shm_segment {
	uint64_t magic, version;
	uint64_t token[2]; /* random: whoever knows it has come to the right */
	uint64_t nodes, ring_bytes;
	SHM_ALONE _Atomic(uint32_t) state;
	_Atomic(uint32_t) joined; /* how many lanes are */
	struct shm_lane lanes[];
};

/* A packet of this node, but for the payload. */
struct shm_packet {
	struct stn_packet packet;
	const void *header;
	size_t block_bytes;
	uint64_t block[SHM_BLOCK_BYTES / sizeof(uint64_t)];
};

/* A packet that waits for room. */
struct shm_op {
	struct shm_op *next;
	struct shm_packet packet;
	stn_done *done;
	void *arg;
	unsigned char copy[STN_HEADER_BYTES]; /* of its header, if no @done */
	struct iovec pieces[];
};

/* A payload that was offered, and has not ended. */
struct shm_offer {
	struct shm_offer *next;
	struct shm_offer *next_stream;
	uint64_t token;
	bool pulled;   /* it is streamed, or will be */
	bool readable; /* the receiver may have read it */
	stn_done *done;
	void *arg;
	size_t left; /* to be streamed */
	struct stn_pieces_walk walk;
	struct iovec pieces[];
};

/* A payload that was asked for, and has not come whole. */
struct shm_pull {
	struct shm_pull *next;
	uint64_t token;
	stn_done *done;
	void *arg;
	size_t left; /* to come */
	struct stn_pieces_walk walk;
	struct iovec pieces[];
};

struct shm_peer {
	struct shm_segment *segment; /* NULL: unknown, or dropped */
	struct shm_producer out;     /* our ring there */
	struct shm_consumer in;	     /* its ring here */
	int bell;		     /* -1: unknown */
	int process;		     /* whose memory may be read */
	bool open;		     /* it can be sent to */
	bool joined, heard;	     /* it has been; and we, by it */
	unsigned under_way;	     /* ops, offers and pulls */
	struct shm_op *ops, **last_op;
	struct shm_offer *offers, **last_offer;
	struct shm_offer *streams, **last_stream; /* the pulled of them */
	struct shm_pull *pulls, **last_pull;
};

struct shm {
	struct stn_transport base;
	struct stn_opening opening;
	struct shm_segment *segment;
	int memory, bell, ringer; /* descriptors; the pipe's ends */
	uint64_t last_token;
	unsigned under_way;   /* of all peers */
	uint32_t joined;      /* of the segment's, when last looked at */
	uint32_t heard_count; /* ranks to listen to: */
	uint32_t *heard;
	bool armed;    /* we have set SHM_SLEEPING, and not cleared it */
	unsigned owed; /* rings of the bell, come or to come */
	bool mute;     /* the kernel lets us read no other's memory */
	bool closing;  /* nothing is started any more */
	struct shm_peer peers[];
};

/* An offered message, as pull and refuse get it back. */
struct shm_arrival {
	struct stn_arrival arrival; /* first */
	uint64_t token;
	uint64_t address; /* of the payload; 0: it is in pieces */
};

static inline struct shm *
shm_of(struct stn_transport *transport)
{
	return (struct shm *)transport;
}

/* A transport can't go on without memory for what it has promised to do. */
void *shm_allocate(size_t bytes);

/* shm_packet_make: a packet without a header, and without a block yet. */
struct shm_packet shm_packet_make(const struct shm *shm,
				  enum stn_packet_type type,
				  size_t payload_bytes);

/*
 * shm_put: puts a packet into the ring at node @to, with the next @bytes of a
 * walk. False if there is no room now. Wakes nobody.
 */
bool shm_put(struct shm *shm, uint32_t to, const struct shm_packet *packet,
	     struct stn_pieces_walk *walk, size_t bytes);

/* shm_wake: after what a peer may wait for. False if it has been closed. */
bool shm_wake(struct shm_peer *peer);

/*
 * shm_submit: puts a packet into the ring and wakes its node, or lets it wait
 * for room. See stn_transport_ops.send for what is copied.
 */
void shm_submit(struct shm *shm, uint32_t to, const struct shm_packet *packet,
		const struct iovec *pieces, size_t count, stn_done *done,
		void *arg);

/* shm_began, shm_ended: counts an operation of a peer. */
void shm_began(struct shm *shm, struct shm_peer *peer);
void shm_ended(struct shm *shm, struct shm_peer *peer);

/* shm_receive: handles what has arrived; how many messages and packets. */
unsigned shm_receive(struct shm *shm);

/* shm_has_news: would shm_receive find anything? */
bool shm_has_news(const struct shm *shm);

/* shm_is_drained: has all arrived that a peer has put into its ring? */
bool shm_is_drained(const struct shm *shm, uint32_t rank);

/* shm_forget_sender: nothing is received from a peer any more. */
void shm_forget_sender(struct shm *shm, uint32_t rank);

/* shm_stream.c: what stn_transport_ops says of offer, pull and refuse. */
void shm_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	       const void *header, size_t header_bytes,
	       const struct iovec *pieces, size_t count, stn_done *done,
	       void *arg);
void shm_pull(struct stn_transport *transport,
	      const struct stn_arrival *arrival, const struct iovec *pieces,
	      size_t count, stn_done *done, void *arg);
void shm_refuse(struct stn_transport *transport,
		const struct stn_arrival *arrival);

/*
 * shm_stream_done, _pull, _data: such a packet came from node @from; @payload
 * is that of DATA. False if it makes no sense.
 */
bool shm_stream_done(struct shm *shm, uint32_t from, uint64_t token,
		     bool refused);
bool shm_stream_pull(struct shm *shm, uint32_t from, uint64_t token);
bool shm_stream_data(struct shm *shm, uint32_t from, uint64_t token,
		     const unsigned char *payload, size_t bytes);

/* shm_stream_send: streams to a peer what it has room for; how many parts. */
unsigned shm_stream_send(struct shm *shm, uint32_t to);

/* shm_stream_end: ends all offers to, and pulls from, a peer. */
void shm_stream_end(struct shm *shm, uint32_t rank, enum stn_err err);

/*
 * shm_segment_make: makes the endpoint's segment and its doorbell.
 * shm_segment_free: takes them apart, also half made ones.
 */
STN_CHECKED enum stn_err shm_segment_make(struct shm *shm, struct stn_why *why);
void shm_segment_free(struct shm *shm);

/*
 * shm_segment_join: before anything is put into the ring at a peer: sees to it
 * that there is memory for all of it.
 * @how_p  why it can't be used, if the return is false
 */
bool shm_segment_join(struct shm *shm, uint32_t to, const char **how_p);

/* shm_segment_drop: forgets a peer's segment; safe to do again. */
void shm_segment_drop(struct shm *shm, uint32_t rank);

/* shm_segment_punch: gives back the memory of a dead peer's ring. */
void shm_segment_punch(struct shm *shm, uint32_t rank);

/* What stn_transport_ops says of address and connect. */
size_t shm_address(struct stn_transport *transport,
		   unsigned char address[STN_ADDRESS_BYTES]);
enum stn_err shm_connect(struct stn_transport *transport, uint32_t rank,
			 const unsigned char *address, size_t bytes,
			 struct stn_why *why);

#endif
