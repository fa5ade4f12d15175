#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "transport/peers.h"
#include "transport/pieces.h"

static bool
transport_complete(const struct stn_transport_ops *ops)
{
	return ops->name && ops->help && ops->bytes && ops->open &&
	       ops->close && ops->address && ops->connect && ops->send &&
	       ops->offer && ops->pull && ops->refuse && ops->peer_del &&
	       ops->progress && ops->arm && ops->now;
}

struct stn_transport *
stn_transport_create(const struct stn_transport_ops *ops,
		     const struct stn_opening *opening)
{
	const struct stn_topology *topology = opening->topology;
	struct stn_transport *transport =
		calloc(1, ops->bytes + topology->nodes * ops->node_bytes +
				  topology->clusters * ops->cluster_bytes);

	if (!transport)
		return NULL;
	transport->ops = ops;
	transport->opening = *opening;
	transport->nodes = topology->nodes;
	transport->ends = -1;
	return transport;
}

enum stn_err
stn_transport_open_backend(const struct stn_transport_ops *ops,
			   const struct stn_opening *opening,
			   struct stn_transport **transport_p,
			   struct stn_why *why)
{
	struct stn_peers *peers = stn_peers_create(opening);
	struct stn_transport *transport = NULL;
	struct stn_opening inner;
	enum stn_err err;

	assert(transport_complete(ops));
	if (peers) {
		inner = stn_peers_opening(peers);
		transport = stn_transport_create(ops, &inner);
	}
	err = transport ? ops->open(transport, why)
			: stn_because(why, STN_NO_MEMORY, "out of memory");
	if (err) {
		free(transport);
		stn_peers_destroy(peers);
		return err;
	}
	stn_identity_write(transport->identity);
	stn_peers_attach(peers, transport);
	*transport_p = transport;
	return STN_OK;
}

void
stn_transport_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct stn_peers *peers;

	if (!transport)
		return;
	peers = transport->peers;
	transport->ops->close(transport, patience_ns);
	free(transport);
	stn_peers_destroy(peers);
}

size_t
stn_transport_address(struct stn_transport *transport,
		      unsigned char address[STN_ADDRESS_BYTES])
{
	unsigned char own[STN_ADDRESS_BYTES];
	size_t bytes;

	if (!transport->ops->address)
		return stn_transport_address(transport->inner, address);
	bytes = transport->ops->address(transport, own);
	if (!transport->peers) {
		memcpy(address, own, bytes);
		return bytes;
	}
	assert(bytes <= STN_ADDRESS_BYTES - STN_IDENTITY_BYTES);
	memcpy(address, transport->identity, STN_IDENTITY_BYTES);
	memcpy(address + STN_IDENTITY_BYTES, own, bytes);
	return STN_IDENTITY_BYTES + bytes;
}

enum stn_err
stn_transport_connect(struct stn_transport *transport, uint32_t rank,
		      const unsigned char *address, size_t bytes,
		      struct stn_why *why)
{
	const struct stn_transport_ops *ops = transport->ops;
	size_t own = bytes - STN_IDENTITY_BYTES;
	enum stn_err err;

	if (!ops->connect)
		return stn_transport_connect(transport->inner, rank, address,
					     bytes, why);
	if (!transport->peers)
		return ops->connect(transport, rank, address, bytes, why);
	if (bytes <= STN_IDENTITY_BYTES || bytes > STN_ADDRESS_BYTES ||
	    (ops->address_bytes && own != ops->address_bytes))
		return stn_because(why, STN_MALFORMED,
				   "node %u's address is malformed", rank);
	err = stn_peers_check(transport->peers, rank, why);
	if (!err)
		err = ops->connect(transport, rank,
				   address + STN_IDENTITY_BYTES, own, why);
	if (!err)
		stn_peers_connect(transport->peers, rank, address);
	return err;
}

/* The transport that is used for this node, where @transport wraps several. */
static struct stn_transport *
transport_route_to(struct stn_transport *transport, uint32_t rank)
{
	struct stn_transport *next;

	while (transport->ops->route &&
	       (next = transport->ops->route(transport, rank)))
		transport = next;
	return transport;
}

/*
 * The peers of the backend that is used for this node. NULL in tests that have
 * none.
 */
static struct stn_peers *
peers_of(struct stn_transport *transport, uint32_t rank)
{
	if (transport->peers)
		return transport->peers;
	transport = transport_route_to(transport, rank);
	while (!transport->peers && transport->inner && !transport->ops->route)
		transport = transport_route_to(transport->inner, rank);
	return transport->peers;
}

bool
stn_transport_same_host(struct stn_transport *transport, uint32_t rank)
{
	const struct stn_peers *peers = peers_of(transport, rank);

	return peers && stn_peers_same_host(peers, rank);
}

/*
 * A wrapper has no peers. The offer that it passes on is tracked when it
 * reaches the backend.
 */
static void
transport_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
		const void *header, size_t header_bytes,
		const struct iovec *pieces, size_t count, stn_done *done,
		void *arg)
{
	if (transport->peers)
		stn_peers_track(transport->peers, to, &done, &arg);
	transport->ops->offer(transport, to, kind, header, header_bytes, pieces,
			      count, done, arg);
}

void
stn_transport_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
		   const void *header, size_t header_bytes,
		   const struct iovec *pieces, size_t count, stn_done *done,
		   void *arg)
{
	size_t payload = count ? stn_pieces_bytes(pieces, count) : 0;
	struct stn_peers *peers;

	assert(header_bytes <= STN_HEADER_BYTES && (done || !payload));
	if (transport->ops->route)
		transport = transport_route_to(transport, to);
	peers = transport->peers ? transport->peers : peers_of(transport, to);
	if (peers && !stn_peers_sending(peers, to)) {
		if (done)
			done(arg, STN_LOST);
		return;
	}
	if (header_bytes + payload <= transport->limits.eager_bytes)
		transport->ops->send(transport, to, kind, header, header_bytes,
				     pieces, count, done, arg);
	else
		transport_offer(transport, to, kind, header, header_bytes,
				pieces, count, done, arg);
}

void
stn_transport_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct stn_peers *peers = peers_of(transport, rank);

	if (peers)
		stn_peers_del(peers, rank);
	else
		transport->ops->peer_del(transport, rank);
}

static const struct stn_arrival *
arrival_of(const struct stn_message *message)
{
	return (const struct stn_arrival *)message;
}

/* Some backends can pull only from a peer that they can also send to. */
static void
transport_pull(struct stn_transport *transport,
	       const struct stn_arrival *arrival, const struct iovec *pieces,
	       size_t count, stn_done *done, void *arg)
{
	uint32_t from = arrival->message.from;
	struct stn_peers *peers = peers_of(transport, from);

	while (!transport->ops->pull)
		transport = transport->inner;
	if (peers && !stn_peers_connected(peers, from)) {
		transport->ops->refuse(transport, arrival);
		done(arg, STN_LOST);
		return;
	}
	if (peers)
		stn_peers_track(peers, from, &done, &arg);
	transport->ops->pull(transport, arrival, pieces, count, done, arg);
}

void
stn_transport_take(struct stn_transport *transport,
		   const struct stn_message *message,
		   const struct iovec *pieces, size_t count, stn_done *done,
		   void *arg)
{
	const struct stn_arrival *arrival = arrival_of(message);

	assert(stn_pieces_bytes(pieces, count) == message->payload_bytes);
	if (!arrival->payload && message->payload_bytes) {
		transport_pull(transport, arrival, pieces, count, done, arg);
		return;
	}
	transport->traffic.bytes_copied += message->payload_bytes;
	stn_pieces_copy(pieces,
			&(struct iovec){ (void *)arrival->payload,
					 message->payload_bytes },
			message->payload_bytes);
	done(arg, STN_OK);
}

bool
stn_transport_is_here(const struct stn_message *message)
{
	return arrival_of(message)->payload || !message->payload_bytes;
}

void
stn_transport_refuse(struct stn_transport *transport,
		     const struct stn_message *message)
{
	stn_arrival_refuse(transport, message);
}

unsigned
stn_transport_progress(struct stn_transport *transport)
{
	return transport->peers ? stn_peers_progress(transport->peers)
				: transport->ops->progress(transport);
}

bool
stn_transport_has_news(const struct stn_transport *transport, bool unknown)
{
	return transport->ops->has_news ? transport->ops->has_news(transport)
					: unknown;
}

bool
stn_transport_settle(struct stn_transport *transport)
{
	bool settled =
		!transport->ops->settles || stn_peers_settle(transport->peers);

	if (transport->ops->holds && transport->ops->holds(transport))
		settled = false;
	for (transport = transport->inner; transport;
	     transport = transport->sibling)
		settled = stn_transport_settle(transport) && settled;
	return settled;
}

uint64_t
stn_transport_arm(struct stn_transport *transport)
{
	uint64_t sleep_ns = transport->ops->arm(transport);

	return transport->peers ? stn_peers_arm(transport->peers, sleep_ns)
				: sleep_ns;
}

void
stn_transport_disarm(struct stn_transport *transport)
{
	if (transport->ops->disarm)
		transport->ops->disarm(transport);
	else if (transport->inner)
		stn_transport_disarm(transport->inner);
}

bool
stn_transport_waits(const struct stn_transport *transport)
{
	if (transport->peers && stn_peers_waits(transport->peers))
		return true;
	if (transport->ops->waits)
		return transport->ops->waits(transport);
	return transport->inner && stn_transport_waits(transport->inner);
}

const struct stn_limits *
stn_transport_limits(const struct stn_transport *transport)
{
	return &transport->limits;
}

struct stn_traffic
stn_transport_traffic(const struct stn_transport *transport)
{
	struct stn_traffic sum = transport->traffic;

	for (transport = transport->inner; transport;
	     transport = transport->sibling)
		sum.bytes_copied +=
			stn_transport_traffic(transport).bytes_copied;
	return sum;
}

int
stn_transport_fd(const struct stn_transport *transport)
{
	return transport->limits.fd;
}

int
stn_transport_ends(const struct stn_transport *transport)
{
	while (transport->ends < 0 && transport->inner)
		transport = transport->inner;
	return transport->ends;
}

void
stn_transport_look(struct stn_transport *transport)
{
	if (transport->peers)
		stn_peers_look(transport->peers);
	for (transport = transport->inner; transport;
	     transport = transport->sibling)
		stn_transport_look(transport);
}

void
stn_transport_joined(struct stn_transport *transport)
{
	if (transport->peers)
		stn_peers_joined(transport->peers);
	for (transport = transport->inner; transport;
	     transport = transport->sibling)
		stn_transport_joined(transport);
}

uint64_t
stn_transport_now(const struct stn_transport *transport)
{
	while (!transport->ops->now)
		transport = transport->inner;
	return transport->ops->now(transport);
}
