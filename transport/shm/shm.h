/*
 * shm.h: the internals of the shared-memory backend, shared by its files:
 *
 *	shm.c		open and close, progress, sleeping
 *	shm_receive.c	receives messages
 *	shm_read.c	large payloads, which the receiver reads
 *	shm_stream.c	large payloads, which the sender streams
 *	shm_send.c	sends packets, and wakes the peers
 *	shm_segment.c	makes a segment, and opens those of peers
 *	shm_ring.c	rings of messages
 *
 * Each endpoint has a segment of memory. It has no name in any file system, and
 * vanishes with the last process that maps it. A peer opens the segment, and
 * the pipe that is its doorbell, through /proc. The segment has a ring for each
 * other node, which is the only producer of that ring.
 *
 * Which calls of two processes may run at the same time:
 *
 *	a sender		the segment's owner
 *	a ring's producer calls	the ring's consumer calls (shm_ring.h)
 *	join a ring		find senders
 *	wake			arm
 *	read the closed state	close
 *
 * Joining: a sender sets its lane's joined before it increments the segment's
 * joined. The release there pairs with the owner's acquire.
 *
 * Sleeping: no wake is lost, because each side first writes, then passes a
 * sequentially consistent fence, and then reads what the other side has
 * written.
 *
 *	a peer with news		the owner that goes to sleep
 *	publishes: a message, room,	sets SHM_SLEEPING
 *	  or its own SHM_CLOSED
 *	fence				fence
 *	if SHM_SLEEPING is set:		if there is news:
 *	  clears it, rings the bell	  does not sleep
 *
 * Only the side that has cleared SHM_SLEEPING rings the bell, once. Progress
 * does not clear it, because another thread of the node may be asleep
 * meanwhile.
 */
#ifndef STN_TRANSPORT_SHM_SHM_H
#define STN_TRANSPORT_SHM_SHM_H

#include "transport/memory.h"
#include "transport/rendezvous.h"
#include "transport/peers.h"
#include "transport/pieces.h"
#include "transport/shm/shm_ring.h"

#define SHM_EAGER_BYTES 16384 /* header and payload */
/* A part of a large payload, which one packet carries. */
#define SHM_PART_LEAST 8192
#define SHM_PART_MOST 32768

/* Bounds on one call of progress, so that every peer gets its turn. */
#define SHM_BATCH 16 /* messages from one peer */
#define SHM_PARTS 4  /* parts of large payloads to one peer */
#define SHM_READ_BYTES ((size_t)1 << 20) /* of a payload from one peer */

/* A payload that is read as soon as it is offered. */
#define SHM_SHORT_BYTES ((size_t)2 << 20)

/* The most bytes between a packet's header and its payload. */
#define SHM_BLOCK_BYTES STN_OFFER_BYTES(1)

/* The longest packet without its payload. */
#define SHM_HEAD_BYTES (STN_PACKET_BYTES + STN_HEADER_BYTES + SHM_BLOCK_BYTES)

_Static_assert(SHM_HEAD_BYTES + SHM_EAGER_BYTES <= SHM_MOST_BYTES &&
		       SHM_HEAD_BYTES + SHM_PART_MOST <= SHM_MOST_BYTES,
	       "packets fit into a ring");

#define SHM_ALONE                                                              \
	__attribute__((aligned(128))) /* two lines: fetched in pairs */

/* What the two ends of a ring share besides the ring. */
struct shm_lane {
	SHM_ALONE shm_position tail;
	_Atomic(uint32_t) joined; /* 1: the ring has a producer */
};

/* Bits of a segment's state. */
enum { SHM_SLEEPING = 1, SHM_CLOSED = 2 };

/* The beginning of a segment. The rings follow, on a page boundary. */
struct shm_segment {
	uint64_t magic, version;
	uint64_t token[2]; /* random; identifies it */
	uint64_t nodes, ring_bytes;
	SHM_ALONE _Atomic(uint32_t) state;
	_Atomic(uint32_t) joined; /* number of joined lanes */
	struct shm_lane lanes[];
};

/* A packet from this node, without its payload. */
struct shm_packet {
	struct stn_packet packet;
	const void *header;
	size_t block_bytes;
	uint64_t block[SHM_BLOCK_BYTES / sizeof(uint64_t)];
};

/* A packet that waits for room in the ring. */
struct shm_op {
	STAILQ_ENTRY(shm_op) link;
	struct shm_packet packet;
	stn_done *done;
	void *arg;
	unsigned char copy[STN_HEADER_BYTES]; /* of the header */
	struct iovec pieces[];
};

/* A payload that this endpoint offers. */
struct shm_offer {
	struct stn_offer offer;	      /* first */
	STAILQ_ENTRY(shm_offer) link; /* in peer->streams */
	bool pulled;   /* the receiver has asked for it to be streamed */
	bool readable; /* the receiver may have read it */
	size_t left;   /* bytes to be streamed */
	struct stn_pieces_walk walk;
	struct iovec pieces[];
};

/* A payload that this endpoint reads, or that a peer streams to it. */
struct shm_pull {
	STAILQ_ENTRY(shm_pull) link;
	uint64_t token;
	stn_done *done;
	void *arg;
	size_t left;	    /* bytes to arrive */
	struct iovec there; /* in the peer's memory, if it is read */
	struct stn_pieces_walk walk;
	struct iovec pieces[];
};

STAILQ_HEAD(shm_pulls, shm_pull);

struct shm_peer {
	struct shm_segment *segment; /* NULL: none */
	struct shm_producer out;     /* our ring at the peer */
	struct shm_consumer in;	     /* the peer's ring here */
	int bell;		     /* -1: unknown */
	int process;		     /* to read its memory */
	bool open;		     /* messages can be sent to it */
	bool joined, sends;	     /* our ring there; its ring here */
	unsigned under_way;	     /* ops, offers and pulls */
	STAILQ_HEAD(, shm_op) ops;
	STAILQ_HEAD(, shm_offer) streams; /* offers to stream, in order */
	struct shm_pulls reads; /* pulls that this endpoint reads */
	struct shm_pulls pulls; /* pulls that the peer streams, in order */
};

struct shm {
	struct stn_transport base;
	struct shm_segment *segment;
	int memory, bell, ringer; /* descriptors; the pipe */
	struct stn_rendezvous rendezvous;
	unsigned under_way;    /* with all peers */
	uint32_t joined;       /* the segment's, last seen */
	uint32_t sender_count; /* length of senders */
	uint32_t *senders;
	bool armed;	 /* this node has set SHM_SLEEPING */
	unsigned owed;	 /* rings not read from the pipe yet */
	bool unreadable; /* the kernel forbids process_vm_readv */
	bool closing;	 /* nothing is started any more */
	struct shm_peer peers[];
};

/* An offered message, as pull and refuse get it back. */
struct shm_arrival {
	struct stn_arrival arrival; /* first */
	uint64_t token;
	uint64_t address; /* of the payload; 0: in pieces */
};

/* The bytes of an endpoint's address. */
struct shm_address {
	uint64_t magic;
	uint64_t token[2];
	int32_t process, memory, bell; /* numbers of descriptors */
	uint32_t nodes;
	unsigned char identity[STN_IDENTITY_BYTES];
};

static inline struct shm *
shm_of(struct stn_transport *transport)
{
	return (struct shm *)transport;
}

/*
 * shm_segment_make: makes the endpoint's segment and its doorbell.
 * shm_segment_free: frees them, even if they are half made.
 */
STN_CHECKED enum stn_err shm_segment_make(struct shm *shm, struct stn_why *why);
void shm_segment_free(struct shm *shm);

/*
 * shm_segment_join: makes this node the producer of its ring at a peer, and
 * makes sure that the ring's memory exists. Must be called before the first
 * shm_put.
 * @how_p  why the ring can't be used, if it returns false
 */
bool shm_segment_join(struct shm *shm, uint32_t to, const char **how_p);

/* shm_segment_drop: unmaps a peer's segment. May be called again. */
void shm_segment_drop(struct shm *shm, uint32_t rank);

/* shm_segment_punch: frees the memory of a dead peer's ring. */
void shm_segment_punch(struct shm *shm, uint32_t rank);

/* address and connect of stn_transport_ops. */
stn_ops_address shm_address;
stn_ops_connect shm_connect;

/* shm_receive: handles arrived packets; returns how many. */
unsigned shm_receive(struct shm *shm);

/* shm_has_news: would shm_receive find anything? */
bool shm_has_news(const struct shm *shm);

/* shm_is_drained: has everything been handled that a peer put into its ring? */
bool shm_is_drained(const struct shm *shm, uint32_t rank);

/* shm_forget_sender: receives nothing from a peer any more. */
void shm_forget_sender(struct shm *shm, uint32_t rank);

#endif
