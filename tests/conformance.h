/*
 * conformance.h: what every transport must do, as one suite; and nets, on
 * which it runs: all endpoints of a run in one process and one thread, made to
 * progress in turn. Nothing here sleeps but net_sleep.
 */
#ifndef TESTS_CONFORMANCE_H
#define TESTS_CONFORMANCE_H

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "transport/ops.h"

#define NET_NODES 3
/* Payloads of tests that try all sizes: sanitizers make all bytes slow. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NET_MOST_BYTES ((size_t)4 << 20)
#else
#define NET_MOST_BYTES ((size_t)64 << 20)
#endif

/*
 * conformance: runs the suite.
 * @provider  libfabric's, where @transport is "ofi"
 * @wan  NULL, or what joins the two clusters that the nodes are then dealt to
 * Returns what main() does.
 */
int conformance(const char *transport, const char *provider,
		const struct stn_link *wan);

/*
 * conformance_at: the same, with each node in a place of its own.
 * @places  of NET_NODES nodes: an address; or a device, of transport verbs, and
 *     as UCX_NET_DEVICES has it where the provider isn't "tcp"
 */
int conformance_at(const char *transport, const char *provider,
		   const char *const *places);

struct net;

struct net_node {
	struct net *net;
	struct stn_transport *transport; /* NULL: closed */
	uint32_t rank;
};

typedef void net_handler(struct net_node *node,
			 const struct stn_message *message);

struct net {
	struct stn_topology topology;
	struct stn_link_queue queues[NET_NODES * NET_NODES];
	struct net_node nodes[NET_NODES];
	net_handler *handler; /* of all nodes */
};

/* What a net is opened with. */
struct plan {
	const char *transport, *provider;
	const char *const *places; /* NULL: 127.0.0.1 */
	uint32_t clusters;
	const struct stn_link *wan;
	bool port;    /* it listens on one */
	bool fragile; /* an end brings down those who talk to it */
	bool counts;  /* it keeps what transport.h says of copies */
};

static inline void
net_handle(void *arg, const struct stn_message *message)
{
	struct net_node *node = arg;

	node->net->handler(node, message);
}

static inline uint64_t
net_now(void)
{
	return stn_machine_now(NULL);
}

/* net_large: a payload that is offered, though not a huge one. */
static inline size_t
net_large(const struct net *net)
{
	return stn_transport_limits(net->nodes[0].transport)->eager_bytes +
	       30000;
}

static inline void
net_close(struct net *net)
{
	for (uint32_t i = 0; i < NET_NODES; i++) {
		stn_transport_close(net->nodes[i].transport, 0);
		net->nodes[i].transport = NULL;
	}
}

/* net_meet: lets one node know another. */
static inline enum stn_err
net_meet(struct net *net, uint32_t from, uint32_t to, struct stn_why *why)
{
	unsigned char address[STN_ADDRESS_BYTES];
	size_t bytes = stn_transport_address(net->nodes[to].transport, address);

	return stn_transport_connect(net->nodes[from].transport, to, address,
				     bytes, why);
}

/* net_place: where node @rank is to be opened. */
static inline void
net_place(const struct plan *plan, uint32_t rank, struct stn_opening *opening)
{
	const char *place = plan->places ? plan->places[rank] : "127.0.0.1";

	opening->provider = plan->provider;
	opening->address = place;
	if (!plan->places)
		return;
	if (!strcmp(plan->transport, "verbs"))
		opening->device = place;
	if (!strcmp(plan->transport, "ucx") && strcmp(plan->provider, "tcp"))
		setenv("UCX_NET_DEVICES", place, 1);
}

static inline enum stn_err
net_open_node(struct net *net, uint32_t rank, const struct plan *plan,
	      struct stn_why *why)
{
	struct net_node *node = &net->nodes[rank];
	struct stn_opening opening = {
		.topology = &net->topology,
		.rank = rank,
		.handler = net_handle,
		.arg = node,
	};

	net_place(plan, rank, &opening);
	node->net = net;
	node->rank = rank;
	/* Of several transports each is to lead somewhere. */
	if (strchr(plan->transport, '+'))
		setenv(STN_IDENTITY_PRETEND,
		       rank == NET_NODES - 1 ? "there" : "here", 1);
	return stn_transport_open(plan->transport, &opening, &node->transport,
				  why);
}

/* net_open_strangers: opens all endpoints; the handler is still to be set. */
static inline enum stn_err
net_open_strangers(struct net *net, const struct plan *plan,
		   struct stn_why *why)
{
	enum stn_err err = STN_OK;

	memset(net, 0, sizeof(*net));
	net->topology.nodes = NET_NODES;
	net->topology.clusters = plan->clusters;
	if (plan->wan) {
		net->topology.wan = *plan->wan;
		net->topology.queues = net->queues;
	}
	for (uint32_t i = 0; i < NET_NODES && !err; i++)
		err = net_open_node(net, i, plan, why);
	if (err)
		net_close(net);
	return err;
}

/* net_open: and joins each pair, and each node to itself. */
static inline enum stn_err
net_open(struct net *net, const struct plan *plan, struct stn_why *why)
{
	enum stn_err err = net_open_strangers(net, plan, why);

	if (err)
		return err;
	for (uint32_t i = 0; i < NET_NODES * NET_NODES && !err; i++)
		err = net_meet(net, i / NET_NODES, i % NET_NODES, why);
	if (err)
		net_close(net);
	return err;
}

static inline unsigned
net_progress(struct net *net)
{
	unsigned did = 0;

	for (uint32_t i = 0; i < NET_NODES; i++)
		if (net->nodes[i].transport)
			did += stn_transport_progress(net->nodes[i].transport);
	return did;
}

/* net_spin: progress a number of times, to see that something stays away. */
static inline void
net_spin(struct net *net, unsigned rounds)
{
	while (rounds--)
		net_progress(net);
}

/* net_until: progress until the count is there; false if it never is. */
static inline bool
net_until(struct net *net, const unsigned *count, unsigned target)
{
	uint64_t end = net_now() + tap_patience_ns();

	while (*count < target && net_now() < end)
		net_progress(net);
	return *count >= target;
}

/*
 * net_sleep: arms all endpoints and sleeps until one of them must be looked
 * at; makes progress on that one alone. False if one could not be armed.
 */
static inline bool
net_sleep(struct net *net, uint64_t end)
{
	uint64_t now = net_now(), least = end > now ? end - now : 0;
	uint64_t intervals[NET_NODES];
	struct pollfd fds[NET_NODES];
	struct timespec time;
	bool armed = true;

	for (uint32_t i = 0; i < NET_NODES; i++) {
		struct stn_transport *transport = net->nodes[i].transport;

		intervals[i] = stn_transport_arm(transport);
		fds[i].fd = stn_transport_fd(transport);
		fds[i].events = POLLIN;
		if (intervals[i] < least)
			least = intervals[i];
		armed = armed && intervals[i] != STN_NOT_NOW;
	}
	time.tv_sec = (time_t)(least / STN_SECOND_NS);
	time.tv_nsec = (long)(least % STN_SECOND_NS);
	ppoll(fds, NET_NODES, &time, NULL);
	now = net_now() - now;
	for (uint32_t i = 0; i < NET_NODES; i++)
		if (intervals[i] <= now || fds[i].revents)
			stn_transport_progress(net->nodes[i].transport);
	return armed;
}

/*
 * net_sleep_until: as net_until, but sleeps whenever nothing is under way. A
 * wake that is missed shows as false, after the patience.
 */
static inline bool
net_sleep_until(struct net *net, const unsigned *count, unsigned target)
{
	uint64_t end = net_now() + tap_patience_ns();

	while (*count < target && net_now() < end)
		net_sleep(net, end);
	return *count >= target;
}

#endif
