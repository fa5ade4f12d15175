#include "transport/wan/far.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS 16
#define LOWAT_BYTES 131072 /* what waits in the kernel can't be overtaken */
#define MAGIC 0x72616673   /* "sfar" */

/* What an endpoint's address holds: the gateway knows the rest. */
struct far_address {
	uint32_t magic, rank;
};

void *
far_allocate(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory)
		abort();
	return memory;
}

static enum stn_err
open_road(struct far *far, uint32_t cluster, struct stn_why *why)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = cluster };
	const int lowat = LOWAT_BYTES;
	struct far_road *road = &far->roads[cluster];
	enum stn_err err;

	err = stn_door_road(&far->door, far->opening.rank, cluster, &road->fd,
			    why);
	if (err)
		return err;
	setsockopt(road->fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat,
		   sizeof(lowat));
	road->in = malloc(FAR_IN_BYTES);
	if (!road->in)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	if (epoll_ctl(far->watch, EPOLL_CTL_ADD, road->fd, &event))
		return stn_because(why, STN_IO, "can't watch a socket: %s",
				   strerror(errno));
	return STN_OK;
}

static void
free_roads(struct far *far)
{
	for (uint32_t i = 0; i < far->opening.topology->clusters; i++) {
		if (far->roads[i].fd >= 0)
			close(far->roads[i].fd);
		free(far->roads[i].in);
	}
	free(far->roads);
	if (far->watch >= 0)
		close(far->watch);
	free(far);
}

static enum stn_err
open_roads(struct far *far, struct stn_why *why)
{
	uint32_t clusters = far->opening.topology->clusters;
	enum stn_err err = STN_OK;

	far->watch = epoll_create1(EPOLL_CLOEXEC);
	if (far->watch < 0)
		return stn_because(why, STN_IO, "can't make an epoll: %s",
				   strerror(errno));
	for (uint32_t i = 0; !err && i < clusters; i++)
		err = open_road(far, i, why);
	return err;
}

static struct far *
create(const struct stn_opening *opening)
{
	uint32_t clusters = opening->topology->clusters;
	struct far *far = calloc(1, sizeof(*far));

	if (!far)
		return NULL;
	far->roads = calloc(clusters, sizeof(far->roads[0]));
	if (!far->roads) {
		free(far);
		return NULL;
	}
	far->watch = -1;
	far->opening = *opening;
	for (uint32_t i = 0; i < clusters; i++) {
		struct far_road *road = &far->roads[i];

		road->fd = -1;
		road->cluster = i;
		road->last_item = &road->items;
		road->batch.last_item = &road->batch.items;
	}
	return far;
}

static enum stn_err
far_open(const struct stn_opening *opening, struct stn_transport **transport_p,
	 struct stn_why *why)
{
	const char *text = getenv(STN_GATEWAY);
	enum stn_err err;
	struct far *far;

	if (!text)
		return stn_because(why, STN_MISSING,
				   "the transport far needs a gateway; start "
				   "the program by `sateen join`");
	far = create(opening);
	if (!far)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = stn_door_read(text, &far->door, why);
	far->door.silence_ns = opening->silence_ns;
	if (!err)
		err = open_roads(far, why);
	if (err) {
		free_roads(far);
		return err;
	}
	far->base.ops = &stn_transport_far;
	far->base.limits = (struct stn_limits){
		.inline_bytes = STN_SEGMENT_DATA - STN_SEGMENT_FRONT,
		.eager_bytes = STN_SEGMENT_DATA - STN_SEGMENT_FRONT,
		.pieces = FAR_PART_PIECES,
		.fd = far->watch,
	};
	*transport_p = &far->base;
	return STN_OK;
}

static size_t
far_address(struct stn_transport *transport,
	    unsigned char address[STN_ADDRESS_BYTES])
{
	struct far_address mine = { MAGIC, far_of(transport)->opening.rank };

	memcpy(address, &mine, sizeof(mine));
	return sizeof(mine);
}

static enum stn_err
far_connect(struct stn_transport *transport, uint32_t rank,
	    const unsigned char *address, size_t bytes, struct stn_why *why)
{
	struct far_address theirs;

	(void)transport;
	if (bytes == sizeof(theirs)) {
		memcpy(&theirs, address, sizeof(theirs));
		if (theirs.magic == MAGIC && theirs.rank == rank)
			return STN_OK;
	}
	return stn_because(why, STN_MALFORMED, "node %u's address is malformed",
			   rank);
}

void
far_lose_road(struct far *far, struct far_road *road, const char *how)
{
	const struct stn_topology *topology = far->opening.topology;
	uint32_t first = stn_cluster_first(topology, road->cluster);
	uint32_t size = stn_cluster_size(topology, road->cluster);

	if (road->lost)
		return;
	road->lost = true;
	far->gone = how;
	road->batch.count = road->batch.at = 0; /* nobody will read it */
	epoll_ctl(far->watch, EPOLL_CTL_DEL, road->fd, NULL);
	for (uint32_t i = first; i < first + size; i++)
		if (i != far->opening.rank)
			stn_peers_lost(&far->base, i, how);
	far_end_sends(far, road, far->opening.rank, STN_LOST);
	far_end_pulls(far, road, far->opening.rank, STN_LOST);
}

static void
far_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct far *far = far_of(transport);
	struct far_road *road = far_road_to(far, rank);

	far_end_sends(far, road, rank, STN_LOST);
	far_end_pulls(far, road, rank, STN_LOST);
}

/* All roads lead by the same gateway. */
static void
lose_all(struct far *far)
{
	for (uint32_t i = 0; i < far->opening.topology->clusters; i++)
		far_lose_road(far, &far->roads[i], far->gone);
	far->gone = NULL;
}

static unsigned
far_progress(struct stn_transport *transport)
{
	struct far *far = far_of(transport);
	struct epoll_event events[EVENTS];
	int count = epoll_wait(far->watch, events, EVENTS, 0);
	unsigned did = 0;

	for (int i = 0; i < count; i++) {
		struct far_road *road = &far->roads[events[i].data.u32];

		if (events[i].events & ~(uint32_t)EPOLLOUT && !road->lost)
			did += far_receive(far, road);
		if (events[i].events & EPOLLOUT)
			did += far_flush(far, road);
	}
	if (far->gone)
		lose_all(far);
	return did;
}

/* The descriptor tells of room to write, too, while that is waited for. */
static uint64_t
far_arm(struct stn_transport *transport)
{
	return far_of(transport)->gone ? STN_NOT_NOW : STN_FOREVER;
}

static bool
far_waits(const struct stn_transport *transport)
{
	(void)transport;
	return false;
}

static bool
all_idle(const struct far *far)
{
	for (uint32_t i = 0; i < far->opening.topology->clusters; i++)
		if (!far->roads[i].lost && !far_idle(&far->roads[i]))
			return false;
	return !far->pulls;
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
	for (uint32_t i = 0; i < far->opening.topology->clusters; i++) {
		struct far_road *road = &far->roads[i];

		road->batch.count = road->batch.at = 0; /* it won't be read */
		far_end_sends(far, road, FAR_ALL, STN_CANCELLED);
		far_end_pulls(far, road, FAR_ALL, STN_CANCELLED);
		far_flush(far, road);
	}
	free_roads(far);
}

const struct stn_transport_ops stn_transport_far = {
	.name = "far",
	.help = "by way of the gateway that `sateen join` is",
	.open = far_open,
	.close = far_close,
	.address = far_address,
	.connect = far_connect,
	.send = far_send,
	.offer = far_offer,
	.pull = far_pull,
	.refuse = far_refuse,
	.peer_del = far_peer_del,
	.progress = far_progress,
	.reach = STN_REACH_ALL,
	.arm = far_arm,
	.waits = far_waits,
	.now = stn_machine_now,
};
