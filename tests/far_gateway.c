#include "tests/far_gateway.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "tests/conformance.h"
#include "transport/wan/door.h"
#include "transport/wan/switch.h"

struct group {
	struct stn_switch hub;
	bool taken[NET_NODES];
	struct group *next;
};

struct seat {
	struct stn_port port; /* first: the switch knows it by that */
	struct group *group;
	struct seat *next_gone;
};

static struct group *groups;
static struct seat *gone;
static int watching, listening;

static void
port_watch(void *arg, struct stn_port *port, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = port };

	(void)arg;
	epoll_ctl(watching, EPOLL_CTL_MOD, port->line.fd, &event);
}

static void
port_lost(void *arg, struct stn_port *port, const char *how)
{
	struct seat *seat = (struct seat *)port;

	(void)arg;
	(void)how;
	stn_line_fini(&port->line);
	stn_switch_tell_lost(&seat->group->hub, port->rank);
	seat->next_gone = gone;
	gone = seat;
}

static const struct stn_switch_calls calls = {
	.lost = port_lost,
	.watch = port_watch,
};

/* Where the rank has not been yet. */
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
	    stn_switch_plan(&group->hub, first))
		abort();
	group->next = groups;
	groups = group;
	return group;
}

static void
seat_node(int fd, uint32_t rank)
{
	struct seat *seat = calloc(1, sizeof(*seat));
	struct epoll_event event = { .data.ptr = seat };
	int on = 1;

	if (!seat)
		abort();
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	seat->group = group_for(rank);
	seat->group->taken[rank] = true;
	seat->port.rank = rank;
	epoll_ctl(watching, EPOLL_CTL_ADD, fd, &event);
	if (!stn_line_init(&seat->port.line, fd, NULL, NULL) ||
	    stn_switch_add(&seat->group->hub, &seat->port))
		abort();
}

/* Nodes of tests say at once what they want. */
static void
answer(int fd)
{
	unsigned char bytes[STN_KNOCK_BYTES], said[STN_ANSWER_BYTES];
	struct stn_answer fine = { .refused = false };
	struct stn_knock knock;

	stn_answer_write(said, &fine);
	if (recv(fd, bytes, sizeof(bytes), MSG_WAITALL) != sizeof(bytes) ||
	    stn_knock_read(bytes, &knock) || knock.rank >= NET_NODES ||
	    send(fd, said, sizeof(said), MSG_NOSIGNAL) != sizeof(said))
		abort();
	seat_node(fd, knock.rank);
}

static void
tidy(void)
{
	for (struct group *group = groups; group; group = group->next)
		stn_switch_flush(&group->hub);
	while (gone) {
		struct seat *seat = gone;

		gone = seat->next_gone;
		free(seat);
	}
}

static bool
is_gone(const void *seat)
{
	for (const struct seat *at = gone; at; at = at->next_gone)
		if (at == seat)
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
			struct seat *seat = events[i].data.ptr;

			if (!seat)
				answer(accept(listening, NULL, NULL));
			else if (!is_gone(seat))
				stn_switch_ready(&seat->group->hub, &seat->port,
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
	char text[STN_GATEWAY_BYTES], place[32];
	const char *const places[] = { place };
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
	snprintf(place, sizeof(place), "127.0.0.1:%u", ntohs(address.sin_port));
	return !stn_door_write(text, token, places, 1) &&
	       !setenv(STN_GATEWAY, text, 1) &&
	       !pthread_create(&thread, NULL, serve, NULL);
}
