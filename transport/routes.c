#include "transport/routes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "transport/backends.h"
#include "transport/peers.h"

#define UNROUTED UINT8_MAX
/*
 * Progress on a network route may cost a system call, as much time as several
 * messages through shared memory. While any route is active, a costly route
 * that is idle is polled only once in IDLE_INTERVAL calls. Things done count as
 * calls, too: a large payload takes as long as many of them. A route is active
 * until it has had nothing to do for ACTIVE_CALLS calls.
 */
#define ACTIVE_CALLS 256
#define IDLE_INTERVAL 1024

struct route {
	struct stn_transport *transport; /* NULL: closed */
	unsigned calls; /* of progress since the last that had work to do */
	bool ends_seen; /* the epoll of ends contains that of this route */
};

struct routes {
	struct stn_transport base;
	struct route routes[STN_ROUTES_MOST];
	size_t count;
	struct stn_transport *current; /* the route in progress, or NULL */
	unsigned calls;		       /* like route.calls, for any route */
	unsigned steps; /* calls and things done since the last poll of all */
	int epoll;
	uint8_t route_of[]; /* the index of each node's route, or UNROUTED */
};

static struct routes *
routes_of(const struct stn_transport *transport)
{
	return (struct routes *)transport;
}

static size_t
routes_address(struct stn_transport *transport,
	       unsigned char address[STN_ADDRESS_BYTES])
{
	struct routes *routes = routes_of(transport);
	unsigned char own[STN_ADDRESS_BYTES], *at = address;

	for (size_t i = 0; i < routes->count; i++) {
		struct stn_transport *route = routes->routes[i].transport;
		const char *name = route->ops->name;
		size_t size = stn_transport_address(route, own);
		size_t length = strlen(name);

		/* A peer that needs this route will report it missing. */
		if ((size_t)(at - address) + 3 + length + size >
		    STN_ADDRESS_BYTES)
			break;
		*at++ = (unsigned char)length;
		at = mempcpy(at, name, length);
		*at++ = (unsigned char)size;
		*at++ = (unsigned char)(size >> 8);
		at = mempcpy(at, own, size);
	}
	return (size_t)(at - address);
}

/*
 * May a route that reaches only the host or the cluster be used for this node?
 * Not beyond this cluster, if another route reaches all nodes.
 */
static bool
is_local(const struct routes *routes, uint32_t rank)
{
	const struct stn_transport *last =
		routes->routes[routes->count - 1].transport;
	const struct stn_opening *opening = &routes->base.opening;

	return last->ops->reach != STN_REACH_ALL ||
	       stn_cluster_of(opening->topology, rank) ==
		       stn_cluster_of(opening->topology, opening->rank);
}

/* @part  the peer's address for this route; it begins with its identity */
static bool
reaches(const struct routes *routes, const struct stn_transport *transport,
	uint32_t rank, const struct stn_routes_part *part)
{
	switch (transport->ops->reach) {
	case STN_REACH_HOST:
		return is_local(routes, rank) &&
		       part->size > STN_IDENTITY_BYTES &&
		       stn_identity_same_namespace(transport->identity,
						   part->bytes);
	case STN_REACH_CLUSTER:
		return is_local(routes, rank);
	case STN_REACH_ALL:
		return true;
	}
	return false;
}

/* Without memory for that, this node only learns a little later of ends. */
static void
routes_see_ends(struct routes *routes, struct route *route)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (route->ends_seen || route->transport->ends < 0)
		return;
	route->ends_seen = true;
	epoll_ctl(routes->base.ends, EPOLL_CTL_ADD, route->transport->ends,
		  &event);
}

/*
 * Is the error this node's alone? Then the peer may use this route, and this
 * node must not choose another one.
 */
static bool
is_own(enum stn_err err)
{
	return err == STN_LOST || err == STN_MALFORMED || err == STN_NO_MEMORY;
}

/*
 * Chooses the first route that reaches the peer. If this node can't open the
 * peer's memory, the peer can't open this node's, for the same reason, so both
 * choose the next route. This is not so if this node lacks memory or
 * descriptors.
 */
static enum stn_err
routes_choose(struct routes *routes, uint32_t rank,
	      const struct stn_routes_address *address, struct stn_why *why)
{
	enum stn_err err = STN_MISSING;

	for (size_t i = 0; i < routes->count; i++) {
		struct stn_transport *transport = routes->routes[i].transport;
		const struct stn_routes_part *part =
			stn_routes_part(address, transport->ops->name);

		if (!part || !reaches(routes, transport, rank, part))
			continue;
		err = stn_transport_connect(transport, rank, part->bytes,
					    part->size, why);
		if (err && !is_own(err))
			continue;
		if (!err) {
			routes->route_of[rank] = (uint8_t)i;
			routes_see_ends(routes, &routes->routes[i]);
		}
		return err;
	}
	if (err == STN_MISSING)
		stn_because(why, err,
			    "node %u has no transport by which this node can "
			    "reach it; use the same --transport on all nodes",
			    rank);
	return err;
}

static enum stn_err
routes_connect(struct stn_transport *transport, uint32_t rank,
	       const unsigned char *bytes, size_t size, struct stn_why *why)
{
	struct routes *routes = routes_of(transport);
	struct stn_routes_address address;
	const struct stn_routes_part *part;
	struct stn_transport *route;

	if (rank >= transport->nodes || size > STN_ADDRESS_BYTES ||
	    !stn_routes_parse(bytes, size, &address))
		return stn_because(why, STN_MALFORMED,
				   "node %u's address is malformed", rank);
	if (routes->route_of[rank] == UNROUTED)
		return routes_choose(routes, rank, &address, why);
	route = routes->routes[routes->route_of[rank]].transport;
	part = stn_routes_part(&address, route->ops->name);
	if (!part)
		return stn_because(why, STN_INVALID,
				   "node %u was connected by another address; "
				   "give it another rank",
				   rank);
	return stn_transport_connect(route, rank, part->bytes, part->size, why);
}

/* A node that isn't connected has the last route, which reaches farthest. */
static struct stn_transport *
routes_route(struct stn_transport *transport, uint32_t rank)
{
	struct routes *routes = routes_of(transport);
	uint8_t chosen = routes->route_of[rank];

	return routes
		->routes[chosen < routes->count ? chosen : routes->count - 1]
		.transport;
}

/* Called only for a closed route, so while all routes are being closed. */
static void
routes_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	    const void *header, size_t header_bytes, const struct iovec *pieces,
	    size_t count, stn_done *done, void *arg)
{
	(void)transport;
	(void)to;
	(void)kind;
	(void)header;
	(void)header_bytes;
	(void)pieces;
	(void)count;
	if (done)
		done(arg, STN_CANCELLED);
}

static void
routes_refuse(struct stn_transport *transport,
	      const struct stn_arrival *arrival)
{
	struct stn_transport *current = routes_of(transport)->current;

	current->ops->refuse(current, arrival);
}

/*
 * A payload can be pulled only by the route that is used for its sender. An
 * offer that arrived by another route is refused.
 */
static void
routes_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	    const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	struct stn_transport *current = routes_of(transport)->current;

	if (current == routes_route(transport, arrival->message.from)) {
		current->ops->pull(current, arrival, pieces, count, done, arg);
		return;
	}
	current->ops->refuse(current, arrival);
	done(arg, STN_LOST);
}

static void
routes_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct stn_transport *route = routes_route(transport, rank);

	if (route)
		route->ops->peer_del(route, rank);
}

/* A check of peers is part of progress, so it makes an idle route due, too. */
static bool
is_due(const struct routes *routes, const struct route *route)
{
	return !route->transport->limits.costly ||
	       route->calls < ACTIVE_CALLS || routes->calls >= ACTIVE_CALLS ||
	       routes->steps >= IDLE_INTERVAL ||
	       stn_peers_is_due(route->transport->peers);
}

static void
count_call(unsigned *calls, unsigned did)
{
	if (did)
		*calls = 0;
	else if (*calls < ACTIVE_CALLS)
		++*calls;
}

static unsigned
routes_progress(struct stn_transport *transport)
{
	struct routes *routes = routes_of(transport);
	unsigned sum = 0;

	for (size_t i = 0; i < routes->count; i++) {
		struct route *route = &routes->routes[i];
		unsigned did = 0;

		if (is_due(routes, route)) {
			routes->current = route->transport;
			did = stn_transport_progress(route->transport);
		}
		count_call(&route->calls, did);
		sum += did;
	}
	routes->current = NULL;
	routes->steps =
		routes->steps >= IDLE_INTERVAL ? 0 : routes->steps + 1 + sum;
	count_call(&routes->calls, sum);
	return sum;
}

/*
 * Arms all routes. A route may not be ready to sleep, so the next progress
 * polls every route, as if all had been idle.
 */
static uint64_t
routes_arm(struct stn_transport *transport)
{
	struct routes *routes = routes_of(transport);
	uint64_t least = STN_FOREVER;

	for (size_t i = 0; i < routes->count; i++) {
		uint64_t sleep_ns =
			stn_transport_arm(routes->routes[i].transport);

		if (sleep_ns < least)
			least = sleep_ns;
	}
	routes->calls = ACTIVE_CALLS;
	return least;
}

static void
routes_disarm(struct stn_transport *transport)
{
	struct routes *routes = routes_of(transport);

	for (size_t i = 0; i < routes->count; i++)
		stn_transport_disarm(routes->routes[i].transport);
}

static bool
routes_waits(const struct stn_transport *transport)
{
	const struct routes *routes = routes_of(transport);
	bool waits = false;

	for (size_t i = 0; i < routes->count; i++)
		waits = waits ||
			stn_transport_waits(routes->routes[i].transport);
	return waits;
}

static void
close_all(struct routes *routes, uint64_t end)
{
	for (size_t i = 0; i < routes->count; i++) {
		struct route *route = &routes->routes[i];
		uint64_t now = stn_machine_now(NULL);

		routes->current = route->transport;
		stn_transport_close(route->transport,
				    now < end ? end - now : 0);
		route->transport = NULL;
	}
	if (routes->epoll >= 0)
		close(routes->epoll);
	if (routes->base.ends >= 0)
		close(routes->base.ends);
}

/*
 * The routes close one after the other, and the peers of a later route would
 * wait meanwhile. So all routes finish their present work first.
 */
static void
routes_close(struct stn_transport *transport, uint64_t patience_ns)
{
	uint64_t end = stn_machine_now(NULL) + patience_ns;

	while (routes_progress(transport) && stn_machine_now(NULL) < end)
		;
	close_all(routes_of(transport), end);
}

static const struct stn_transport_ops routes_ops = {
	.name = "routes",
	.help = "several transports, each for the peers it leads to",
	.bytes = sizeof(struct routes),
	.node_bytes = sizeof(uint8_t),
	.close = routes_close,
	.address = routes_address,
	.connect = routes_connect,
	.send = routes_send,
	.offer = routes_send,
	.pull = routes_pull,
	.refuse = routes_refuse,
	.peer_del = routes_peer_del,
	.progress = routes_progress,
	.arm = routes_arm,
	.disarm = routes_disarm,
	.waits = routes_waits,
	.now = stn_machine_now,
	.route = routes_route,
};

/*
 * The limits that hold for all routes. eager_bytes is the largest, because
 * stn_transport_send compares a size with the limit of the chosen route.
 */
static void
join_limits(struct stn_limits *sum, const struct stn_limits *limits)
{
	if (limits->inline_bytes < sum->inline_bytes)
		sum->inline_bytes = limits->inline_bytes;
	if (limits->eager_bytes > sum->eager_bytes)
		sum->eager_bytes = limits->eager_bytes;
	if (limits->pieces < sum->pieces)
		sum->pieces = limits->pieces;
	sum->quiet = sum->quiet && limits->quiet;
	sum->costly = sum->costly || limits->costly;
	sum->relayed = sum->relayed || limits->relayed;
}

static enum stn_err
routes_add(struct routes *routes, const char *name,
	   const struct stn_opening *opening, struct stn_why *why)
{
	const struct stn_transport_ops *ops = stn_transport_find(name);
	struct route *route = &routes->routes[routes->count];
	struct epoll_event event = { .events = EPOLLIN };
	struct stn_transport *transport;
	enum stn_err err;

	if (!ops)
		return stn_because(why, STN_MISSING,
				   "no transport \"%s\" was built; see "
				   "`sateen info` for those that were",
				   name);
	err = stn_transport_open_backend(ops, opening, &transport, why);
	if (err)
		return err;
	route->transport = transport;
	route->calls = ACTIVE_CALLS;
	if (routes->count)
		routes->routes[routes->count - 1].transport->sibling =
			transport;
	else
		routes->base.inner = transport;
	routes->count++;
	transport->outer = &routes->base;
	join_limits(&routes->base.limits, &transport->limits);
	if (transport->limits.fd >= 0 &&
	    epoll_ctl(routes->epoll, EPOLL_CTL_ADD, transport->limits.fd,
		      &event))
		return stn_because(why, STN_IO, "epoll_ctl: %s",
				   strerror(errno));
	return STN_OK;
}

static struct routes *
routes_create(const struct stn_opening *opening)
{
	struct stn_transport *transport =
		stn_transport_create(&routes_ops, opening);
	struct routes *routes = routes_of(transport);

	if (!transport)
		return NULL;
	memset(routes->route_of, UNROUTED, transport->nodes);
	routes->epoll = epoll_create1(EPOLL_CLOEXEC);
	transport->ends = epoll_create1(EPOLL_CLOEXEC);
	transport->limits = (struct stn_limits){
		.inline_bytes = SIZE_MAX,
		.pieces = SIZE_MAX,
		.fd = routes->epoll,
		.quiet = true,
	};
	return routes;
}

enum stn_err
stn_routes_open(const char *name, const struct stn_opening *opening,
		struct stn_transport **transport_p, struct stn_why *why)
{
	char names[STN_ROUTES_MOST][STN_ROUTES_NAME_BYTES];
	size_t count = stn_routes_split(name, names);
	struct routes *routes;
	enum stn_err err = STN_OK;

	if (!count)
		return stn_because(why, STN_MISSING,
				   "no transport \"%s\"; join up to %d names "
				   "of transports, such as shm+ofi",
				   name, STN_ROUTES_MOST);
	routes = routes_create(opening);
	if (!routes)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	if (routes->epoll < 0 || routes->base.ends < 0)
		err = stn_because(why, STN_IO, "epoll_create1: %s",
				  strerror(errno));
	for (size_t i = 0; i < count && !err; i++)
		err = routes_add(routes, names[i], opening, why);
	if (err) {
		close_all(routes, 0);
		free(routes);
	} else {
		*transport_p = &routes->base;
	}
	return err;
}
