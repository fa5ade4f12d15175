/*
 * verbs.h: the internals of the verbs backend, shared by its files:
 *
 *	verbs_open.c	opens and closes an endpoint
 *	verbs_device.c	chooses a device and its port
 *	verbs_connect.c	addresses; connects endpoints when they first need it
 *	verbs_send.c	sends messages; messages and reads that wait for room
 *	verbs.c		handles completions; sleeping
 *	verbs_pull.c	large payloads, which the receiver reads
 *	verbs_memory.c	registers their memory
 *	verbs_library.c	loads libibverbs
 *
 * Each pair of endpoints that exchange messages has a reliable connection (RC).
 * All connections of an endpoint share one receive queue (SRQ) and two
 * completion queues, one for receives, one for sends. Connections are
 * established by datagrams over another queue pair (UD), the connector, whose
 * number is in the endpoint's address. This needs neither a port nor another
 * library.
 *
 * The processor gathers small packets into the queue's entry (inline). Packets
 * that don't fit are copied once, into a registered buffer. Large payloads are
 * read (RDMA READ) from the sender's application memory into the receiver's;
 * both are registered for this one read.
 *
 * Messages never wait behind more than a few reads: a peer that hears nothing
 * while its payload is read would declare this node dead. So reads have a queue
 * of their own for each peer, and only as many are posted as the device works
 * on at the same time. Messages and reads that wait take turns, so neither
 * waits for ever.
 *
 * See ibv_post_send(3), ibv_modify_qp(3), ibv_get_cq_event(3) of rdma-core 44,
 * and chapter 9 of the InfiniBand Architecture Specification, volume 1.
 * Asynchronous events (for example, a port went down) are not read: their
 * consequences appear in the completions.
 */
#ifndef STN_TRANSPORT_VERBS_VERBS_H
#define STN_TRANSPORT_VERBS_VERBS_H

#include "transport/memory.h"
#include "transport/rendezvous.h"
#include "transport/verbs/verbs_device.h"

#define VERBS_EAGER_BYTES 8192 /* header and payload */
#define VERBS_BOUNCES 64       /* buffers for packets that aren't inline */
#define VERBS_BOUNCES_EACH 16  /* of them for one peer of several */
#define VERBS_DATAGRAMS 64     /* datagrams queued in each direction */
#define VERBS_PIECES 16	       /* the most pieces gathered for a packet */
#define VERBS_BATCH 16	       /* completions read at once */
#define VERBS_RETIRED 16       /* regions that may wait to be deregistered */
#define VERBS_RETIRED_BYTES ((size_t)1 << 20) /* the most of one of them */

/* The longest message. A datagram arrives behind a routing header. */
#define VERBS_WIRE_BYTES (STN_PACKET_BYTES + VERBS_EAGER_BYTES)
#define VERBS_BUFFER_BYTES ((VERBS_WIRE_BYTES + 63) / 64 * 64)
#define VERBS_ROUTE_BYTES 40
#define VERBS_DATAGRAM_BYTES                                                   \
	(STN_PACKET_BYTES + sizeof(struct stn_connect_block))
#define VERBS_DATAGRAM_ROOM 128

_Static_assert(STN_HEADER_BYTES + sizeof(struct stn_offer_block) <=
		       VERBS_EAGER_BYTES,
	       "an offer arrives in one piece");
_Static_assert(VERBS_ROUTE_BYTES + VERBS_DATAGRAM_BYTES <= VERBS_DATAGRAM_ROOM,
	       "and so does a datagram");

/*
 * Marks a completion's wr_id as the connector's. Other ids are ranks or
 * buffers.
 */
#define VERBS_CONNECTOR (1ull << 32)

struct verbs;
struct verbs_op;

/*
 * Posts an operation. Returns false if it must be posted again later. After
 * true the operation may be freed already.
 */
typedef bool verbs_post(struct verbs *verbs, struct verbs_op *op);

/* An operation has ended. */
typedef void verbs_ended(struct verbs *verbs, struct verbs_op *op,
			 enum stn_err err);

/* An operation that waits, or is posted. */
struct verbs_op {
	verbs_post *post;
	verbs_ended *ended;
	/* In a peer's backlog or reads, or in free_bounces. */
	STAILQ_ENTRY(verbs_op) link;
	uint32_t to;
};

STAILQ_HEAD(verbs_ops, verbs_op);

/* A registered buffer that a packet is sent from. */
struct verbs_bounce {
	struct verbs_op op; /* first */
	unsigned char *bytes;
};

/* What a packet is gathered from. */
struct verbs_message {
	struct stn_packet packet;
	const void *header;
	const void *block; /* follows the header */
	size_t block_bytes;
	const struct iovec *pieces; /* of an eager payload */
	size_t count;
};

/* The bytes of an endpoint's address. */
struct verbs_address {
	uint64_t magic;
	union ibv_gid gid;
	uint32_t connector, key;
	uint16_t lid;
	uint8_t link_layer, gid_type;
	uint8_t mtu;   /* the largest packet, as enum ibv_mtu */
	uint8_t reads; /* reads that it serves at the same time */
	uint8_t unused[2];
};

_Static_assert(sizeof(struct verbs_address) == STN_CONNECT_ADDRESS_BYTES,
	       "a datagram says where its sender is");

/*
 * A node, and the connection with it. Messages may be sent when both ends are
 * connected: before that, the peer would not receive them.
 */
struct verbs_peer {
	bool known;	  /* the address is known */
	bool heard;	  /* a CONNECT of the peer has arrived */
	bool receives;	  /* our queue pair can receive from the peer's */
	bool joined;	  /* our queue pair is connected to the peer's */
	bool peer_joined; /* the peer's is connected to ours, as it said */
	bool broken;	  /* will be declared dead */
	bool dead;
	bool pending; /* in verbs->pending */
	struct verbs_peer *next_pending;
	struct verbs_address address;
	struct ibv_ah *route; /* for datagrams to it */
	struct ibv_qp *pair;  /* NULL: no connection */
	uint32_t first;	      /* the number of our first packet */
	/* The number and first packet of the peer's queue pair, if heard. */
	uint32_t theirs, their_first;
	uint64_t resend_ns, interval_ns;
	uint64_t failing_ns; /* since when it can't be connected; 0: it can */
	char failure[128];   /* why the connection counts as broken */
	/* Numbers of work requests, which complete in the order of posting. */
	uint64_t posted, completed;
	uint64_t owed; /* those from here on are heartbeats or reads */
	/* Operations of the requests from completed to posted, or NULL. */
	struct verbs_op **in_flight;
	uint32_t bounced;		   /* buffers in use, for it */
	struct verbs_ops backlog;	   /* messages that wait */
	struct verbs_ops reads;		   /* reads that wait */
	bool read_is_next;		   /* in turn, if both wait */
	uint32_t reads_posted, reads_most; /* posted reads, and the most */
};

/* A completion queue. One completion may have been read ahead. */
struct verbs_queue {
	struct ibv_cq *cq;
	struct ibv_wc early;
	bool has_early;
	bool armed; /* the next completion gives an event */
};

struct verbs {
	struct stn_transport base;
	struct verbs_library library;
	struct verbs_port port;
	struct ibv_pd *domain;
	struct ibv_comp_channel *channel;
	struct verbs_queue arrivals, sends;
	struct ibv_srq *receives;
	struct ibv_qp *connector;
	uint32_t key; /* the connector's */
	uint32_t datagrams_sent, datagrams_completed;
	uint32_t receive_count;		 /* posted buffers for messages */
	uint32_t depth;			 /* of each connection's send queue */
	uint32_t inline_bytes, gathered; /* the most of an inline send */
	uint32_t reading;		 /* reads that have not ended */
	/* Regions of all memory, for peers to read, and for reads to write. */
	struct ibv_mr *all_memory[2];
	/* A ring of regions to deregister; see verbs_memory.h. */
	struct ibv_mr *retired[VERBS_RETIRED];
	size_t retired_first, retired_count;

	/*
	 * Buffers of received messages, bounces, received and sent datagrams.
	 */
	unsigned char *memory, *bounce_memory, *datagrams_in, *datagrams_out;
	struct ibv_mr *region;
	struct verbs_bounce bounces[VERBS_BOUNCES];
	struct verbs_ops free_bounces;

	struct stn_rendezvous rendezvous;
	struct verbs_peer *pending;
	bool closing; /* nothing is handled or started any more */
	struct verbs_peer peers[];
};

static inline struct verbs *
verbs_of(struct stn_transport *transport)
{
	return (struct verbs *)transport;
}

static inline uint32_t
verbs_rank(const struct verbs *verbs, const struct verbs_peer *peer)
{
	return (uint32_t)(peer - verbs->peers);
}

/* verbs_post_receives: posts a batch of buffers for messages. */
int verbs_post_receives(struct verbs *verbs, const uint32_t *buffers,
			size_t count);

/*
 * verbs_queue_arm: asks for an event, then polls once, into queue->early.
 * Returns true if the caller must not sleep.
 */
bool verbs_queue_arm(struct verbs_queue *queue);

/* The rest of stn_transport_ops. */
void verbs_peer_del(struct stn_transport *transport, uint32_t rank);
unsigned verbs_progress(struct stn_transport *transport);
uint64_t verbs_arm(struct stn_transport *transport);
void verbs_disarm(struct stn_transport *transport);
bool verbs_waits(const struct stn_transport *transport);

/*
 * verbs_is_connecting: is a connection being established?
 * verbs_is_open: is the connection established?
 */
bool verbs_is_connecting(const struct verbs_peer *peer);
bool verbs_is_open(const struct verbs_peer *peer);

/* verbs_broken: a connection has broken. @how explains it to users. */
void verbs_broken(struct verbs *verbs, struct verbs_peer *peer,
		  const char *how);

/*
 * verbs_set_pending: adds a peer to the list of peers that connect, or for
 * which something waits.
 */
void verbs_set_pending(struct verbs *verbs, struct verbs_peer *peer);

/* verbs_post_datagram: posts a buffer for a datagram. */
int verbs_post_datagram(struct verbs *verbs, uint32_t buffer);

/*
 * address and connect of stn_transport_ops. connect returns STN_INVALID if the
 * address can't be reached from here.
 */
stn_ops_address verbs_address;
STN_CHECKED stn_ops_connect verbs_connect;

/* verbs_create_pair: creates a queue pair that uses this endpoint's queues. */
struct ibv_qp *verbs_create_pair(struct verbs *verbs, uint32_t inline_bytes);

/*
 * verbs_establish: begins to connect to a peer, or sends the CONNECT again when
 * it is due.
 */
void verbs_establish(struct verbs *verbs, struct verbs_peer *peer);

/* verbs_datagram_received: handles a datagram's completion. */
void verbs_datagram_received(struct verbs *verbs,
			     const struct ibv_wc *completion);

/* verbs_disconnect: destroys a connection and its route. */
void verbs_disconnect(struct verbs *verbs, struct verbs_peer *peer);

#endif
