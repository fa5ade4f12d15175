#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <assert.h>
#include <string.h>
#include <time.h>

#include "transport/peers.h"
#include "transport/pieces.h"
#include "transport/routes.h"

/* One array, not constructors: those vanish from static links. */
static const struct stn_transport_ops *const backends[] = {
	&stn_transport_far,   &stn_transport_loop,
#ifdef HAVE_LIBFABRIC
	&stn_transport_ofi,
#endif
	&stn_transport_shm,   &stn_transport_sim,
#ifdef HAVE_UCX
	&stn_transport_ucx,
#endif
#ifdef HAVE_VERBS
	&stn_transport_verbs,
#endif
};

#define BACKENDS (sizeof(backends) / sizeof(backends[0]))

const struct stn_transport_ops *
stn_transport_find(const char *name)
{
	for (size_t i = 0; i < BACKENDS; i++)
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}

static bool
complete(const struct stn_transport_ops *ops)
{
	return ops->name && ops->help && ops->open && ops->close &&
	       ops->address && ops->connect && ops->send && ops->offer &&
	       ops->pull && ops->refuse && ops->peer_del && ops->progress &&
	       ops->arm && ops->waits && ops->now;
}

enum stn_err
stn_transport_open_watched(const struct stn_transport_ops *ops,
			   const struct stn_opening *opening,
			   struct stn_transport **transport_p,
			   struct stn_why *why)
{
	struct stn_peers *peers = stn_peers_create(opening);
	struct stn_opening inner;
	enum stn_err err;

	assert(complete(ops));
	if (!peers)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	inner = stn_peers_opening(peers);
	err = ops->open(&inner, transport_p, why);
	if (err) {
		stn_peers_destroy(peers);
		return err;
	}
	stn_identity_write((*transport_p)->identity);
	stn_peers_attach(peers, *transport_p);
	return STN_OK;
}

static enum stn_err
open_named(const char *name, const struct stn_opening *opening,
	   struct stn_transport **transport_p, struct stn_why *why)
{
	const struct stn_transport_ops *ops = stn_transport_find(name);

	if (strchr(name, '+'))
		return stn_routes_open(name, opening, transport_p, why);
	if (!ops)
		return stn_because(why, STN_MISSING,
				   "no transport \"%s\" was built; see "
				   "`sateen info` for those that were",
				   name);
	if (ops->alone)
		return ops->open(opening, transport_p, why);
	return stn_transport_open_watched(ops, opening, transport_p, why);
}

enum stn_err
stn_transport_open(const char *name, const struct stn_opening *opening,
		   struct stn_transport **transport_p, struct stn_why *why)
{
	struct stn_transport *transport;
	enum stn_err err = open_named(name, opening, &transport, why);

	if (err)
		return err;
	if (!transport->ops->alone && stn_topology_slow(opening->topology)) {
		struct stn_transport *inner = transport;

		err = stn_delay_wrap(inner, opening, &transport, why);
		if (err) {
			stn_transport_close(inner, 0);
			return err;
		}
	}
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
	stn_peers_destroy(peers);
}

size_t
stn_transport_address(struct stn_transport *transport,
		      unsigned char address[STN_ADDRESS_BYTES])
{
	unsigned char own[STN_ADDRESS_BYTES];
	size_t bytes = transport->ops->address(transport, own);

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
	enum stn_err err;

	if (!transport->peers)
		return transport->ops->connect(transport, rank, address, bytes,
					       why);
	if (bytes <= STN_IDENTITY_BYTES || bytes > STN_ADDRESS_BYTES)
		return stn_because(why, STN_MALFORMED,
				   "node %u's address is malformed", rank);
	err = stn_peers_admit(transport->peers, rank, why);
	if (!err)
		err = transport->ops->connect(transport, rank,
					      address + STN_IDENTITY_BYTES,
					      bytes - STN_IDENTITY_BYTES, why);
	if (!err)
		stn_peers_meet(transport->peers, rank, address);
	return err;
}

/* Of several beside each other, the one that leads to this node. */
static struct stn_transport *
routed(struct stn_transport *transport, uint32_t rank)
{
	struct stn_transport *next;

	while (transport->ops->route &&
	       (next = transport->ops->route(transport, rank)))
		transport = next;
	return transport;
}

/* Those of the backend, if others are around it; tests may have none. */
static struct stn_peers *
peers_of(struct stn_transport *transport, uint32_t rank)
{
	transport = routed(transport, rank);
	while (!transport->peers && transport->inner && !transport->ops->route)
		transport = routed(transport->inner, rank);
	return transport->peers;
}

/* What a wrapper is given is followed when it gives it to the backend. */
static void
offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
      const void *header, size_t header_bytes, const struct iovec *pieces,
      size_t count, stn_done *done, void *arg)
{
	if (transport->peers)
		stn_peers_follow(transport->peers, to, &done, &arg);
	transport->ops->offer(transport, to, kind, header, header_bytes, pieces,
			      count, done, arg);
}

void
stn_transport_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
		   const void *header, size_t header_bytes,
		   const struct iovec *pieces, size_t count, stn_done *done,
		   void *arg)
{
	size_t payload = stn_pieces_bytes(pieces, count);
	struct stn_peers *peers;

	assert(header_bytes <= STN_HEADER_BYTES && (done || !payload));
	transport = routed(transport, to);
	peers = peers_of(transport, to);
	if (peers && !stn_peers_sending(peers, to)) {
		if (done)
			done(arg, STN_LOST);
		return;
	}
	if (header_bytes + payload <= transport->limits.eager_bytes)
		transport->ops->send(transport, to, kind, header, header_bytes,
				     pieces, count, done, arg);
	else
		offer(transport, to, kind, header, header_bytes, pieces, count,
		      done, arg);
}

void
stn_transport_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct stn_peers *peers = peers_of(transport, rank);

	if (peers)
		stn_peers_bury(peers, rank);
	else
		transport->ops->peer_del(transport, rank);
}

static const struct stn_arrival *
arrival_of(const struct stn_message *message)
{
	return (const struct stn_arrival *)message;
}

/* Whom one can't send to, one may not be able to pull from, either. */
static void
pull(struct stn_transport *transport, const struct stn_arrival *arrival,
     const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	uint32_t from = arrival->message.from;
	struct stn_peers *peers = peers_of(transport, from);

	if (peers && !stn_peers_met(peers, from)) {
		transport->ops->refuse(transport, arrival);
		done(arg, STN_LOST);
		return;
	}
	if (peers)
		stn_peers_follow(peers, from, &done, &arg);
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
		pull(transport, arrival, pieces, count, done, arg);
		return;
	}
	transport->traffic.bytes_copied += message->payload_bytes;
	stn_pieces_copy(pieces,
			&(struct iovec){ (void *)arrival->payload,
					 message->payload_bytes },
			message->payload_bytes);
	done(arg, STN_OK);
}

void
stn_transport_refuse(struct stn_transport *transport,
		     const struct stn_message *message)
{
	const struct stn_arrival *arrival = arrival_of(message);

	if (!arrival->payload && message->payload_bytes)
		transport->ops->refuse(transport, arrival);
}

unsigned
stn_transport_progress(struct stn_transport *transport)
{
	return transport->peers ? stn_peers_progress(transport->peers)
				: transport->ops->progress(transport);
}

bool
stn_transport_settle(struct stn_transport *transport)
{
	bool settled =
		!transport->ops->settles || stn_peers_settle(transport->peers);

	for (transport = transport->inner; transport;
	     transport = transport->beside)
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
}

bool
stn_transport_waits(const struct stn_transport *transport)
{
	return transport->ops->waits(transport);
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
	     transport = transport->beside)
		sum.bytes_copied +=
			stn_transport_traffic(transport).bytes_copied;
	return sum;
}

int
stn_transport_fd(const struct stn_transport *transport)
{
	return transport->limits.fd;
}

uint64_t
stn_transport_now(const struct stn_transport *transport)
{
	return transport->ops->now(transport);
}

void
stn_transport_sweep(const char *name, const unsigned char *address,
		    size_t bytes)
{
	const struct stn_transport_ops *ops = stn_transport_find(name);

	if (strchr(name, '+'))
		stn_routes_sweep(address, bytes);
	else if (ops && ops->sweep && bytes > STN_IDENTITY_BYTES)
		ops->sweep(address + STN_IDENTITY_BYTES,
			   bytes - STN_IDENTITY_BYTES);
}

bool
stn_transport_known(const char *name)
{
	return strchr(name, '+') ? stn_routes_known(name)
				 : stn_transport_find(name) != NULL;
}

void
stn_transport_list(FILE *out)
{
	for (size_t i = 0; i < BACKENDS; i++) {
		fprintf(out, "  %-8s %s\n", backends[i]->name,
			backends[i]->help);
		if (backends[i]->list)
			backends[i]->list(out);
		else
			stn_transport_describe(backends[i], "auto", NULL, out);
	}
}

uint64_t
stn_machine_now(const struct stn_transport *transport)
{
	struct timespec now;

	(void)transport;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * STN_SECOND_NS + (uint64_t)now.tv_nsec;
}
