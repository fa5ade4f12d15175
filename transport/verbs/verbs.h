/*
 * verbs.h: the inside of the verbs backend, shared by its files:
 *
 *	verbs_open.c	the endpoint's life, addresses
 *	verbs_device.c	which device and port
 *	verbs_connect.c	how two endpoints join a pair of queues, at first use
 *	verbs_send.c	what leaves, and what waits to
 *	verbs.c		what arrives and completes; sleeping
 *	verbs_pull.c	large payloads: the receiver reads them
 *	packet.c	what goes over the wire
 *	verbs_library.c	the library itself
 *
 * Each pair of endpoints that talk has a reliable connection (RC). All of an
 * endpoint's connections share a receive queue (SRQ), and the two completion
 * queues: one for what arrives, one for what was sent. Connections are agreed
 * upon over a datagram queue (UD), the greeter, whose number is the endpoint's
 * address: that takes neither a port nor another library.
 *
 * Small packets are gathered by the processor into the queue's entry (inline);
 * those that don't fit are copied once, into a buffer that the device knows;
 * large payloads are read (RDMA READ) out of the application's memory into
 * that of the other, both registered for the time.
 *
 * See ibv_post_send(3), ibv_modify_qp(3), ibv_get_cq_event(3) of rdma-core 44,
 * and chapter 9 of the InfiniBand Architecture Specification, volume 1.
 * Asynchronous events (a port went down) are left unread: what comes of them
 * shows in the completions.
 */
#ifndef STN_TRANSPORT_VERBS_VERBS_H
#define STN_TRANSPORT_VERBS_VERBS_H

#include "transport/offers.h"
#include "transport/ops.h"
#include "transport/packet.h"
#include "transport/verbs/verbs_device.h"

#define VERBS_EAGER_BYTES 8192 /* header and payload */
#define VERBS_BOUNCES 64       /* buffers for what isn't inline */
#define VERBS_GREETINGS 64     /* datagrams that may wait, at either end */
#define VERBS_PIECES 16	       /* of a packet that are gathered */
#define VERBS_BATCH 16	       /* completions read at once */

/* The most that can arrive in one piece; datagrams come behind a route. */
#define VERBS_WIRE_BYTES (STN_PACKET_BYTES + VERBS_EAGER_BYTES)
#define VERBS_BUFFER_BYTES ((VERBS_WIRE_BYTES + 63) / 64 * 64)
#define VERBS_ROUTE_BYTES 40
#define VERBS_GREETING_BYTES                                                   \
	(STN_PACKET_BYTES + sizeof(struct stn_connect_block))
#define VERBS_GREETING_ROOM 128

_Static_assert(STN_HEADER_BYTES + sizeof(struct stn_offer_block) <=
		       VERBS_EAGER_BYTES,
	       "an offer arrives in one piece");
_Static_assert(VERBS_ROUTE_BYTES + VERBS_GREETING_BYTES <= VERBS_GREETING_ROOM,
	       "and so does a datagram");

/* In a completion's wr_id: it is the greeter's. Else a rank, or a buffer. */
#define VERBS_GREETER (1ull << 32)

struct verbs;
struct verbs_op;

/* Starts an operation; false: later. It may then be gone. */
typedef bool verbs_post(struct verbs *verbs, struct verbs_op *op);

/* An operation has ended. */
typedef void verbs_ended(struct verbs *verbs, struct verbs_op *op,
			 enum stn_err err);

/* What waits to be posted, or has been. */
struct verbs_op {
	verbs_post *post;
	verbs_ended *ended;
	struct verbs_op *next; /* in a backlog, or among free ones */
	uint32_t to;
};

/* A buffer that a packet leaves from. */
struct verbs_bounce {
	struct verbs_op op; /* first */
	unsigned char *bytes;
};

/* What a packet is gathered from. */
struct verbs_letter {
	struct stn_packet packet;
	const void *header;
	const void *block; /* follows the header */
	size_t block_bytes;
	const struct iovec *pieces; /* of an eager payload */
	size_t count;
};

/* An endpoint's address. */
struct verbs_address {
	uint64_t magic;
	union ibv_gid gid;
	uint32_t greeter, key;
	uint16_t lid;
	uint8_t link_layer, gid_type;
	uint8_t mtu;   /* the largest packet, as enum ibv_mtu */
	uint8_t reads; /* how many it answers at once */
	uint8_t unused[2];
};

_Static_assert(sizeof(struct verbs_address) == STN_CONNECT_ADDRESS_BYTES,
	       "a datagram says where its sender is");

/*
 * A node, and the connection with it. Messages may leave when both ends are
 * joined: before, the other would not take them.
 */
struct verbs_peer {
	bool known;  /* it has an address, or has told it */
	bool joined; /* our pair with theirs */
	bool met;    /* and theirs with ours, as they said */
	bool broken; /* and to be declared dead */
	bool dead;
	bool attended; /* is in the list of those who need attention */
	struct verbs_peer *next_attended;
	struct verbs_address address;
	struct ibv_ah *route; /* of datagrams to it */
	struct ibv_qp *pair;  /* NULL: not yet, or no more */
	uint32_t first;	      /* number of our first packet */
	uint32_t theirs;      /* number of their pair, when joined */
	uint64_t greet_ns, interval_ns;
	uint64_t posted, completed; /* how much work was; it ends in order */
	struct verbs_op **flights;  /* between: operations, or NULL */
	struct verbs_op *first_waiting, **last_waiting; /* the backlog */
};

/* A completion queue. One completion may have been read ahead. */
struct verbs_queue {
	struct ibv_cq *cq;
	struct ibv_wc early;
	bool has_early;
	bool armed; /* the next completion makes the descriptor readable */
};

struct verbs {
	struct stn_transport base;
	struct stn_opening opening;
	struct verbs_library library;
	struct verbs_port port;
	struct ibv_pd *domain;
	struct ibv_comp_channel *channel;
	struct verbs_queue arrivals, sends;
	struct ibv_srq *receives;
	struct ibv_qp *greeter;
	uint32_t key;			 /* the greeter's */
	uint32_t greeted, greetings;	 /* sent, and their completions */
	uint32_t receive_count;		 /* buffers that wait for messages */
	uint32_t depth;			 /* of each connection's send queue */
	uint32_t inline_bytes, gathered; /* that a send carries off */
	uint32_t reading;		 /* reads that have not ended */
	struct ibv_mr *anywhere[2];	 /* all memory, to read and to write */

	/* Received messages, bounces, received and sent datagrams. */
	unsigned char *memory, *bounce_memory, *heard_memory, *said_memory;
	struct ibv_mr *region;
	struct verbs_bounce bounces[VERBS_BOUNCES];
	struct verbs_op *free_bounces;

	struct stn_offers offers;
	struct verbs_peer *attended;
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

/*
 * verbs_submit: posts an operation, or puts it into its peer's backlog; or
 * ends it, if the peer is dead or the endpoint closes.
 */
void verbs_submit(struct verbs *verbs, struct verbs_op *op);

/*
 * verbs_post_work: puts a work request on the queue of a peer. False: there is
 * no room, or no connection yet.
 * @op  ends when the work is completed; NULL: nothing does
 */
bool verbs_post_work(struct verbs *verbs, uint32_t to, struct ibv_send_wr *work,
		     struct verbs_op *op);

/*
 * verbs_attend: puts a peer among those that progress looks after, because it
 * connects or waits. verbs_look_after: that; returns how much it did.
 */
void verbs_attend(struct verbs *verbs, struct verbs_peer *peer);
unsigned verbs_look_after(struct verbs *verbs);

/* verbs_broken: a connection is, @how tells people. */
void verbs_broken(struct verbs *verbs, struct verbs_peer *peer,
		  const char *how);

/* verbs_malformed: shows what can't be parsed as a message of kind 0. */
void verbs_malformed(struct verbs *verbs, uint32_t from);

/* verbs_send_letter: for the contract see stn_transport_ops.send. */
void verbs_send_letter(struct verbs *verbs, uint32_t to,
		       const struct verbs_letter *letter, stn_done *done,
		       void *arg);

/* verbs_post_receives: gives a batch of buffers (back) to the device. */
int verbs_post_receives(struct verbs *verbs, const uint32_t *buffers,
			size_t count);

/* verbs_release: ends all that is under way to a peer, and its connection. */
void verbs_release(struct verbs *verbs, struct verbs_peer *peer,
		   enum stn_err err);

/* What stn_transport_ops says of the rest. */
void verbs_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
		const void *header, size_t header_bytes,
		const struct iovec *pieces, size_t count, stn_done *done,
		void *arg);
void verbs_peer_del(struct stn_transport *transport, uint32_t rank);
unsigned verbs_progress(struct stn_transport *transport);
uint64_t verbs_arm(struct stn_transport *transport);
bool verbs_waits(const struct stn_transport *transport);

/* verbs_connect.c: gives a datagram's buffer (back) to the device. */
int verbs_post_heard(struct verbs *verbs, uint32_t buffer);

/* verbs_own_address: this endpoint's. */
struct verbs_address verbs_own_address(const struct verbs *verbs);

/*
 * verbs_meet: node @rank is at @address, of as many bytes as an address has;
 * or STN_INVALID: that can't be.
 */
STN_CHECKED enum stn_err verbs_meet(struct verbs *verbs, uint32_t rank,
				    const unsigned char *address,
				    struct stn_why *why);

/* verbs_reads: how many reads this endpoint answers at once. */
uint8_t verbs_reads(const struct verbs *verbs);

/* verbs_create_pair: a pair of queues, of what this endpoint uses. */
struct ibv_qp *verbs_create_pair(struct verbs *verbs, uint32_t inline_bytes);

/* verbs_join: begins to connect with a peer, or goes on if it is time. */
void verbs_join(struct verbs *verbs, struct verbs_peer *peer);

/* verbs_joining: is a connection under way? verbs_is_open: has it been made? */
bool verbs_joining(const struct verbs_peer *peer);
bool verbs_is_open(const struct verbs_peer *peer);

/* verbs_heard: a datagram has arrived. */
void verbs_heard(struct verbs *verbs, const struct ibv_wc *completion);

/* verbs_disjoin: ends a connection, and forgets the route. */
void verbs_disjoin(struct verbs *verbs, struct verbs_peer *peer);

/* An offered message, as pull and refuse get it back. */
struct verbs_arrival {
	struct stn_arrival arrival; /* first */
	struct stn_offer_block offer;
};

/* verbs_pull.c: what stn_transport_ops says of offer, pull and refuse. */
void verbs_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
		 const void *header, size_t header_bytes,
		 const struct iovec *pieces, size_t count, stn_done *done,
		 void *arg);
void verbs_pull(struct stn_transport *transport,
		const struct stn_arrival *arrival, const struct iovec *pieces,
		size_t count, stn_done *done, void *arg);
void verbs_refuse(struct stn_transport *transport,
		  const struct stn_arrival *arrival);

/* verbs_offer_release: for stn_offers.release. */
void verbs_offer_release(struct stn_offer *offer);

#endif
