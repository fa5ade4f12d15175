/*
 * members.c: a gateway reads what its cluster's nodes send, and sends them
 * frames. The cluster is the first of the run's two, and has two nodes. The test
 * holds the other ends of their control connections. There is no trunk.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/tap.h"
#include "launch/gateway/gateway_private.h"

#define NODES 2

static int ends[NODES];

static void
fail_silently(struct gateway *gateway, const char *reason)
{
	(void)gateway;
	(void)reason;
}

static const struct membership_calls membership_calls = {
	.fence = gateway_nodes_fence,
	.fewer = gateway_release,
};

static void
open_member(struct gateway *gateway, uint32_t rank)
{
	const int small = 4096;
	struct member *member = calloc(1, sizeof(*member));
	int pair[2];

	if (!member || socketpair(AF_UNIX,
				  SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
				  pair))
		abort();
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	if (!stn_stream_init(&member->stream, pair[0], NULL, NULL))
		abort();
	member->rank = rank;
	gateway->members.by_rank[rank] = member;
	ends[rank] = pair[1];
}

/* The run has begun, and survives deaths. */
static struct gateway *
begin(void)
{
	static const uint32_t first[] = { 0, NODES, NODES + 1 };
	static struct cluster clusters[2];
	static struct gateway gateway;
	static const struct stn_gateway_options options = {
		.run = "test",
		.cluster = "own",
		.clusters = 2,
	};
	struct members *members = &gateway.members;
	struct stn_why why;

	clusters[0] = (struct cluster){ .name = "own", .size = NODES };
	clusters[1] = (struct cluster){ .name = "other", .size = 1 };
	gateway = (struct gateway){
		.options = &options,
		.failure.declared_call = fail_silently,
		.membership.calls = &membership_calls,
		.clusters = clusters,
		.known = 2,
	};
	members->by_rank = calloc(NODES, sizeof(members->by_rank[0]));
	if (gateway_loop_init(&gateway.loop, &gateway, &why) ||
	    stn_switch_init(&gateway.hub, &gateway_switch_calls, &gateway, 0,
			    2) ||
	    stn_switch_set_layout(&gateway.hub, first) || !members->by_rank ||
	    stn_wireup_server_init(&members->server, NODES,
				   gateway_take_server_frame, &gateway))
		abort();
	members->size = members->present = NODES;
	for (uint32_t i = 0; i < NODES; i++)
		open_member(&gateway, i);
	members->layout_known = true;
	gateway_membership_open(&gateway);
	gateway_nodes_open(&gateway);
	gateway.membership.begun = true;
	return &gateway;
}

static void
end(struct gateway *gateway)
{
	gateway_nodes_close(gateway);
	gateway_fini_members(gateway);
	gateway_membership_close(gateway);
	stn_switch_fini(&gateway->hub);
	gateway_loop_fini(&gateway->loop);
	for (int i = 0; i < NODES; i++)
		close(ends[i]);
}

static void
suspect(uint32_t rank, uint32_t suspect)
{
	if (stn_wireup_frame_send(ends[rank], STN_WIREUP_SUSPECT, &suspect,
				  sizeof(suspect)))
		abort();
}

/* Both frames have come before the gateway handles one of them. */
static void
test_suspicions(void)
{
	struct gateway *gateway = begin();
	char byte;

	suspect(0, 1);
	suspect(1, 0);
	gateway_member_ready(gateway, &gateway->members.by_rank[0]->watch,
			     EPOLLIN);
	tap_ok(!gateway->failure.declared && !gateway->members.by_rank[1] &&
		       !recv(ends[1], &byte, sizeof(byte), 0),
	       "two nodes suspect each other: the gateway ends a connection");
	end(gateway);
}

/*
 * Reads the next frame that the gateway sends node @rank, and lets the gateway
 * write on. True if it has this type and a body of @size bytes, all @letter.
 */
static bool
gets(struct gateway *gateway, uint32_t rank, struct stn_bytes *heard,
     enum stn_wireup_frame_type type, size_t size, char letter)
{
	struct stn_wireup_frame frame;
	enum stn_err err;
	bool good;

	while ((err = stn_wireup_frame_parse(heard, STN_WIREUP_FROM_LAUNCHER,
					     &frame)) == STN_MISSING) {
		size_t before = stn_bytes_count(heard);

		gateway_member_ready(gateway,
				     &gateway->members.by_rank[rank]->watch,
				     EPOLLOUT);
		if (stn_bytes_read(heard, ends[rank]) ||
		    stn_bytes_count(heard) == before)
			return false;
	}
	good = !err && frame.head.type == type && frame.head.size == size;
	for (size_t i = 0; good && i < size; i++)
		good = frame.body[i] == letter;
	if (!err)
		stn_wireup_frame_drop(heard, &frame);
	return good;
}

static char *
body_of(size_t size, char letter)
{
	char *body = malloc(size);

	if (!body)
		abort();
	return memset(body, letter, size);
}

/* More bytes than a socket takes. */
#define LONG 1000000
#define SHORT 64

/* No node reads before all has been sent. */
static void
test_order(void)
{
	struct gateway *gateway = begin();
	struct stn_bytes heard[NODES] = { { NULL }, { NULL } };
	char *peers = body_of(LONG, 'p'), *view = body_of(SHORT, 'v');

	gateway_members_tell(gateway, STN_WIREUP_PEERS, peers, LONG);
	gateway_tell_member(gateway, 0, STN_WIREUP_VIEW, view, SHORT);
	gateway_members_tell(gateway, STN_WIREUP_GO, "", 0);
	tap_ok(gets(gateway, 0, &heard[0], STN_WIREUP_PEERS, LONG, 'p') &&
		       gets(gateway, 0, &heard[0], STN_WIREUP_VIEW, SHORT, 'v'),
	       "a view follows a broadcast that is under way");
	tap_ok(gets(gateway, 0, &heard[0], STN_WIREUP_GO, 0, 0),
	       "so does GO, behind the view");
	tap_ok(gets(gateway, 1, &heard[1], STN_WIREUP_PEERS, LONG, 'p') &&
		       gets(gateway, 1, &heard[1], STN_WIREUP_GO, 0, 0),
	       "and where there is no view, GO follows the broadcast itself");
	for (int i = 0; i < NODES; i++)
		stn_bytes_fini(&heard[i]);
	free(peers);
	free(view);
	end(gateway);
}

int
main(void)
{
	tap_begin();
	test_suspicions();
	test_order();
	return tap_end();
}
