/*
 * far.h: the transport `far`, whose files share this: messages to nodes that
 * only the gateway can reach. There is a connection to the gateway, a *road*,
 * for each cluster, so that what waits for one cluster holds up no other.
 *
 * far.c opens, closes and forgets; far_send.c gathers what is sent from where
 * it lies into the sockets, far_receive.c takes apart what comes, and lets
 * payloads fall from the sockets into the places that the receiver named.
 *
 * A node never waits in writing, and always reads.
 */
#ifndef STN_TRANSPORT_WAN_FAR_H
#define STN_TRANSPORT_WAN_FAR_H

#include "transport/ops.h"
#include "transport/peers.h"
#include "transport/wan/door.h"
#include "transport/wan/segment.h"

#define FAR_IN_BYTES 65536 /* of a road's segments, not yet taken apart */
#define FAR_SEGMENTS 32	   /* that one write takes along at most */
#define FAR_PIECES 512	   /* and how many pieces of memory */
#define FAR_PART_PIECES 64 /* of which a part of a payload takes so many */

/* What a segment begins with, and a message in it. */
#define FAR_HEAD_BYTES (STN_SEGMENT_HEAD + STN_SEGMENT_FRONT)

/* A payload that the receiver has not got yet. */
struct far_offer {
	struct far_offer *next, **previous; /* in its road's list */
	uint32_t to, operation;
	stn_done *done;
	void *arg;
	size_t left;	/* to be written */
	bool announced; /* the message has been written */
	bool held;	/* the batch refers to its memory */
	bool ended;	/* it is over, with: */
	enum stn_err err;
	const struct iovec *at; /* where the next part begins */
	size_t offset;
	struct iovec pieces[];
};

/* A segment that waits for its turn. */
struct far_item {
	struct far_item *next;
	uint32_t to;
	size_t head_bytes;
	unsigned char head[FAR_HEAD_BYTES];
	const void *header;
	size_t header_bytes;
	struct far_offer *offer; /* that it announces */
	stn_done *done;
	void *arg;
	enum stn_err err; /* with which it will end */
	size_t count;
	struct iovec *pieces;
	unsigned char memory[]; /* of a header that was copied */
};

/* What is being written: segments, as pieces of memory. */
struct far_batch {
	struct iovec pieces[FAR_PIECES];
	size_t count, at;
	unsigned segments;
	unsigned char heads[FAR_SEGMENTS][STN_SEGMENT_HEAD];
	struct far_item *items; /* that end when it is written */
	struct far_item **last_item;
};

/* A payload on its way to us. */
struct far_pull {
	struct far_pull *next;
	uint32_t from, operation;
	stn_done *done;
	void *arg;
	size_t left;
	size_t count;
	struct iovec *at; /* the rest of it */
	struct iovec pieces[];
};

struct far_road {
	int fd; /* -1: none */
	uint32_t cluster;
	bool lost;
	bool blocked; /* the socket takes no more for now */
	bool flushing;
	struct far_item *items, **last_item;
	struct far_offer *offers;
	struct far_offer *turn; /* whose next part is written first */
	struct far_batch batch;
	unsigned char *in;
	size_t in_from, in_to;
	size_t part_left;      /* of a PART that is coming in */
	struct far_pull *part; /* where it belongs; NULL: nowhere */
};

struct far {
	struct stn_transport base;
	struct stn_opening opening;
	struct stn_door door;
	int watch; /* an epoll of all roads */
	uint32_t last_operation;
	bool closing;
	const char *gone; /* a road has been lost so: all are to be */
	struct far_pull *pulls;
	struct far_road *roads; /* by cluster */
};

struct far_arrival {
	struct stn_arrival arrival; /* first: handlers see its address */
	uint32_t operation;
	bool answered; /* it was pulled, or refused */
};

static inline struct far *
far_of(struct stn_transport *transport)
{
	return (struct far *)transport;
}

/* far_road_to: the road to node @rank. */
static inline struct far_road *
far_road_to(struct far *far, uint32_t rank)
{
	return &far->roads[stn_cluster_of(far->opening.topology, rank)];
}

/* far_allocate: what was promised can't be done without memory. */
void *far_allocate(size_t bytes);

/*
 * far_lose_road: whoever is at its end can't be reached any more; at the end of
 * the progress, nor can those at other roads'.
 */
void far_lose_road(struct far *far, struct far_road *road, const char *how);

/* far_batch.c */

/* far_fill: fills the road's batch, which is empty, with what waits. */
void far_fill(struct far *far, struct far_road *road);

/* far_streams: has the offer been announced, and are parts of it to follow? */
bool far_streams(const struct far_offer *offer);

/* far_send.c */
void far_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	      const void *header, size_t header_bytes,
	      const struct iovec *pieces, size_t count, stn_done *done,
	      void *arg);
void far_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	       const void *header, size_t header_bytes,
	       const struct iovec *pieces, size_t count, stn_done *done,
	       void *arg);

/* far_tell: a segment without data about an operation, to node @to. */
void far_tell(struct far *far, uint32_t to, enum stn_segment_type type,
	      uint8_t flags, uint32_t operation);

/* far_flush: writes what the road takes; returns how many segments ended. */
unsigned far_flush(struct far *far, struct far_road *road);

/* far_offer_end: the receiver says how an operation has ended. */
void far_offer_end(struct far *far, uint32_t from, uint32_t operation,
		   enum stn_err err);

/* far_end_sends: ends what is under way on @road to @rank, or to all. */
#define FAR_ALL UINT32_MAX
void far_end_sends(struct far *far, struct far_road *road, uint32_t rank,
		   enum stn_err err);

/* far_idle: is nothing under way on the road? */
bool far_idle(const struct far_road *road);

/*
 * far_receive: takes apart what has come on a road whose socket is readable.
 * Returns how many things that were.
 */
unsigned far_receive(struct far *far, struct far_road *road);
void far_pull(struct stn_transport *transport,
	      const struct stn_arrival *arrival, const struct iovec *pieces,
	      size_t count, stn_done *done, void *arg);
void far_refuse(struct stn_transport *transport,
		const struct stn_arrival *arrival);

/* far_end_pulls: ends those from @rank, or FAR_ALL, on @road. */
void far_end_pulls(struct far *far, struct far_road *road, uint32_t rank,
		   enum stn_err err);

#endif
