/*
 * conformance.h: the suite that every transport must pass, and nets, on which
 * it runs. A net is all endpoints of a run in one process and one thread, which
 * makes progress on them in turn. Only net_sleep and net_sleep_until sleep.
 */
#ifndef TESTS_TRANSPORT_CONFORMANCE_H
#define TESTS_TRANSPORT_CONFORMANCE_H

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "launch/open.h"
#include "transport/ops.h"

#define NET_NODES 3
/*
 * Largest payload of the tests of sizes; smaller with sanitizers, which are
 * slow.
 */
#if defined(STN_ASAN) || defined(STN_TSAN)
#define NET_MOST_BYTES ((size_t)4 << 20)
#else
#define NET_MOST_BYTES ((size_t)64 << 20)
#endif

/*
 * conformance: runs the suite.
 * @provider  libfabric's provider if @transport is "ofi"
 * @wan  NULL, or the links between two clusters, over which the nodes are then
 *     distributed
 * Returns main()'s exit status.
 */
int conformance(const char *transport, const char *provider,
		const struct stn_link *wan);

/*
 * conformance_at: runs the suite, with each node in a place of its own.
 * @places  of the NET_NODES nodes: addresses; with transport verbs devices;
 * with ucx, unless the provider is "tcp", values of UCX_NET_DEVICES
 */
int conformance_at(const char *transport, const char *provider,
		   const char *const *places);

struct net;

struct net_node {
	struct net *net;
	struct stn_transport *transport; /* NULL if closed */
	uint32_t rank;
};

typedef void net_handler(struct net_node *node,
			 const struct stn_message *message);

struct net {
	struct stn_topology topology;
	struct stn_link_queue queues[NET_NODES * NET_NODES];
	struct net_node nodes[NET_NODES];
	net_handler *handler; /* called for each message to any node */
};

/* How a net is opened, and what its transport can do. */
struct plan {
	const char *transport, *provider;
	const char *const *places; /* NULL: 127.0.0.1 */
	uint32_t clusters;
	const struct stn_link *wan;
	bool port;    /* an endpoint listens on a port */
	bool fragile; /* closing an endpoint breaks its peers, too */
	bool counts;  /* it copies no more than transport.h says */
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

/* net_large: size of a payload that is offered, but not a huge one. */
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

/* net_connect: gives node @from the address of node @to. */
static inline enum stn_err
net_connect(struct net *net, uint32_t from, uint32_t to, struct stn_why *why)
{
	unsigned char address[STN_ADDRESS_BYTES];
	size_t bytes = stn_transport_address(net->nodes[to].transport, address);

	return stn_transport_connect(net->nodes[from].transport, to, address,
				     bytes, why);
}

/* net_set_place: sets where node @rank is opened. */
static inline void
net_set_place(const struct plan *plan, uint32_t rank,
	      struct stn_opening *opening)
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

	net_set_place(plan, rank, &opening);
	node->net = net;
	node->rank = rank;
	/*
	 * With several transports the last node is on another host, so that
	 * each transport leads to a node.
	 */
	if (strchr(plan->transport, '+'))
		setenv(STN_IDENTITY_PRETEND,
		       rank == NET_NODES - 1 ? "there" : "here", 1);
	return stn_open_transport(plan->transport, NULL, &opening,
				  &node->transport, why);
}

/*
 * net_open_unconnected: opens all endpoints without connecting them. The caller
 * sets the handler.
 */
static inline enum stn_err
net_open_unconnected(struct net *net, const struct plan *plan,
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

/*
 * net_open: opens all endpoints, and connects each node to all and to itself.
 */
static inline enum stn_err
net_open(struct net *net, const struct plan *plan, struct stn_why *why)
{
	enum stn_err err = net_open_unconnected(net, plan, why);

	if (err)
		return err;
	for (uint32_t i = 0; i < NET_NODES * NET_NODES && !err; i++)
		err = net_connect(net, i / NET_NODES, i % NET_NODES, why);
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

/* net_spin: makes progress @rounds times, to see that nothing else happens. */
static inline void
net_spin(struct net *net, unsigned rounds)
{
	while (rounds--)
		net_progress(net);
}

/*
 * net_until: makes progress until *@count reaches @target; false after the
 * patience.
 */
static inline bool
net_until(struct net *net, const unsigned *count, unsigned target)
{
	uint64_t end = net_now() + tap_patience_ns();

	while (*count < target && net_now() < end)
		net_progress(net);
	return *count >= target;
}

/*
 * net_sleep: arms all endpoints, sleeps until a descriptor is readable, an
 * interval is over or @end, and makes progress only on the endpoints that are
 * due. False if an endpoint could not be armed.
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
 * net_sleep_until: as net_until, but sleeps whenever nothing is under way.
 * After a missed wake it returns false.
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
