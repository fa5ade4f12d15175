/*
 * ucx.h: the inside of the UCX backend, shared by its files:
 *
 *	ucx_open.c	the endpoint's life: context, worker, addresses
 *	ucx_config.c	what UCX is told to do otherwise than it would
 *	ucx.c		operations: sends, ends, sleeping, peers
 *	ucx_receive.c	what arrives
 *	ucx_hold.c	what arrives at the wrong time
 *	ucx_pull.c	large payloads: UCX's rendezvous
 *	packet.c	what goes over the wire
 *	ucx_library.c	the library itself
 *
 * A message is one active message of UCX. Its AM header is a cookie and the
 * packet; its data are the message's header and payload, gathered from where
 * they lie. For a large payload the AM header is cookie, packet, header and
 * token, and the data is the payload, which stays at its sender until the
 * receiver asks UCX for it.
 *
 * Order: eager messages, and the notes that a large payload is there, all go
 * over one lane of UCX, and lanes keep order (UCX's tag matching needs that).
 * But inside UCX's own callbacks a send may overtake what waits in a queue that
 * UCX is just emptying. So such callbacks only note that an operation has
 * ended, and ends are told when UCX has returned.
 *
 * See ucp_am_send_nbx, ucp_am_recv_callback_t and ucp_am_recv_data_nbx in
 * ucp/api/ucp.h and ucp_def.h of UCX 1.13.
 */
#ifndef STN_TRANSPORT_UCX_UCX_H
#define STN_TRANSPORT_UCX_UCX_H

#include "transport/ops.h"
#include "transport/packet.h"
#include "transport/ucx/ucx_library.h"

#define UCX_MESSAGE 1	     /* our only kind of active message */
#define UCX_EAGER_BYTES 8192 /* header and payload */
#define UCX_INLINE_BYTES 64  /* that fit a cell of UCX's shared memory */
#define UCX_GOODBYE 0	     /* a token of no offer: of the last packet */
#define UCX_PIECES 8	     /* gathered without further memory */

/*
 * What an AM header begins with. The cookie is its receiver's, part of whose
 * address it is: so nobody takes what is for a node whose port it has got.
 *
 * With a header of 8 bytes all that UCX puts into shared memory is one cache
 * line. Another one costs as much again: a third of a microsecond to and fro.
 */
struct ucx_head {
	uint32_t cookie;
	struct stn_packet packet;
} __attribute__((packed));

_Static_assert(sizeof(struct ucx_head) == 20, "28 of UCX, these, 8 and 8: 64");

#define UCX_AM_HEADER_BYTES                                                    \
	(sizeof(struct ucx_head) + STN_HEADER_BYTES + sizeof(uint64_t))

struct ucx;
struct ucx_op;

/* A node that can be sent to. Its endpoint is made when it is first needed. */
struct ucx_peer {
	struct ucx *ucx;
	ucp_ep_h endpoint;	/* or NULL */
	unsigned char *address; /* UCX's; NULL: not connected */
	uint32_t cookie;	/* its */
	struct ucx_op *offers;	/* that have not ended */
	struct ucx_op *ops;	/* others that have not */
	bool reached; /* something has come from it, or is known to have left */
	bool shut;    /* none can be made: it is dead, or UCX has failed to */
};

enum ucx_what { UCX_SEND, UCX_OFFER, UCX_PULL };

/* Something under way. Kept for reuse when it has ended. */
struct ucx_op {
	struct ucx_op *next, **previous; /* its peer's, the ended, the free */
	struct ucx_peer *peer;
	enum ucx_what what;
	bool posted;	  /* UCX has it, and will call back */
	bool answered;	  /* an offer's receiver has said how it ended */
	enum stn_err err; /* so far */
	uint64_t token;	  /* of an offer */
	stn_done *done;	  /* may be NULL */
	void *arg;
	ucp_dt_iov_t *pieces; /* what UCX gathers or scatters */
	size_t count, room;   /* of pieces */
	unsigned char head[UCX_AM_HEADER_BYTES]; /* what must be kept */
};

struct ucx {
	struct stn_transport base;
	struct stn_opening opening;
	struct ucx_library library;
	ucp_context_h context;
	ucp_worker_h worker;
	uint32_t cookie;	/* ours */
	ucp_address_t *address; /* the worker's */
	size_t address_bytes;
	struct ucx_op *ended, **last_ended; /* in order */
	struct ucx_op *free;
	size_t under_way; /* operations */
	bool holds;	  /* nothing may be handled; then it is held: */
	struct ucx_held *held, **last_held; /* in order */
	uint64_t last_token;		    /* of our offers */
	bool telling;			    /* ends, so not from inside one */
	bool queued;   /* UCX took something since it was armed */
	bool closing;  /* nothing is handled or started any more */
	bool aborts;   /* if a connection is given up before it is made */
	unsigned left; /* endpoints that are UCX's until the process ends */
	struct ucx_peer peers[];
};

static inline struct ucx *
ucx_of(struct stn_transport *transport)
{
	return (struct ucx *)transport;
}

/* ucx_configure: settings for @opening; the caller releases them. */
STN_CHECKED enum stn_err ucx_configure(const struct ucx_library *library,
				       const struct stn_opening *opening,
				       ucp_config_t **config_p,
				       struct stn_why *why);

/*
 * ucx_aborts: does UCX abort if a connection that is not made yet is given up?
 * Before 1.14 it does so of one by datagrams of an RDMA device.
 */
bool ucx_aborts(const struct ucx_library *library, const char *provider);

/* ucx_head: what a message of this node to a peer begins with. */
static inline struct ucx_head
ucx_head(const struct ucx_peer *peer, enum stn_packet_type type, uint8_t kind,
	 size_t header_bytes, size_t payload_bytes)
{
	return (struct ucx_head){
		.cookie = peer->cookie,
		.packet = stn_packet_make(peer->ucx->opening.rank, type, kind,
					  header_bytes, payload_bytes),
	};
}

/*
 * ucx_reach: makes an endpoint to a peer if there is none yet. False if there
 * can be none, or none any more.
 */
bool ucx_make_endpoint(struct ucx_peer *peer);

static inline bool
ucx_reach(struct ucx_peer *peer)
{
	return peer->endpoint || ucx_make_endpoint(peer);
}

/* ucx_no_way: why there is none, as the end of an operation. */
enum stn_err ucx_no_way(const struct ucx *ucx);

/*
 * ucx_close_endpoint: UCX cancels what it has for the peer, now or soon. Where
 * that would abort, it keeps it instead, and ucx->left counts it.
 */
void ucx_close_endpoint(struct ucx_peer *peer);

/* ucx_end_unanswered: ends offers that wait only for their receiver. */
void ucx_end_unanswered(struct ucx_peer *peer, enum stn_err err);

/* ucx_op_begin: an operation with room for @count pieces, and none yet. */
struct ucx_op *ucx_op_begin(struct ucx_peer *peer, enum ucx_what what,
			    size_t count, stn_done *done, void *arg);
void ucx_op_add_all(struct ucx_op *op, const struct iovec *pieces,
		    size_t count);

/* How UCX is told to gather or scatter an operation's pieces. */
struct ucx_data {
	void *buffer;
	size_t count;
	ucp_request_param_t params; /* the callback is missing */
};
struct ucx_data ucx_op_data(const struct ucx_op *op);

/* ucx_op_send: gives it to UCX, with the first bytes of its head. */
void ucx_op_send(struct ucx_op *op, size_t head_bytes, unsigned flags);

/*
 * ucx_send_done: sends a DONE, if there is a way. ucx_say_goodbye: lets a peer
 * know that this endpoint is being closed.
 */
void ucx_send_done(struct ucx_peer *peer, uint64_t token, uint64_t status);
void ucx_say_goodbye(struct ucx_peer *peer);

/*
 * ucx_op_posted: what UCX has returned for an operation: NULL, a request or an
 * error. ucx_op_completed: it is through with it.
 */
void ucx_op_posted(struct ucx_op *op, ucs_status_ptr_t request);
void ucx_op_completed(struct ucx_op *op, ucs_status_t status);

/* ucx_op_end: an operation has ended so; it will be told soon. */
void ucx_op_end(struct ucx_op *op, enum stn_err err);

/*
 * ucx_run_ended: tells the ends; returns of how many operations. Not inside
 * UCX, but for its handler of messages.
 */
unsigned ucx_run_ended(struct ucx *ucx);

struct ucx_arrival;

/* ucx_arrived: UCX's handler of our active messages. */
ucs_status_t ucx_arrived(void *arg, const void *head, size_t head_bytes,
			 void *data, size_t data_bytes,
			 const ucp_am_recv_param_t *params);

/* An arrived message, as pull and refuse get it back. */
struct ucx_arrival {
	struct stn_arrival arrival; /* first */
	uint64_t token;
	void *data;	     /* UCX's name for a payload it keeps */
	ucs_status_t status; /* what UCX is told */
};

/*
 * ucx_handle: parses a message, and shows it to the handler, or does what an
 * answer asks for. @arrival holds its data, and gets the rest.
 */
void ucx_handle(struct ucx *ucx, const unsigned char *head, size_t head_bytes,
		size_t data_bytes, bool kept, struct ucx_arrival *arrival);

/* ucx_hold: a message is to be handled later. Returns what UCX is told. */
ucs_status_t ucx_hold(struct ucx *ucx, const void *head, size_t head_bytes,
		      void *data, size_t data_bytes, bool kept);

/* ucx_run_held: handles what is held; returns how many. */
unsigned ucx_run_held(struct ucx *ucx);

/* ucx_pull.c: what stn_transport_ops says of offer, pull and refuse. */
void ucx_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	       const void *header, size_t header_bytes,
	       const struct iovec *pieces, size_t count, stn_done *done,
	       void *arg);
void ucx_pull(struct stn_transport *transport,
	      const struct stn_arrival *arrival, const struct iovec *pieces,
	      size_t count, stn_done *done, void *arg);
void ucx_refuse(struct stn_transport *transport,
		const struct stn_arrival *arrival);

/* ucx_answered: an offer has ended. False if none such is out to @rank. */
bool ucx_answered(struct ucx *ucx, uint32_t rank,
		  const struct stn_done_block *block);

/* ucx.c: the rest of the table. */
void ucx_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	      const void *header, size_t header_bytes,
	      const struct iovec *pieces, size_t count, stn_done *done,
	      void *arg);
void ucx_peer_del(struct stn_transport *transport, uint32_t rank);
unsigned ucx_progress(struct stn_transport *transport);
uint64_t ucx_arm(struct stn_transport *transport);
bool ucx_waits(const struct stn_transport *transport);

#endif
