/*
 * ofi.h: the internals of the libfabric backend, shared by its files:
 *
 *	ofi_open.c	opens and closes an endpoint; its address
 *	ofi_provider.c	knows the providers, and chooses one
 *	ofi.c		operations: posting, completing, sleeping, dead peers
 *	ofi_send.c	sends messages
 *	ofi_receive.c	receives messages
 *	ofi_pull.c	large payloads, which the receiver reads
 *	ofi_memory.c	pools of memory
 *	ofi_library.c	loads libfabric
 *
 * The backend uses fi_sendmsg, fi_recv and fi_readmsg on one reliable datagram
 * endpoint, one completion queue, and an address table. See fi_endpoint(3),
 * fi_cq(3) and fi_rma(3) of libfabric 1.17.
 */
#ifndef STN_TRANSPORT_OFI_OFI_H
#define STN_TRANSPORT_OFI_OFI_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "transport/ofi/ofi_library.h"
#include "transport/ofi/ofi_memory.h"
#include "transport/ofi/ofi_provider.h"
#include "transport/rendezvous.h"

#define OFI_RECEIVES 64	   /* buffers posted for messages */
#define OFI_GATHER 8	   /* the most pieces that a message is gathered from */
#define OFI_ALL UINT32_MAX /* all nodes, in place of a rank */
/* The shortest interval of polling, where no descriptor tells of events. */
#define OFI_POLL_LEAST_NS 20000ull

/*
 * The first bytes of a message. The cookie is the receiver's, and part of its
 * address. A node that gets a port of an earlier run's node may receive
 * messages meant for that node; their cookie is wrong.
 *
 * The number counts the messages from this sender to this receiver. Provider
 * net makes a new connection if one was reset, and reports no error for the
 * messages that were under way. The receiver finds that numbers are missing.
 */
struct ofi_wire {
	uint32_t cookie, number;
	struct stn_packet packet;
};

#define OFI_WIRE_BYTES sizeof(struct ofi_wire)

struct ofi;
struct ofi_op;

/*
 * libfabric returns this with a completion. @err is 0 or a positive fi_errno.
 */
struct ofi_context {
	struct fi_context2 space; /* first */
	void (*completed)(struct ofi *ofi, struct ofi_context *context,
			  size_t bytes, int err);
};

/*
 * Posts an operation. -FI_EAGAIN: it must be posted again later. -FI_ENOMEM:
 * also, if the end of other operations may free memory.
 */
typedef ssize_t ofi_post(struct ofi *ofi, struct ofi_op *op);

/* An operation has ended. The backend no longer uses its caller's memory. */
typedef void ofi_ended(struct ofi *ofi, struct ofi_op *op, enum stn_err err);

/* A send or a read that libfabric has, or that waits. */
struct ofi_op {
	struct ofi_context context; /* first */
	ofi_post *post;
	ofi_ended *ended; /* NULL: it has ended, but libfabric still has it */
	struct ofi_pool *pool; /* takes the operation back */
	union {
		STAILQ_ENTRY(ofi_op) waiting; /* in a peer's backlog or reads */
		LIST_ENTRY(ofi_op) posted;    /* or abandoned */
	};
	uint32_t to;
	bool reads;
	bool heartbeat; /* a close doesn't wait for it (peers.h) */
};

LIST_HEAD(ofi_ops, ofi_op);
STAILQ_HEAD(ofi_queue, ofi_op);

struct ofi_peer {
	struct ofi_context inlined; /* of inline messages */
	unsigned inlined_out;	    /* inline messages that have not left */
	fi_addr_t address;
	uint32_t cookie;
	uint32_t sent, received;  /* messages: the numbers of the next ones */
	struct ofi_queue backlog; /* sends that libfabric could not take */
	/*
	 * Reads that wait. They are apart from the sends, because a peer that
	 * hears nothing while its payload is read would declare this node dead.
	 */
	struct ofi_queue reads;
	bool read_is_next; /* in turn, if a send and a read wait */
	unsigned reads_posted;
	bool listed;  /* in ofi->waiting */
	bool shut;    /* nothing is posted: it has no address yet, or is lost */
	bool dead;    /* nothing is put into its backlog any more */
	bool severed; /* all operations with it have ended */
};

/* A buffer that waits for a message, or holds one. */
struct ofi_receive {
	struct ofi_context context; /* first */
	struct ofi_receive *next;   /* in ofi->unposted */
	unsigned char bytes[] __attribute__((aligned(16)));
};

struct ofi {
	struct stn_transport base;
	struct ofi_library library;
	struct ofi_provider provider;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *addresses;
	struct fid_cq *completions;
	struct fid_eq *events; /* if the provider has the trait OFI_EVENTS */
	struct fid_ep *endpoint;
	uint32_t cookie;     /* this endpoint's */
	size_t gather;	     /* the most pieces that libfabric gathers */
	size_t inject_bytes; /* the most bytes of an inline message */
	uint64_t inject_flags;
	size_t receive_bytes;	 /* the longest message */
	unsigned char *receives; /* all buffers */
	struct ofi_receive *unposted;
	struct stn_rendezvous rendezvous;
	uint64_t last_key;	  /* of a memory region */
	size_t inlined_out;	  /* inline messages that have not left */
	struct ofi_ops posted;	  /* what libfabric has, except receives */
	struct ofi_ops abandoned; /* ended, but libfabric still has them */
	uint32_t *waiting; /* ranks of the peers for which something waits */
	uint32_t waiting_count;
	bool closing; /* arrived messages are dropped, and nothing is posted */
	uint64_t interval_ns; /* the current interval of polling */
	struct ofi_pool sends, offer_pool, pulls, reads;
	struct ofi_blocks blocks;
	struct ofi_peer peers[];
};

static inline struct ofi *
ofi_of(struct stn_transport *transport)
{
	return (struct ofi *)transport;
}

/* ofi_op_init: prepares an operation with node @to, which belongs to @pool. */
void ofi_op_init(struct ofi_op *op, struct ofi_pool *pool, uint32_t to,
		 ofi_post *post, ofi_ended *ended);

/*
 * ofi_submit: posts an operation, or lets it wait. A read waits at first if its
 * peer has a backlog, if earlier reads wait, or if a few are posted already.
 * Sends and reads that wait take turns.
 */
void ofi_submit(struct ofi *ofi, struct ofi_op *op);

/* ofi_ready: may a new send be posted to a peer at once? */
static inline bool
ofi_ready(const struct ofi *ofi, const struct ofi_peer *peer)
{
	return STAILQ_EMPTY(&peer->backlog) && !peer->shut && !ofi->closing;
}

/*
 * ofi_failed: libfabric reported an error with node @rank, or has lost messages
 * from it. Reports the node as lost.
 */
void ofi_failed(struct ofi *ofi, uint32_t rank);

/*
 * ofi_reads_hold: is a read from node @rank, or from OFI_ALL, in progress that
 * forbids closing the connection? libfabric before 1.18 frees a read twice if
 * its connection is closed when a part of the payload has arrived.
 */
bool ofi_reads_hold(const struct ofi *ofi, uint32_t rank);

/* ofi_busy: must a close wait until something has left or has been read? */
bool ofi_busy(const struct ofi *ofi);

/*
 * ofi_cancel_rest: ends all operations that are left, after the endpoint was
 * closed.
 */
void ofi_cancel_rest(struct ofi *ofi);

/* ofi_receive_stride: the distance from one buffer to the next, in bytes. */
static inline size_t
ofi_receive_stride(const struct ofi *ofi)
{
	const size_t bytes = sizeof(struct ofi_receive) + ofi->receive_bytes;

	return (bytes + 63) & ~(size_t)63;
}

/* The rest of the table; ofi_open.c has the others. See transport/ops.h. */
void ofi_peer_del(struct stn_transport *transport, uint32_t rank);
unsigned ofi_progress(struct stn_transport *transport);
uint64_t ofi_arm(struct stn_transport *transport);
bool ofi_waits(const struct stn_transport *transport);

/*
 * ofi_post_receives: posts all buffers.
 * ofi_post_rest: posts the buffers in ofi->unposted, which libfabric could not
 * take back at once. Both return libfabric's last error.
 */
ssize_t ofi_post_receives(struct ofi *ofi);
ssize_t ofi_post_rest(struct ofi *ofi);

#endif
