#include "tests/transport/far_gateway.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "tests/transport/conformance.h"
#include "transport/far/uplink.h"
#include "launch/gateway/switch.h"

struct group {
	struct stn_switch hub;
	bool taken[NET_NODES];
	struct group *next;
};

struct connection {
	struct stn_port port; /* first: the switch refers to it */
	struct group *group;
	struct connection *next_gone;
};

static struct group *groups;
static struct connection *ended;
static int watching, listening;

static void
port_watch(void *arg, struct stn_port *port, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = port };

	(void)arg;
	epoll_ctl(watching, EPOLL_CTL_MOD, port->stream.fd, &event);
}

static void
port_lost(void *arg, struct stn_port *port, const char *how)
{
	struct connection *connection = (struct connection *)port;

	(void)arg;
	(void)how;
	stn_stream_fini(&port->stream);
	stn_switch_tell_lost(&connection->group->hub, port->rank);
	connection->next_gone = ended;
	ended = connection;
}

static const struct stn_switch_calls calls = {
	.lost = port_lost,
	.watch = port_watch,
};

/* Finds a group in which no node has this rank. */
static struct group *
group_for(uint32_t rank)
{
	static const uint32_t first[] = { 0, NET_NODES };
	struct group *group = groups;

	while (group && group->taken[rank])
		group = group->next;
	if (group)
		return group;
	group = calloc(1, sizeof(*group));
	if (!group || stn_switch_init(&group->hub, &calls, NULL, 0, 1) ||
	    stn_switch_set_layout(&group->hub, first))
		abort();
	group->next = groups;
	groups = group;
	return group;
}

static void
connect_node(int fd, uint32_t rank)
{
	struct connection *connection = calloc(1, sizeof(*connection));
	struct epoll_event event = { .data.ptr = connection };
	int on = 1;

	if (!connection)
		abort();
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	connection->group = group_for(rank);
	connection->group->taken[rank] = true;
	connection->port.rank = rank;
	epoll_ctl(watching, EPOLL_CTL_ADD, fd, &event);
	if (!stn_stream_init(&connection->port.stream, fd, NULL, NULL) ||
	    stn_switch_add(&connection->group->hub, &connection->port))
		abort();
}

/* The nodes of the tests send their handshake at once. */
static void
answer(int fd)
{
	unsigned char bytes[STN_HANDSHAKE_BYTES],
		said[STN_HANDSHAKE_ANSWER_BYTES];
	struct stn_handshake_answer fine = { .refused = false };
	struct stn_handshake handshake;

	stn_handshake_answer_write(said, &fine);
	if (recv(fd, bytes, sizeof(bytes), MSG_WAITALL) != sizeof(bytes) ||
	    stn_handshake_read(bytes, &handshake) ||
	    handshake.rank >= NET_NODES ||
	    send(fd, said, sizeof(said), MSG_NOSIGNAL) != sizeof(said))
		abort();
	connect_node(fd, handshake.rank);
}

static void
tidy(void)
{
	for (struct group *group = groups; group; group = group->next)
		stn_switch_flush(&group->hub);
	while (ended) {
		struct connection *connection = ended;

		ended = connection->next_gone;
		free(connection);
	}
}

static bool
is_gone(const void *connection)
{
	for (const struct connection *at = ended; at; at = at->next_gone)
		if (at == connection)
			return true;
	return false;
}

static void *
serve(void *arg)
{
	struct epoll_event events[16];

	for (;;) {
		int count = epoll_wait(watching, events, 16, -1);

		for (int i = 0; i < count; i++) {
			struct connection *connection = events[i].data.ptr;

			if (!connection)
				answer(accept(listening, NULL, NULL));
			else if (!is_gone(connection))
				stn_switch_ready(&connection->group->hub,
						 &connection->port,
						 events[i].events);
		}
		tidy();
	}
	return arg;
}

bool
far_gateway_start(void)
{
	static const unsigned char token[STN_TOKEN_BYTES];
	struct sockaddr_in address = { .sin_family = AF_INET };
	struct epoll_event event = { .events = EPOLLIN };
	char text[STN_GATEWAY_BYTES], address_text[32];
	const char *const addresses[] = { address_text };
	socklen_t bytes = sizeof(address);
	pthread_t thread;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	watching = epoll_create1(EPOLL_CLOEXEC);
	if (bind(listening, (struct sockaddr *)&address, bytes) ||
	    listen(listening, 64) ||
	    getsockname(listening, (struct sockaddr *)&address, &bytes) ||
	    epoll_ctl(watching, EPOLL_CTL_ADD, listening, &event))
		return false;
	snprintf(address_text, sizeof(address_text), "127.0.0.1:%u",
		 ntohs(address.sin_port));
	return !stn_uplink_write(text, token, addresses, 1) &&
	       !setenv(STN_GATEWAY, text, 1) &&
	       !pthread_create(&thread, NULL, serve, NULL);
}
