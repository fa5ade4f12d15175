/*
 * ofi.h: the inside of the libfabric backend, shared by its files:
 *
 *	ofi_open.c	an endpoint's life, and its address
 *	ofi_provider.c	what is known of providers; choosing one
 *	ofi.c		operations: posting, completing, sleeping, dying
 *	ofi_send.c	messages on their way out
 *	ofi_receive.c	messages that arrive
 *	ofi_pull.c	large payloads: the receiver reads them
 *	ofi_memory.c	memory that is used again
 *	ofi_library.c	the library itself
 *
 * Calls used: fi_sendmsg, fi_recv, fi_readmsg on a reliable datagram endpoint,
 * one completion queue, an address table. See fi_endpoint(3), fi_cq(3),
 * fi_rma(3) of libfabric 1.17.
 */
#ifndef STN_TRANSPORT_OFI_OFI_H
#define STN_TRANSPORT_OFI_OFI_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "transport/ofi/ofi_library.h"
#include "transport/ofi/ofi_memory.h"
#include "transport/ofi/ofi_provider.h"
#include "transport/ops.h"
#include "transport/packet.h"

#define OFI_RECEIVES 64 /* buffers that wait for messages */
#define OFI_GATHER 8	/* the most that a message is gathered from */
#define OFI_OFFER_LISTS 64
#define OFI_ALL UINT32_MAX	   /* in place of a rank */
#define OFI_POLL_LEAST_NS 20000ull /* between polls where one can't sleep */

/*
 * What a message begins with. The cookie is its receiver's, part of whose
 * address it is: whoever connects to a port that another run's node has left
 * mustn't be taken for a peer.
 */
struct ofi_wire {
	uint64_t cookie;
	struct stn_packet packet;
};

#define OFI_WIRE_BYTES sizeof(struct ofi_wire)

struct ofi;
struct ofi_op;

/* What libfabric gives back with a completion; @err is its, 0 or positive. */
struct ofi_context {
	struct fi_context2 space; /* first */
	void (*completed)(struct ofi *ofi, struct ofi_context *context,
			  size_t bytes, int err);
};

/* Starts an operation; -FI_EAGAIN: later. */
typedef ssize_t ofi_post(struct ofi *ofi, struct ofi_op *op);

/* An operation has ended; its memory is its maker's no longer. */
typedef void ofi_ended(struct ofi *ofi, struct ofi_op *op, enum stn_err err);

/* A send or a read that libfabric was given, or will be. */
struct ofi_op {
	struct ofi_context context; /* first */
	ofi_post *post;
	ofi_ended *ended; /* NULL: it has, but libfabric still has its memory */
	struct ofi_spares *spares; /* where its memory goes then */
	struct ofi_op *next;	   /* in a backlog, or among the posted */
	struct ofi_op **previous;  /* among the posted */
	uint32_t to;
	bool reads;
};

struct ofi_peer {
	struct ofi_context inlined; /* of its messages without an operation */
	unsigned inlined_out;	    /* how many of them have not left */
	fi_addr_t address;
	uint64_t cookie;
	struct ofi_op *first, **last; /* what libfabric couldn't take yet */
	bool listed;		      /* among those that have a backlog */
	bool shut; /* nothing is posted to it: it was not met yet, or is lost */
	bool dead; /* nothing will ever be queued for it */
	bool severed; /* and all with it has ended */
};

/* A buffer that waits for a message, or holds one. */
struct ofi_receive {
	struct ofi_context context; /* first */
	struct ofi_receive *next;   /* that could not be posted again yet */
	unsigned char bytes[] __attribute__((aligned(16)));
};

struct ofi {
	struct stn_transport base;
	struct stn_opening opening;
	struct ofi_library library;
	struct ofi_provider provider;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *addresses;
	struct fid_cq *completions;
	struct fid_ep *endpoint;
	uint64_t cookie;     /* ours */
	size_t gather;	     /* how many pieces a message may have */
	size_t inject_bytes; /* that libfabric carries off at once */
	uint64_t inject_flags;
	size_t receive_bytes;	 /* the most that arrives in one piece */
	unsigned char *receives; /* all buffers */
	struct ofi_receive *unposted;
	struct ofi_offer *offers[OFI_OFFER_LISTS]; /* by token */
	size_t offers_out;
	uint64_t last_token, last_key;
	size_t inlined_out;	  /* to all peers */
	struct ofi_op *posted;	  /* what libfabric has, but for receives */
	struct ofi_op *abandoned; /* what has ended, though libfabric has it */
	size_t backlogged;	  /* how much it could not take */
	uint32_t *waiting;	  /* the ranks of peers that have a backlog */
	uint32_t waiting_count;
	bool closing;	      /* nothing is handled or started any more */
	uint64_t interval_ns; /* of polling, where one can't sleep */
	struct ofi_spares sends, offer_spares, pulls, reads;
	struct ofi_blocks blocks;
	struct ofi_peer peers[];
};

static inline struct ofi *
ofi_of(struct stn_transport *transport)
{
	return (struct ofi *)transport;
}

/* ofi_op_init: an operation with node @to, from and to @spares. */
void ofi_op_init(struct ofi_op *op, struct ofi_spares *spares, uint32_t to,
		 ofi_post *post, ofi_ended *ended);

/* ofi_submit: posts an operation, or puts it into its peer's backlog. */
void ofi_submit(struct ofi *ofi, struct ofi_op *op);

/* ofi_ready: may something be posted to a peer before it is queued? */
static inline bool
ofi_ready(const struct ofi *ofi, const struct ofi_peer *peer)
{
	return !peer->first && !peer->shut && !ofi->closing;
}

/* ofi_failed: libfabric has failed to carry something to or from a node. */
void ofi_failed(struct ofi *ofi, uint32_t rank);

/*
 * ofi_reads_hold: is a payload being read from a node, or from any, over a
 * connection that can't be closed because of that? libfabric before 1.18 frees
 * a read twice if its connection is closed when part of it has come.
 */
bool ofi_reads_hold(const struct ofi *ofi, uint32_t rank);

/* ofi_cancel_rest: ends what has not ended, after the endpoint was closed. */
void ofi_cancel_rest(struct ofi *ofi);

/* ofi_peers_init: before anything is sent. */
void ofi_peers_init(struct ofi *ofi);

/*
 * ofi_send_packet: sends a packet, a header and pieces of a payload, gathered
 * from where they lie, which must stay there until @done. Without @done there
 * are no pieces, and the header is copied if need be.
 */
void ofi_send_packet(struct ofi *ofi, uint32_t to,
		     const struct stn_packet *packet, struct iovec header,
		     const struct iovec *pieces, size_t count, stn_done *done,
		     void *arg);

/*
 * ofi_post_receives: gives all buffers to libfabric, or those that it did not
 * take back when their messages had been handled. Returns libfabric's error.
 */
ssize_t ofi_post_receives(struct ofi *ofi);
ssize_t ofi_post_rest(struct ofi *ofi);

/* ofi_receive_stride: from one buffer to the next. */
static inline size_t
ofi_receive_stride(const struct ofi *ofi)
{
	const size_t bytes = sizeof(struct ofi_receive) + ofi->receive_bytes;

	return (bytes + 63) & ~(size_t)63;
}

/*
 * ofi_offer_done: the receiver of the offer of this @token, node @to, is
 * through with it. False if none such is out.
 */
bool ofi_offer_done(struct ofi *ofi, uint32_t to, uint64_t token,
		    enum stn_err err);

/* ofi_offers_end: ends those to node @to; or to all. */
void ofi_offers_end(struct ofi *ofi, uint32_t to, enum stn_err err);

/* ofi_pulls_init: before anything is offered or pulled. */
void ofi_pulls_init(struct ofi *ofi);

/* An offered message, as pull and refuse get it back. */
struct ofi_arrival {
	struct stn_arrival arrival; /* first */
	struct stn_offer_block offer;
};

/* What the table holds, but for what is in ofi_open.c. */
void ofi_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	      const void *header, size_t header_bytes,
	      const struct iovec *pieces, size_t count, stn_done *done,
	      void *arg);
void ofi_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	       const void *header, size_t header_bytes,
	       const struct iovec *pieces, size_t count, stn_done *done,
	       void *arg);
void ofi_pull(struct stn_transport *transport,
	      const struct stn_arrival *arrival, const struct iovec *pieces,
	      size_t count, stn_done *done, void *arg);
void ofi_refuse(struct stn_transport *transport,
		const struct stn_arrival *arrival);
void ofi_peer_del(struct stn_transport *transport, uint32_t rank);
unsigned ofi_progress(struct stn_transport *transport);
uint64_t ofi_arm(struct stn_transport *transport);
bool ofi_waits(const struct stn_transport *transport);

#endif
