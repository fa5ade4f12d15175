/*
 * sim_net.c: the transport "sim", a simulated network. Each message costs its
 * sender and its receiver an overhead, and takes the time of its link. Inside a
 * cluster each node has a link of its own; between two clusters all nodes share
 * one link in each direction. A payload crosses the link with its message, as
 * if a stream carried both.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emul/link.h"
#include "emul/sim_transport.h"
#include "emul/sim_private.h"
#include "transport/pieces.h"

static struct sim_endpoint *
endpoint_of(const struct stn_transport *transport)
{
	return (struct sim_endpoint *)transport;
}

static struct stn_parcel *
pack(const struct stn_sim *sim, uint32_t from, uint8_t kind, const void *header,
     size_t header_bytes, const struct iovec *pieces, size_t count)
{
	size_t payload = stn_pieces_bytes(pieces, count);
	struct stn_parcel *parcel =
		malloc(sizeof(*parcel) + header_bytes + payload);
	unsigned char *to;

	if (!parcel)
		sim_no_memory(sim);
	*parcel = (struct stn_parcel){ .from = from,
				       .kind = kind,
				       .header = header,
				       .header_bytes = header_bytes,
				       .payload_bytes = payload };
	to = parcel->bytes;
	if (header_bytes)
		to = mempcpy(to, header, header_bytes);
	for (size_t i = 0; i < count; i++)
		to = mempcpy(to, pieces[i].iov_base, pieces[i].iov_len);
	return parcel;
}

/* The arrival of a message that node @from sends by its link into the LAN. */
static uint64_t
arrival_inside(struct stn_sim *sim, uint32_t from, size_t bytes,
	       uint64_t leaves)
{
	const struct stn_topology *topology = sim->model.topology;
	uint32_t clusters = topology->clusters;
	const struct stn_profile profile = {
		.links = &sim->model.lan,
		.count = 1,
		.seed = topology->seed,
		.number = stn_topology_link(topology, clusters, from),
	};

	return stn_link_send(&profile, &sim->nodes[from].queue, bytes, leaves);
}

/*
 * The first section is enough to see: after stn_links_fill a link that is slow
 * at any time is not "none" in any section.
 */
static bool
never_slow(const struct stn_profile *profile)
{
	return stn_link_none(profile->links);
}

/* When a message of @bytes that leaves its sender at @leaves arrives. */
static uint64_t
arrival(struct stn_sim *sim, uint32_t from, uint32_t to, size_t bytes,
	uint64_t leaves)
{
	const struct stn_topology *topology = sim->model.topology;
	uint32_t here = stn_cluster_of(topology, from);
	uint32_t there = stn_cluster_of(topology, to);
	size_t link = stn_topology_link(topology, here, there);
	struct stn_profile profile;

	if (here == there)
		return arrival_inside(sim, from, bytes, leaves);
	profile = stn_topology_profile(topology, link);
	if (never_slow(&profile))
		return arrival_inside(sim, from, bytes, leaves);
	return stn_link_send(&profile, &topology->queues[link], bytes, leaves);
}

static void
net_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	 const void *header, size_t header_bytes, const struct iovec *pieces,
	 size_t count, stn_done *done, void *arg)
{
	struct sim_endpoint *endpoint = endpoint_of(transport);
	struct stn_sim *sim = endpoint->sim;
	struct sim_node *node = &sim->nodes[transport->opening.rank];
	struct stn_parcel *parcel = pack(sim, transport->opening.rank, kind,
					 header, header_bytes, pieces, count);
	uint64_t leaves = sim_add_overhead(sim, node, sim->now);

	parcel->done = done;
	parcel->arg = arg;
	node->parcels += done != NULL;
	sim->messages++;
	sim_add(sim,
		arrival(sim, transport->opening.rank, to,
			header_bytes + parcel->payload_bytes, leaves),
		to, SIM_ARRIVE, parcel);
}

void
sim_arrive(struct stn_sim *sim, uint32_t rank, struct stn_parcel *parcel)
{
	uint64_t handled = sim_add_overhead(sim, &sim->nodes[rank], sim->now);

	if (handled == sim->now)
		sim_deliver(sim, rank, parcel);
	else
		sim_add(sim, handled, rank, SIM_DELIVER, parcel);
}

/*
 * Other transports send the header from the sender's memory, possibly as late
 * as now. So the sender must not have changed it.
 */
static bool
header_unchanged(const struct stn_parcel *parcel)
{
	return !parcel->done || !parcel->header_bytes ||
	       !memcmp(parcel->header, parcel->bytes, parcel->header_bytes);
}

static void
end_sending(struct stn_sim *sim, struct stn_parcel *parcel, enum stn_err err)
{
	struct sim_node *from = &sim->nodes[parcel->from];
	stn_done *done = parcel->done;

	if (!done)
		return;
	parcel->done = NULL;
	from->parcels--;
	done(parcel->arg, err);
	sim_look(sim, from);
}

void
sim_deliver(struct stn_sim *sim, uint32_t rank, struct stn_parcel *parcel)
{
	struct sim_endpoint *endpoint = sim->nodes[rank].endpoint;
	const struct stn_opening *opening;
	struct stn_arrival arrived = {
		.message = { .from = parcel->from,
			     .kind = parcel->kind,
			     .header = parcel->bytes,
			     .header_bytes = parcel->header_bytes,
			     .payload_bytes = parcel->payload_bytes },
		.payload = parcel->bytes + parcel->header_bytes,
	};

	assert(header_unchanged(parcel));
	end_sending(sim, parcel, STN_OK);
	if (endpoint) {
		opening = &endpoint->base.opening;
		opening->handler(opening->arg, &arrived.message);
		sim_look(sim, &sim->nodes[rank]);
	}
	free(parcel);
}

enum stn_err
stn_sim_open(struct stn_sim *sim, const struct stn_opening *opening,
	     struct stn_transport **transport_p, struct stn_why *why)
{
	struct sim_endpoint *endpoint =
		endpoint_of(stn_transport_create(&stn_transport_sim, opening));

	if (!endpoint)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	endpoint->base.limits = (struct stn_limits){
		.inline_bytes = SIZE_MAX,
		.eager_bytes = SIZE_MAX,
		.pieces = SIZE_MAX,
		.fd = -1,
		.quiet = true,
		.arrives = true,
	};
	endpoint->sim = sim;
	sim->nodes[opening->rank].endpoint = endpoint;
	*transport_p = &endpoint->base;
	return STN_OK;
}

/*
 * Ends this node's unfinished sends with STN_CANCELLED. Their messages arrive
 * nevertheless.
 */
static void
cancel(struct stn_sim *sim, uint32_t rank)
{
	for (size_t i = 0; i < sim->events.count; i++) {
		struct stn_parcel *parcel = sim->events.heap[i].parcel;

		if (parcel && parcel->from == rank)
			end_sending(sim, parcel, STN_CANCELLED);
	}
}

static void
net_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct sim_endpoint *endpoint = endpoint_of(transport);
	struct stn_sim *sim = endpoint->sim;
	struct sim_node *node = &sim->nodes[transport->opening.rank];

	(void)patience_ns;
	node->endpoint = NULL;
	node->look = NULL;
	if (node->parcels)
		cancel(sim, transport->opening.rank);
}

static size_t
net_address(struct stn_transport *transport,
	    unsigned char address[STN_ADDRESS_BYTES])
{
	memcpy(address, &transport->opening.rank, sizeof(uint32_t));
	return sizeof(uint32_t);
}

static enum stn_err
net_connect(struct stn_transport *transport, uint32_t rank,
	    const unsigned char *address, size_t bytes, struct stn_why *why)
{
	(void)transport;
	(void)rank;
	(void)address;
	(void)bytes;
	(void)why;
	return STN_OK;
}

/* Simulated nodes don't die. */
static void
net_peer_del(struct stn_transport *transport, uint32_t rank)
{
	(void)transport;
	(void)rank;
}

/* The simulator calls the handlers itself. */
static unsigned
net_progress(struct stn_transport *transport)
{
	(void)transport;
	return 0;
}

static uint64_t
net_arm(struct stn_transport *transport)
{
	(void)transport;
	return STN_FOREVER;
}

static uint64_t
net_now(const struct stn_transport *transport)
{
	return endpoint_of(transport)->sim->now;
}

static void
net_list(FILE *out)
{
	(void)out; /* no abilities of the machine to list */
}

const struct stn_transport_ops stn_transport_sim = {
	.name = STN_SIM_TRANSPORT,
	.help = "nodes of one process in virtual time, by `sateen sim`",
	.bytes = sizeof(struct sim_endpoint),
	.close = net_close,
	.address = net_address,
	.connect = net_connect,
	.send = net_send,
	.offer = net_send, /* with the payload: nothing is pulled or refused */
	.peer_del = net_peer_del,
	.progress = net_progress,
	.arm = net_arm,
	.now = net_now,
	.list = net_list,
};
