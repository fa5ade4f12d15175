#include "transport/far/far.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/backends.h"
#include "transport/far/far_send.h"

#define EVENTS 16
/* Limits unsent bytes in the kernel, where later messages can't overtake. */
#define LOWAT_BYTES 131072
#define MAGIC 0x72616673 /* "sfar" */

/* An endpoint's address. The gateway knows everything else. */
struct far_address {
	uint32_t magic, rank;
};

static enum stn_err
far_open_connection(struct far *far, uint32_t cluster, struct stn_why *why)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = cluster };
	const int lowat = LOWAT_BYTES;
	struct far_connection *connection = &far->connections[cluster];
	enum stn_err err;

	err = stn_uplink_open_segments(&far->uplink, far->base.opening.rank,
				       cluster, &connection->fd, why);
	if (err)
		return err;
	setsockopt(connection->fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat,
		   sizeof(lowat));
	connection->in = malloc(FAR_IN_BYTES);
	if (!connection->in)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	if (epoll_ctl(far->watch, EPOLL_CTL_ADD, connection->fd, &event))
		return stn_because(why, STN_IO, "can't watch a socket: %s",
				   strerror(errno));
	return STN_OK;
}

static void
free_connections(struct far *far)
{
	for (uint32_t i = 0; i < far->base.opening.topology->clusters; i++) {
		if (far->connections[i].fd >= 0)
			close(far->connections[i].fd);
		free(far->connections[i].in);
	}
	if (far->watch >= 0)
		close(far->watch);
}

static enum stn_err
open_connections(struct far *far, struct stn_why *why)
{
	uint32_t clusters = far->base.opening.topology->clusters;
	enum stn_err err = STN_OK;

	for (uint32_t i = 0; i < clusters; i++) {
		struct far_connection *connection = &far->connections[i];

		connection->fd = -1;
		connection->cluster = i;
		STAILQ_INIT(&connection->items);
		STAILQ_INIT(&connection->batch.items);
	}
	far->watch = epoll_create1(EPOLL_CLOEXEC);
	if (far->watch < 0)
		return stn_because(why, STN_IO, "can't make an epoll: %s",
				   strerror(errno));
	for (uint32_t i = 0; !err && i < clusters; i++)
		err = far_open_connection(far, i, why);
	return err;
}

static enum stn_err
far_open(struct stn_transport *transport, struct stn_why *why)
{
	struct far *far = far_of(transport);
	const char *text = getenv(STN_GATEWAY);
	enum stn_err err;

	if (!text)
		return stn_because(why, STN_MISSING,
				   "the transport far needs a gateway; start "
				   "the program by `sateen join`");
	err = stn_uplink_read(text, &far->uplink, why);
	if (err)
		return err;
	far->uplink.silence_ns = transport->opening.silence_ns;
	err = open_connections(far, why);
	if (err) {
		free_connections(far);
		return err;
	}
	transport->limits = (struct stn_limits){
		.inline_bytes = STN_SEGMENT_DATA - STN_SEGMENT_FRONT,
		.eager_bytes = STN_SEGMENT_DATA - STN_SEGMENT_FRONT,
		.pieces = FAR_PART_PIECES,
		.fd = far->watch,
		.costly = true,
		.relayed = true,
	};
	return STN_OK;
}

static size_t
far_address(struct stn_transport *transport,
	    unsigned char address[STN_ADDRESS_BYTES])
{
	struct far_address mine = { MAGIC,
				    far_of(transport)->base.opening.rank };

	memcpy(address, &mine, sizeof(mine));
	return sizeof(mine);
}

static enum stn_err
far_connect(struct stn_transport *transport, uint32_t rank,
	    const unsigned char *address, size_t bytes, struct stn_why *why)
{
	struct far_address theirs;

	(void)transport;
	memcpy(&theirs, address, bytes);
	if (theirs.magic == MAGIC && theirs.rank == rank)
		return STN_OK;
	return stn_because(why, STN_MALFORMED, "node %u's address is malformed",
			   rank);
}

/* The batch is emptied: the gateway will not read the rest of it. */
static void
end_connection(struct far *far, struct far_connection *connection)
{
	const struct stn_topology *topology = far->base.opening.topology;
	uint32_t size = stn_cluster_size(topology, connection->cluster);

	connection->batch.count = connection->batch.at = 0;
	epoll_ctl(far->watch, EPOLL_CTL_DEL, connection->fd, NULL);
	for (uint32_t i = 0; i < size; i++) {
		uint32_t rank =
			stn_cluster_rank(topology, connection->cluster, i);

		if (rank != far->base.opening.rank)
			stn_peers_lost(&far->base, rank, far->lost_how);
	}
	far_end_sends(far, connection, far->base.opening.rank, STN_LOST);
	far_end_pulls(far, connection, far->base.opening.rank, STN_LOST);
}

static void
far_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct far *far = far_of(transport);
	struct far_connection *connection = far_connection_to(far, rank);

	far_end_sends(far, connection, rank, STN_LOST);
	far_end_pulls(far, connection, rank, STN_LOST);
}

/*
 * All connections are marked first, so that a callback which sends something
 * finds the connection closed. This node itself is lost, too: for the run it is
 * the one that is gone.
 */
static void
end_connections(struct far *far)
{
	uint32_t clusters = far->base.opening.topology->clusters;

	for (uint32_t i = 0; i < clusters; i++)
		far->connections[i].lost = true;
	stn_peers_lost(&far->base, far->base.opening.rank, far->lost_how);
	for (uint32_t i = 0; i < clusters; i++)
		end_connection(far, &far->connections[i]);
	far->lost_how = NULL;
}

static unsigned
far_progress(struct stn_transport *transport)
{
	struct far *far = far_of(transport);
	struct epoll_event events[EVENTS];
	int count = epoll_wait(far->watch, events, EVENTS, 0);
	unsigned did = 0;

	for (int i = 0; i < count; i++) {
		struct far_connection *connection =
			&far->connections[events[i].data.u32];

		if (events[i].events & ~(uint32_t)EPOLLOUT && !connection->lost)
			did += far_receive(far, connection);
		if (events[i].events & EPOLLOUT)
			did += far_flush(far, connection);
	}
	if (far->lost_how)
		end_connections(far);
	return did;
}

/*
 * While a connection waits for room to write, the descriptor reports that room
 * as well.
 */
static uint64_t
far_arm(struct stn_transport *transport)
{
	return far_of(transport)->lost_how ? STN_NOT_NOW : STN_FOREVER;
}

static bool
all_idle(const struct far *far)
{
	for (uint32_t i = 0; i < far->base.opening.topology->clusters; i++)
		if (!far->connections[i].lost &&
		    !far_idle(&far->connections[i]))
			return false;
	return LIST_EMPTY(&far->pulls);
}

static void
far_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct far *far = far_of(transport);
	uint64_t end = stn_machine_now(transport) + patience_ns;

	while (!all_idle(far) && stn_machine_now(transport) < end) {
		struct pollfd wait = { far->watch, POLLIN, 0 };

		if (!far_progress(transport) && far_arm(transport))
			poll(&wait, 1, 10);
	}
	far->closing = true;
	for (uint32_t i = 0; i < far->base.opening.topology->clusters; i++) {
		struct far_connection *connection = &far->connections[i];

		connection->batch.count = connection->batch.at =
			0; /* the gateway will not read the rest */
		far_end_sends(far, connection, FAR_ALL, STN_CANCELLED);
		far_end_pulls(far, connection, FAR_ALL, STN_CANCELLED);
		far_flush(far, connection);
	}
	free_connections(far);
}

const struct stn_transport_ops stn_transport_far = {
	.name = "far",
	.help = "by way of the gateway that `sateen join` is",
	.bytes = sizeof(struct far),
	.cluster_bytes = sizeof(struct far_connection),
	.open = far_open,
	.close = far_close,
	.address = far_address,
	.address_bytes = sizeof(struct far_address),
	.connect = far_connect,
	.send = far_send,
	.offer = far_offer,
	.pull = far_pull,
	.refuse = far_refuse,
	.peer_del = far_peer_del,
	.progress = far_progress,
	.reach = STN_REACH_ALL,
	.arm = far_arm,
	.now = stn_machine_now,
};
