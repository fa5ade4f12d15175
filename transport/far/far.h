/*
 * far.h: the transport `far`: messages to nodes that only the gateway can
 * reach. A node has one connection to its gateway for each cluster, so that a
 * slow cluster delays no messages to the others.
 *
 * far.c opens and closes, and ends lost connections. far_send.c and far_batch.c
 * write what is sent to the sockets, from the sender's memory. far_receive.c
 * parses what comes, and reads payloads from the sockets into the memory that
 * the receiver named.
 *
 * A node never blocks in writing, and always reads. The caller of the
 * transport serialises all calls.
 */
#ifndef STN_TRANSPORT_FAR_FAR_H
#define STN_TRANSPORT_FAR_FAR_H

#include <sys/queue.h>

#include "transport/memory.h"
#include "transport/ops.h"
#include "transport/peers.h"
#include "transport/far/uplink.h"
#include "transport/far/segment.h"

/* Bytes of received segments that are not parsed yet. */
#define FAR_IN_BYTES 65536
#define FAR_SEGMENTS 32	   /* most segments in a batch */
#define FAR_PIECES 512	   /* most pieces of memory in a batch */
#define FAR_ALL UINT32_MAX /* instead of a rank: all nodes */
#define FAR_PART_PIECES 64 /* most pieces of a PART */

/* The head of a segment that carries a MESSAGE. */
#define FAR_HEAD_BYTES (STN_SEGMENT_HEAD + STN_SEGMENT_FRONT)

/* An offered payload that the receiver has not fetched completely. */
struct far_offer {
	LIST_ENTRY(far_offer) link; /* in connection->offers */
	uint32_t to, operation;
	stn_done *done;
	void *arg;
	size_t left;	/* bytes to be written */
	bool announced; /* the MESSAGE that offers it is in a batch */
	bool held;	/* the current batch refers to its memory */
	bool ended;	/* its operation is over, with err */
	enum stn_err err;
	const struct iovec *at; /* where the next PART begins, at offset */
	size_t offset;
	struct iovec pieces[];
};

/* A segment that waits to be put into a batch. */
struct far_item {
	STAILQ_ENTRY(far_item) link;
	uint32_t to;
	size_t head_bytes;
	unsigned char head[FAR_HEAD_BYTES];
	const void *header;
	size_t header_bytes;
	struct far_offer *offer; /* the offer that it announces, or NULL */
	stn_done *done;
	void *arg;
	enum stn_err err; /* the result for done */
	size_t count;
	struct iovec *pieces;
	unsigned char memory[]; /* pieces, and copies of header and payload */
};

STAILQ_HEAD(far_items, far_item);

/* The segments that are being written, as pieces of memory. */
struct far_batch {
	struct iovec pieces[FAR_PIECES];
	size_t count, at;
	unsigned segments;
	unsigned char heads[FAR_SEGMENTS][STN_SEGMENT_HEAD];
	struct far_items items; /* to be ended when the batch is written */
};

/* A payload that this node is receiving. */
struct far_pull {
	LIST_ENTRY(far_pull) link; /* in far->pulls */
	uint32_t from, operation;
	stn_done *done;
	void *arg;
	size_t left;
	size_t count;
	struct iovec *at; /* where the next bytes belong */
	struct iovec pieces[];
};

struct far_connection {
	int fd; /* -1: none */
	uint32_t cluster;
	bool lost;
	bool blocked; /* waits for room in the socket, or for its turn */
	bool flushing;
	struct far_items items;
	LIST_HEAD(, far_offer) offers;
	struct far_offer *turn; /* the offer that sends the next PART */
	struct far_batch batch;
	unsigned char *in;
	size_t in_from, in_to;
	size_t part_left;      /* bytes of the PART that is coming in */
	struct far_pull *part; /* the pull it belongs to; NULL: drop it */
};

struct far {
	struct stn_transport base;
	struct stn_uplink uplink;
	int watch; /* an epoll of all connections */
	uint32_t last_operation;
	bool closing;
	const char *lost_how; /* why a connection was lost, until all are ended;
				 or NULL */
	LIST_HEAD(, far_pull) pulls;
	struct far_connection connections[]; /* by cluster */
};

struct far_arrival {
	struct stn_arrival arrival; /* first: handlers see its address */
	uint32_t operation;
	bool answered; /* the handler has pulled or refused it */
};

static inline struct far *
far_of(struct stn_transport *transport)
{
	return (struct far *)transport;
}

/* far_connection_to: the connection that leads to node @rank. */
static inline struct far_connection *
far_connection_to(struct far *far, uint32_t rank)
{
	return &far->connections[stn_cluster_of(far->base.opening.topology,
						rank)];
}

/*
 * far_mark_lost: the connection carries nothing more. As all connections lead
 * to the same gateway, the next far_progress ends all of them, with what is
 * under way on each.
 */
static inline void
far_mark_lost(struct far *far, struct far_connection *connection,
	      const char *how)
{
	connection->lost = true;
	far->lost_how = how;
}

/*
 * far_receive: reads and parses what has come on a connection whose socket is
 * readable. Returns how many segments and pulls that completed.
 */
unsigned far_receive(struct far *far, struct far_connection *connection);
stn_ops_pull far_pull;
stn_ops_refuse far_refuse;

/* far_end_pulls: ends the pulls from node @rank, or FAR_ALL, on @connection. */
void far_end_pulls(struct far *far, struct far_connection *connection,
		   uint32_t rank, enum stn_err err);

#endif
