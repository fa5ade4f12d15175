/*
 * ofi.h: the inside of the libfabric backend, shared by its files:
 *
 *	ofi_open.c	the endpoint's life: choosing a provider, addresses
 *	ofi.c		operations: sends, receives, completions, sleeping
 *	ofi_pull.c	large payloads: the receiver reads them
 *	packet.c	what goes over the wire
 *	ofi_library.c	the library itself
 *
 * Calls used: fi_inject, fi_sendmsg, fi_recv, fi_read on a reliable datagram
 * endpoint, one completion queue, an address table. See fi_endpoint(3),
 * fi_cq(3), fi_rma(3) of libfabric 1.17.
 */
#ifndef STN_TRANSPORT_OFI_H
#define STN_TRANSPORT_OFI_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "transport/packet.h"
#include "transport/ofi_library.h"
#include "transport/ops.h"

#define OFI_EAGER_BYTES 8192 /* header and payload */
#define OFI_RECEIVES 64	     /* buffers that wait for messages */
#define OFI_PIECES 16 /* of a payload that are gathered without copying */
#define OFI_POLL_LEAST_NS 20000ull /* between polls where one can't sleep */

/* The most that can arrive in one piece. */
#define OFI_WIRE_BYTES (STN_PACKET_BYTES + OFI_EAGER_BYTES)

_Static_assert(STN_HEADER_BYTES + sizeof(struct stn_offer_block) <=
		       OFI_EAGER_BYTES,
	       "an offer arrives in one piece");

struct ofi;
struct ofi_op;

/* Starts an operation; -FI_EAGAIN: later. */
typedef ssize_t ofi_post(struct ofi *ofi, struct ofi_op *op);

/* An operation has completed; @err is libfabric's, 0 or positive. */
typedef void ofi_completed(struct ofi *ofi, struct ofi_op *op, size_t bytes,
			   int err);

/* Anything that libfabric was given, or will be. */
struct ofi_op {
	struct fi_context2 context; /* first: completions give its address */
	ofi_post *post;
	ofi_completed *completed;
	struct ofi_op *next;	  /* in a backlog, or among the posted */
	struct ofi_op **previous; /* among the posted */
	uint32_t to;
};

/* A buffer that waits for a message, or holds one. */
struct ofi_receive {
	struct ofi_op op;
	unsigned char bytes[OFI_WIRE_BYTES] __attribute__((aligned(16)));
};

/* Operations towards one peer that libfabric could not take yet, in order. */
struct ofi_peer {
	fi_addr_t address;
	struct ofi_op *first, **last;
};

/* A payload that was offered and has neither been read nor refused. */
struct ofi_offer {
	struct ofi_offer *next, **previous;
	uint32_t to;
	uint64_t token;
	stn_done *done;
	void *arg;
	void *copy; /* of a payload in more pieces than STN_REGIONS */
	size_t count;
	struct fid_mr *regions[STN_REGIONS];
};

struct ofi {
	struct stn_transport base;
	struct stn_opening opening;
	struct ofi_library library;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *addresses;
	struct fid_cq *completions;
	struct fid_ep *endpoint;
	struct ofi_receive *receives;
	struct ofi_offer *offers;
	uint64_t last_token, last_key;
	struct ofi_op *posted; /* what libfabric has, but for receives */
	size_t backlogged;     /* how much it could not take */
	bool closing;	       /* nothing is handled or started any more */
	uint64_t interval_ns;  /* of polling, where one can't sleep */
	struct ofi_peer peers[];
};

static inline struct ofi *
ofi_of(struct stn_transport *transport)
{
	return (struct ofi *)transport;
}

/* ofi_submit: posts an operation, or puts it into its peer's backlog. */
void ofi_submit(struct ofi *ofi, struct ofi_op *op);

/* ofi_packet: the packet of a message of this node. */
struct stn_packet ofi_packet(const struct ofi *ofi, enum stn_packet_type type,
			     uint8_t kind, size_t header_bytes,
			     const struct iovec *pieces, size_t count);

/*
 * ofi_send_packet: sends a packet with a payload, which is gathered from where
 * it lies; for the contract see stn_transport_ops.send.
 * @block, @block_bytes  follow the header, and are copied; may be none
 */
void ofi_send_packet(struct ofi *ofi, uint32_t to,
		     const struct stn_packet *packet, const void *header,
		     const void *block, size_t block_bytes,
		     const struct iovec *pieces, size_t count, stn_done *done,
		     void *arg);

/* ofi_post_receive: gives a buffer (back) to libfabric. */
ofi_post ofi_post_receive;
ofi_completed ofi_received;

/* ofi_pull.c: what stn_transport_ops says of offer, pull and refuse. */
void ofi_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	       const void *header, size_t header_bytes,
	       const struct iovec *pieces, size_t count, stn_done *done,
	       void *arg);
void ofi_pull(struct stn_transport *transport,
	      const struct stn_arrival *arrival, const struct iovec *pieces,
	      size_t count, stn_done *done, void *arg);
void ofi_refuse(struct stn_transport *transport,
		const struct stn_arrival *arrival);

/*
 * ofi_offer_done: the offer of this @token has ended. False if none such is
 * out to node @to.
 */
bool ofi_offer_done(struct ofi *ofi, uint32_t to, uint64_t token,
		    enum stn_err err);

/* ofi_translate: libfabric's error, positive, as ours. */
enum stn_err ofi_translate(int err);

/* ofi_offers_cancel: ends all offers that are out. */
void ofi_offers_cancel(struct ofi *ofi);

/* ofi_offers_lost: ends those to a node that is dead. */
void ofi_offers_lost(struct ofi *ofi, uint32_t to);

/* An offered message, as pull and refuse get it back. */
struct ofi_arrival {
	struct stn_arrival arrival; /* first */
	struct stn_offer_block offer;
};

/* ofi.c: the rest of the table. */
void ofi_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	      const void *header, size_t header_bytes,
	      const struct iovec *pieces, size_t count, stn_done *done,
	      void *arg);
void ofi_peer_del(struct stn_transport *transport, uint32_t rank);
unsigned ofi_progress(struct stn_transport *transport);
uint64_t ofi_arm(struct stn_transport *transport);

bool ofi_waits(const struct stn_transport *transport);

/* ofi_cancel_rest: ends what has not ended, after the endpoint was closed. */
void ofi_cancel_rest(struct ofi *ofi);

#endif
