/*
 * sim_net.c: the simulated network, as a transport. A message costs its sender
 * and its receiver an overhead, and takes the time of its link: inside a
 * cluster each node has one of its own, between two clusters all nodes share
 * one. Payloads cross with their messages, as a stream would carry them.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emul/link.h"
#include "emul/sim.h"
#include "transport/pieces.h"

static struct sim_endpoint *
endpoint_of(const struct stn_transport *transport)
{
	return (struct sim_endpoint *)transport;
}

static struct stn_parcel *
pack(uint32_t from, uint8_t kind, const void *header, size_t header_bytes,
     const struct iovec *pieces, size_t count)
{
	size_t payload = stn_pieces_bytes(pieces, count);
	struct stn_parcel *parcel =
		malloc(sizeof(*parcel) + header_bytes + payload);
	unsigned char *to;

	if (!parcel)
		sim_no_memory();
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

/* Its own way into its cluster's network. */
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

/* stn_links_fill has left no "none" on a link that is slow at times. */
static bool
never_slow(const struct stn_profile *profile)
{
	return stn_link_none(profile->links);
}

/* When @bytes that leave then will be there. */
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
	struct sim_node *node = &sim->nodes[endpoint->rank];
	struct stn_parcel *parcel =
		pack(endpoint->rank, kind, header, header_bytes, pieces, count);
	uint64_t leaves = sim_busy(sim, node, sim->now);

	parcel->done = done;
	parcel->arg = arg;
	node->parcels += done != NULL;
	sim->messages++;
	sim_add(sim,
		arrival(sim, endpoint->rank, to,
			header_bytes + parcel->payload_bytes, leaves),
		to, SIM_ARRIVE, parcel);
}

void
sim_arrive(struct stn_sim *sim, uint32_t rank, struct stn_parcel *parcel)
{
	uint64_t handled = sim_busy(sim, &sim->nodes[rank], sim->now);

	if (handled == sim->now)
		sim_deliver(sim, rank, parcel);
	else
		sim_add(sim, handled, rank, SIM_DELIVER, parcel);
}

/* Other networks send it from where it lies: it must be there all the time. */
static bool
stood_still(const struct stn_parcel *parcel)
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
	struct stn_arrival arrived = {
		.message = { .from = parcel->from,
			     .kind = parcel->kind,
			     .header = parcel->bytes,
			     .header_bytes = parcel->header_bytes,
			     .payload_bytes = parcel->payload_bytes },
		.payload = parcel->bytes + parcel->header_bytes,
	};

	assert(stood_still(parcel));
	end_sending(sim, parcel, STN_OK);
	if (endpoint) {
		endpoint->handler(endpoint->arg, &arrived.message);
		sim_look(sim, &sim->nodes[rank]);
	}
	free(parcel);
}

static enum stn_err
net_open(const struct stn_opening *opening, struct stn_transport **transport_p,
	 struct stn_why *why)
{
	struct sim_endpoint *endpoint;

	if (!opening->sim)
		return stn_because(why, STN_MISSING,
				   "only a simulation has transport sim; use "
				   "`sateen sim`");
	endpoint = calloc(1, sizeof(*endpoint));
	if (!endpoint)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	endpoint->base.ops = &stn_transport_sim;
	endpoint->base.limits = (struct stn_limits){
		.inline_bytes = SIZE_MAX,
		.eager_bytes = SIZE_MAX,
		.pieces = SIZE_MAX,
		.fd = -1,
		.quiet = true,
		.arrives = true,
	};
	endpoint->sim = opening->sim;
	endpoint->rank = opening->rank;
	endpoint->handler = opening->handler;
	endpoint->arg = opening->arg;
	opening->sim->nodes[opening->rank].endpoint = endpoint;
	*transport_p = &endpoint->base;
	return STN_OK;
}

/* What of this node's has not arrived will, but nobody is told. */
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
	struct sim_node *node = &sim->nodes[endpoint->rank];

	(void)patience_ns;
	node->endpoint = NULL;
	node->look = NULL;
	if (node->parcels)
		cancel(sim, endpoint->rank);
	free(endpoint);
}

static size_t
net_address(struct stn_transport *transport,
	    unsigned char address[STN_ADDRESS_BYTES])
{
	memcpy(address, &endpoint_of(transport)->rank, sizeof(uint32_t));
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

/* Nothing is offered, so there is nothing to pull or refuse; nobody dies. */
static void
net_pull(struct stn_transport *transport, const struct stn_arrival *arrived,
	 const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	(void)transport;
	(void)arrived;
	(void)pieces;
	(void)count;
	done(arg, STN_LOST);
}

static void
net_refuse(struct stn_transport *transport, const struct stn_arrival *arrived)
{
	(void)transport;
	(void)arrived;
}

static void
net_peer_del(struct stn_transport *transport, uint32_t rank)
{
	(void)transport;
	(void)rank;
}

/* The simulator delivers by itself. */
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

static bool
net_waits(const struct stn_transport *transport)
{
	(void)transport;
	return false;
}

static uint64_t
net_now(const struct stn_transport *transport)
{
	return endpoint_of(transport)->sim->now;
}

static void
net_list(FILE *out)
{
	(void)out; /* it can do all on every machine */
}

const struct stn_transport_ops stn_transport_sim = {
	.name = "sim",
	.help = "nodes of one process in virtual time, by `sateen sim`",
	.alone = true,
	.open = net_open,
	.close = net_close,
	.address = net_address,
	.connect = net_connect,
	.send = net_send,
	.offer = net_send,
	.pull = net_pull,
	.refuse = net_refuse,
	.peer_del = net_peer_del,
	.progress = net_progress,
	.arm = net_arm,
	.waits = net_waits,
	.now = net_now,
	.list = net_list,
};
