/*
 * sim_net.c: the transport "sim", a simulated network. Each message costs its
 * sender and its receiver an overhead, and takes the time of its link. Inside a
 * cluster each node has a link of its own; between two clusters all nodes share
 * one link in each direction. A payload crosses the link with its message, as
 * if a stream carried both.
 *
 * A payload whose first piece is NULL is hollow: it crosses the link like any
 * other of its size, but has no data, and takes no memory here. Its receiver
 * pulls it, into pieces that this file does not look at.
 *
 * The sender of a message to another cluster learns that it has arrived by an
 * event of its own, with a copy of the header: another thread may have the
 * parcel. The receiver counts as not busy with other messages then.
 *
 * A parcel is dropped if its receiver was killed, or has deleted its sender as
 * a peer. The sender doesn't learn that: the parcel waits in the sender's list
 * until the sender deletes the receiver or closes. So does a parcel of a killed
 * node, whose done functions must not be called while the others run.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emul/link.h"
#include "emul/sim_end.h"
#include "emul/sim_transport.h"
#include "emul/sim_private.h"
#include "transport/pieces.h"

static struct sim_endpoint *
endpoint_of(const struct stn_transport *transport)
{
	return (struct sim_endpoint *)transport;
}

static struct stn_parcel *
pack(struct stn_sim *sim, uint8_t kind, const void *header,
     size_t header_bytes, const struct iovec *pieces, size_t count)
{
	size_t payload = stn_pieces_bytes(pieces, count);
	bool hollow = payload && !pieces[0].iov_base;
	struct stn_parcel *parcel =
		sim_pool_take(&sim->pool, sizeof(*parcel) + header_bytes +
						  (hollow ? 0 : payload));
	unsigned char *to;

	if (!parcel)
		sim_no_memory(sim);
	*parcel = (struct stn_parcel){ .kind = kind,
				       .header = header,
				       .header_bytes = (uint32_t)header_bytes,
				       .payload_bytes = payload,
				       .hollow = hollow };
	to = parcel->bytes;
	if (header_bytes)
		to = mempcpy(to, header, header_bytes);
	for (size_t i = 0; i < count && !hollow; i++)
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

/* The arrival of a message that node @from sends to cluster @there. */
static uint64_t
arrival_outside(struct stn_sim *sim, uint32_t from, uint32_t there,
		size_t bytes, uint64_t leaves)
{
	const struct stn_topology *topology = sim->model.topology;
	size_t link =
		stn_topology_link(topology, sim->nodes[from].cluster, there);
	struct stn_profile profile = stn_topology_profile(topology, link);

	if (never_slow(&profile))
		return arrival_inside(sim, from, bytes, leaves);
	return stn_link_send(&profile, &topology->queues[link], bytes, leaves);
}

/* Has the endpoint deleted this peer? A closed endpoint, NULL, has not. */
static bool
is_deleted(const struct sim_endpoint *endpoint, uint32_t rank)
{
	return endpoint && endpoint->deleted && endpoint->deleted[rank];
}

/* Completes a send to a deleted peer. */
static void
lose_send(const struct sim_endpoint *endpoint, stn_done *done, void *arg)
{
	struct stn_sim *sim = endpoint->sim;

	if (!done)
		return;
	done(arg, STN_LOST);
	sim_look_soon(sim, &sim->nodes[endpoint->base.opening.rank]);
}

/* Keeps what ends the parcel's send. */
static void
expect_done(struct stn_sim *sim, struct stn_parcel *parcel, stn_done *done,
	    void *arg)
{
	parcel->done = done;
	parcel->arg = arg;
	sim->nodes[parcel->from].parcels += done != NULL;
}

static void
send_inside(struct stn_sim *sim, struct stn_parcel *parcel, uint64_t leaves,
	    stn_done *done, void *arg)
{
	size_t bytes = parcel->header_bytes + parcel->payload_bytes;

	expect_done(sim, parcel, done, arg);
	sim_add(sim, arrival_inside(sim, parcel->from, bytes, leaves),
		parcel->to, SIM_ARRIVE, parcel);
}

static void
send_outside(struct stn_sim *sim, struct stn_parcel *parcel, uint64_t leaves,
	     stn_done *done, void *arg)
{
	size_t bytes = parcel->header_bytes + parcel->payload_bytes;
	uint32_t there = stn_cluster_of(sim->model.topology, parcel->to);
	struct stn_event event = {
		.at = arrival_outside(sim, parcel->from, there, bytes, leaves),
		.node = parcel->to,
		.what = SIM_ARRIVE,
		.parcel = parcel,
	};
	struct stn_parcel *copy;

	if (done) {
		copy = pack(sim, parcel->kind, parcel->header,
			    parcel->header_bytes, NULL, 0);
		copy->from = parcel->from;
		copy->to = parcel->to;
		expect_done(sim, copy, done, arg);
		sim_add(sim, event.at + sim->model.overhead_ns, copy->from,
			SIM_SENT, copy);
	}
	sim_cross(sim, &sim->nodes[parcel->from], event);
}

static void
net_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	 const void *header, size_t header_bytes, const struct iovec *pieces,
	 size_t count, stn_done *done, void *arg)
{
	struct sim_endpoint *endpoint = endpoint_of(transport);
	struct stn_sim *sim = endpoint->sim;
	struct sim_node *node = &sim->nodes[transport->opening.rank];
	struct stn_parcel *parcel;
	uint64_t leaves;

	if (is_deleted(endpoint, to)) {
		lose_send(endpoint, done, arg);
		return;
	}
	parcel = pack(sim, kind, header, header_bytes, pieces, count);
	parcel->from = transport->opening.rank;
	parcel->to = to;
	sim->messages++;
	leaves = sim_add_overhead(sim, node, sim->now);
	if (stn_cluster_of(sim->model.topology, to) == node->cluster)
		send_inside(sim, parcel, leaves, done, arg);
	else
		send_outside(sim, parcel, leaves, done, arg);
}

void
sim_arrive(struct stn_sim *sim, struct stn_parcel *parcel)
{
	uint64_t handled =
		sim_add_overhead(sim, &sim->nodes[parcel->to], sim->now);

	if (handled == sim->now)
		sim_deliver(sim, parcel);
	else
		sim_add(sim, handled, parcel->to, SIM_DELIVER, parcel);
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

/* Tells a living sender that its message has arrived. */
static void
acknowledge(struct stn_sim *sim, struct stn_parcel *parcel)
{
	struct sim_node *from = &sim->nodes[parcel->from];

	if (!parcel->done || from->killed)
		return;
	sim_end_sending(sim, parcel, STN_OK);
	sim_look(sim, from);
}

static void
handle_parcel(struct stn_sim *sim, const struct stn_parcel *parcel)
{
	struct sim_node *node = &sim->nodes[parcel->to];
	const struct stn_opening *opening;
	struct stn_arrival arrived = {
		.message = { .from = parcel->from,
			     .kind = parcel->kind,
			     .header = parcel->bytes,
			     .header_bytes = parcel->header_bytes,
			     .payload_bytes = parcel->payload_bytes },
		.payload = parcel->hollow
				   ? NULL
				   : parcel->bytes + parcel->header_bytes,
	};

	if (!node->endpoint)
		return; /* closed */
	opening = &node->endpoint->base.opening;
	opening->handler(opening->arg, &arrived.message);
	sim_look(sim, node);
}

/* Does nobody get the parcel? */
static bool
is_lost(const struct stn_sim *sim, const struct stn_parcel *parcel)
{
	const struct sim_node *to = &sim->nodes[parcel->to];

	return to->killed || is_deleted(to->endpoint, parcel->from);
}

void
sim_deliver(struct stn_sim *sim, struct stn_parcel *parcel)
{
	assert(header_unchanged(parcel));
	if (!is_lost(sim, parcel)) {
		acknowledge(sim, parcel);
		handle_parcel(sim, parcel);
	}
	sim_drop(sim, parcel);
}

/* No parcel is lost if there are several shares, where no node is killed. */
void
sim_sent(struct stn_sim *sim, struct stn_parcel *parcel)
{
	assert(header_unchanged(parcel));
	if (sim->world->share_count > 1 || !is_lost(sim, parcel))
		acknowledge(sim, parcel);
	sim_drop(sim, parcel);
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
	endpoint->sim = sim->nodes[opening->rank].sim;
	sim->nodes[opening->rank].endpoint = endpoint;
	stn_sim_hint(sim, opening->rank, endpoint, sizeof(*endpoint));
	*transport_p = &endpoint->base;
	return STN_OK;
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
	while (node->parcels) /* done functions may have sent more */
		sim_end_sends(sim, transport->opening.rank, STN_NOBODY,
			      STN_CANCELLED);
	free(endpoint->deleted);
}

/* Only hollow payloads are pulled, and they have arrived with their message. */
static void
net_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	 const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	(void)pieces;
	(void)count;
	/* A payload with data would have been copied. */
	transport->traffic.bytes_copied += arrival->message.payload_bytes;
	done(arg, STN_OK);
}

static void
net_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	(void)transport;
	(void)arrival;
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

static void
net_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct sim_endpoint *endpoint = endpoint_of(transport);
	struct stn_sim *sim = endpoint->sim;
	struct sim_node *node = &sim->nodes[endpoint->base.opening.rank];

	if (!endpoint->deleted)
		endpoint->deleted = calloc(sim->count, sizeof(bool));
	if (!endpoint->deleted)
		sim_no_memory(sim);
	endpoint->deleted[rank] = true;
	if (!node->parcels)
		return;
	sim_end_sends(sim, endpoint->base.opening.rank, rank, STN_LOST);
	sim_look_soon(sim, node);
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
	.offer = net_send, /* with the payload */
	.pull = net_pull,
	.refuse = net_refuse,
	.peer_del = net_peer_del,
	.progress = net_progress,
	.arm = net_arm,
	.now = net_now,
	.list = net_list,
};
