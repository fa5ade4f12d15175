/*
 * ucx.h: the internals of the UCX backend, shared by its files:
 *
 *	ucx_open.c	opens and closes: context, worker, addresses
 *	ucx_config.c	settings of UCX
 *	ucx.c		progress, sleeping, dead peers
 *	ucx_receive.c	receives messages
 *	ucx_pull.c	large payloads, by UCX's rendezvous
 *	ucx_send.c	operations: begins, sends and ends them
 *	ucx_endpoint.c	endpoints to peers
 *	ucx_library.c	loads UCX
 *
 * A message is one active message of UCX. Its AM header is a cookie and the
 * packet. Its data is the message's header and payload, gathered from the
 * caller's memory. For a large payload, the AM header is the cookie, the
 * packet, the message's header and a token. Its data is the payload, which
 * stays at the sender until the receiver asks UCX for it.
 *
 * Order: eager messages and the announcements of large payloads use the same
 * lane of UCX, and a lane keeps its messages in order (UCX's tag matching
 * depends on it). But a send from inside a callback of UCX may overtake
 * messages in a queue that UCX is emptying. So callbacks only queue the ended
 * operation, and its done is called after UCX has returned.
 *
 * See ucp_am_send_nbx, ucp_am_recv_callback_t and ucp_am_recv_data_nbx in
 * ucp/api/ucp.h and ucp_def.h of UCX 1.13.
 */
#ifndef STN_TRANSPORT_UCX_UCX_H
#define STN_TRANSPORT_UCX_UCX_H

#include "transport/memory.h"
#include "transport/rendezvous.h"
#include "transport/ucx/ucx_library.h"

#define UCX_MESSAGE 1	     /* the only kind of active message */
#define UCX_EAGER_BYTES 8192 /* header and payload */
/*
 * Header and payload over TCP, where asking the receiver takes longer than a
 * copy. A message of this size, with the headers of UCX, fits into one segment
 * of 256 KB (ucx_config.c). UCX sends a payload in one piece and without a
 * header from the caller's memory.
 */
#define UCX_TCP_EAGER_BYTES (256 * 1024 - 256)
#define UCX_INLINE_BYTES 64  /* fit in a cell of UCX's shared memory */
#define UCX_GOODBYE 0	     /* the token of a packet that announces a close */
#define UCX_PIECES 8	     /* room of every operation */

/*
 * The beginning of an AM header. The cookie is the receiver's, and part of its
 * address. A node that gets a port of an earlier run's node may receive
 * messages meant for that node; their cookie is wrong.
 *
 * With a message header of 8 bytes, everything that UCX puts into shared memory
 * fits in one cache line. A second line would add a third of a microsecond to a
 * round trip.
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

/* A node. Its endpoint is made when it is first needed. */
struct ucx_peer {
	struct ucx *ucx;
	ucp_ep_h endpoint;	 /* or NULL */
	unsigned char *address;	 /* UCX's; NULL: unknown */
	uint32_t cookie;	 /* the node's */
	LIST_HEAD(, ucx_op) ops; /* operations that UCX has */
	bool reached; /* a message has arrived from it, or has left */
	bool shut;    /* no endpoint can be made any more */
	bool starved; /* none could be made the last time, for lack of memory */
};

enum ucx_op_type { UCX_SEND, UCX_OFFER, UCX_PULL };

/* An operation. It is reused after its end. */
struct ucx_op {
	struct stn_offer offer;	   /* first; for UCX_OFFER */
	LIST_ENTRY(ucx_op) posted; /* in peer->ops */
	STAILQ_ENTRY(ucx_op) link; /* in ucx->ended or ucx->free */
	struct ucx_peer *peer;
	enum ucx_op_type type;
	enum stn_err err; /* the outcome */
	uint64_t token;	  /* of the offer that a pull takes */
	stn_done *done;	  /* may be NULL */
	void *arg;
	ucp_dt_iov_t *pieces; /* gathered or scattered by UCX */
	size_t count, room;   /* of pieces */
	unsigned char head[UCX_AM_HEADER_BYTES]; /* while UCX needs it */
};

struct ucx {
	struct stn_transport base;
	struct ucx_library library;
	ucp_context_h context;
	ucp_worker_h worker;
	uint32_t cookie;	/* this endpoint's */
	ucp_address_t *address; /* the worker's */
	size_t address_bytes;
	STAILQ_HEAD(, ucx_op) ended; /* to be reported, in order */
	STAILQ_HEAD(, ucx_op) free;
	size_t under_way; /* operations that have not ended */
	bool defers;	  /* handlers may not run; messages are deferred: */
	STAILQ_HEAD(, ucx_deferred) deferred; /* in order */
	struct stn_rendezvous rendezvous;
	bool reporting; /* ucx_run_ended is running */
	bool queued;	/* UCX has queued something since the last arm */
	bool closing; /* arrived messages are dropped, and nothing is started */
	bool aborts;  /* ucx_aborts says so */
	unsigned leaked; /* endpoints left to UCX until the process ends */
	struct ucx_peer peers[];
};

static inline struct ucx *
ucx_of(struct stn_transport *transport)
{
	return (struct ucx *)transport;
}

/* ucx_is_shortage: does this node lack memory, or another resource of UCX? */
static inline bool
ucx_is_shortage(ucs_status_t status)
{
	return status == UCS_ERR_NO_MEMORY || status == UCS_ERR_NO_RESOURCE;
}

/* ucx_head: the first bytes of a message from this node to a peer. */
static inline struct ucx_head
ucx_head(const struct ucx_peer *peer, enum stn_packet_type type, uint8_t kind,
	 size_t header_bytes, size_t payload_bytes)
{
	return (struct ucx_head){
		.cookie = peer->cookie,
		.packet = stn_packet_make(peer->ucx->base.opening.rank, type,
					  kind, header_bytes, payload_bytes),
	};
}

/* An operation's pieces in the form that UCX takes. */
struct ucx_data {
	void *buffer;
	size_t count;
	ucp_request_param_t params; /* the caller sets the callback */
};

/* An arrived message, as pull and refuse get it back. */
struct ucx_arrival {
	struct stn_arrival arrival; /* first */
	uint64_t token;
	void *data;	     /* UCX's handle of a payload that it keeps */
	ucs_status_t status; /* the handler's return value to UCX */
};

/* ucx.c: the rest of stn_transport_ops. */
void ucx_peer_del(struct stn_transport *transport, uint32_t rank);
unsigned ucx_progress(struct stn_transport *transport);
uint64_t ucx_arm(struct stn_transport *transport);
bool ucx_waits(const struct stn_transport *transport);

/* ucx_arrived: UCX's handler of active messages. */
ucs_status_t ucx_arrived(void *arg, const void *head, size_t head_bytes,
			 void *data, size_t data_bytes,
			 const ucp_am_recv_param_t *params);

/* ucx_run_deferred: handles all deferred messages; returns how many. */
unsigned ucx_run_deferred(struct ucx *ucx);

#endif
