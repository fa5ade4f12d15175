/*
 * mortal_node.c: a node's process. It sleeps when it has nothing to do, like
 * the runtime's progress thread, and wakes up for orders and messages.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signal.h>
#include <sys/socket.h>
#include <time.h>

#include "tests/transport/mortal.h"

#define KIND 9
#define CONTENT 0x5a
#define MOST_BYTES ((size_t)1 << 20) /* of a payload */
#define OPERATIONS 4096		     /* most operations under way */
#define CLOSE_NS (5 * STN_SECOND_NS)

struct node;

/*
 * A send. It is used again as late as possible, so that a second end is
 * noticed.
 */
struct operation {
	struct node *node;
	struct operation *next;
	uint32_t to;
	bool under_way;
	uint64_t bytes; /* the message's header */
};

struct taking {
	struct node *node;
	uint32_t from;
	size_t bytes;
	unsigned char memory[];
};

struct node {
	const struct mortal_plan *plan;
	struct stn_topology topology;
	uint32_t rank;
	int control;
	struct stn_transport *transport;
	struct mortal_report report;
	struct mortal_command awaited; /* of order MORTAL_CONNECT if none */
	struct mortal_command streams[MORTAL_NODES]; /* of count 0 if none */
	unsigned under_way[MORTAL_NODES];
	struct operation operations[OPERATIONS], *free, **last;
	unsigned char payload[MOST_BYTES];
};

static bool
dead(const struct node *node, uint32_t rank)
{
	return node->report.of[rank].events[STN_PEER_DEAD];
}

static void
ended(void *arg, enum stn_err err)
{
	struct operation *operation = arg;
	struct node *node = operation->node;
	struct mortal_seen *seen = &node->report.of[operation->to];

	if (!operation->under_way) {
		node->report.wrong |= MORTAL_TWICE;
		return;
	}
	operation->under_way = false;
	node->under_way[operation->to]--;
	seen->ok += err == STN_OK;
	seen->lost += err == STN_LOST;
	seen->cancelled += err == STN_CANCELLED;
	if (err && err != STN_LOST && err != STN_CANCELLED)
		node->report.wrong |= MORTAL_UNEXPECTED;
	operation->next = NULL;
	*node->last = operation;
	node->last = &operation->next;
}

static bool
post(struct node *node, uint32_t to, size_t bytes)
{
	struct operation *operation = node->free;
	struct iovec piece = { node->payload, bytes };

	if (!operation)
		return false;
	node->free = operation->next;
	if (!node->free)
		node->last = &node->free;
	operation->to = to;
	operation->bytes = bytes;
	operation->under_way = true;
	node->under_way[to]++;
	node->report.of[to].posted++;
	stn_transport_send(node->transport, to, KIND, &operation->bytes,
			   sizeof(operation->bytes), &piece, 1, ended,
			   operation);
	return true;
}

static void
taken(void *arg, enum stn_err err)
{
	struct taking *taking = arg;
	struct node *node = taking->node;

	node->report.of[taking->from].taken++;
	if (!err && memcmp(taking->memory, node->payload, taking->bytes))
		node->report.wrong |= MORTAL_GARBLED;
	free(taking);
}

static void
handle(void *arg, const struct stn_message *message)
{
	struct node *node = arg;
	struct taking *taking;
	struct iovec piece;
	uint64_t bytes;

	if (dead(node, message->from))
		node->report.wrong |= MORTAL_FROM_DEAD;
	if (message->kind != KIND || message->header_bytes != sizeof(bytes)) {
		node->report.wrong |= MORTAL_UNEXPECTED;
		stn_transport_refuse(node->transport, message);
		return;
	}
	memcpy(&bytes, message->header, sizeof(bytes));
	if (bytes != message->payload_bytes)
		node->report.wrong |= MORTAL_GARBLED;
	node->report.of[message->from].handled++;
	taking = calloc(1, sizeof(*taking) + message->payload_bytes);
	if (!taking)
		abort();
	taking->node = node;
	taking->from = message->from;
	taking->bytes = message->payload_bytes;
	piece = (struct iovec){ taking->memory, taking->bytes };
	stn_transport_take(node->transport, message, &piece, 1, taken, taking);
}

/* A send to a dead node must end at once, even inside the event's handler. */
static void
test_death(struct node *node, uint32_t rank)
{
	unsigned lost = node->report.of[rank].lost;

	post(node, rank, 100);
	post(node, rank, MOST_BYTES);
	if (node->report.of[rank].lost != lost + 2)
		node->report.wrong |= MORTAL_ACCEPTED;
}

static void
on_peer_event(void *arg, uint32_t rank, enum stn_peer_state state,
	      const char *how)
{
	struct node *node = arg;
	struct mortal_seen *seen = &node->report.of[rank];

	if (dead(node, rank))
		node->report.wrong |= MORTAL_REPEATED;
	seen->events[state]++;
	snprintf(seen->how, sizeof(seen->how), "%s", how);
	if (state == STN_PEER_DEAD)
		test_death(node, rank);
}

static void
send_to_test(struct node *node, const void *what, size_t bytes)
{
	if (send(node->control, what, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
		exit(EXIT_FAILURE); /* the test has ended */
}

static enum stn_err
open_endpoint(struct node *node)
{
	const char *const *places = node->plan->places;
	struct stn_opening opening = {
		.topology = &node->topology,
		.rank = node->rank,
		.provider = node->plan->provider,
		.device = places ? places[node->rank] : NULL,
		.address = places ? places[node->rank] : "127.0.0.1",
		.silence_ns = node->plan->silence_ns,
		.handler = handle,
		.peer_event = on_peer_event,
		.arg = node,
	};
	struct mortal_hello hello = { .err = STN_OK };

	hello.err = stn_transport_open(node->plan->transport, &opening,
				       &node->transport, &hello.why);
	if (!hello.err)
		hello.address.bytes = stn_transport_address(
			node->transport, hello.address.address);
	send_to_test(node, &hello, sizeof(hello));
	return hello.err;
}

static void
connect_all(struct node *node, const struct mortal_command *command)
{
	for (uint32_t i = 0; i < node->plan->nodes; i++) {
		const struct mortal_address *at = &command->addresses[i];
		struct stn_why why;

		if (i != node->rank &&
		    stn_transport_connect(node->transport, i, at->address,
					  at->bytes, &why)) {
			printf("# node %u: %s\n", node->rank, why.text);
			exit(EXIT_FAILURE);
		}
	}
}

static bool
awaited_happened(const struct node *node)
{
	const struct mortal_command *awaited = &node->awaited;
	const struct mortal_seen *seen = &node->report.of[awaited->rank];

	switch (awaited->order) {
	case MORTAL_EVENT:
		/* Operations with the dead node must have ended, too. */
		return seen->events[awaited->state] >= awaited->count &&
		       (awaited->state != STN_PEER_DEAD ||
			!node->under_way[awaited->rank]);
	case MORTAL_HANDLED:
		return seen->taken >= awaited->count;
	case MORTAL_ENDED:
		return seen->ok + seen->lost + seen->cancelled >=
		       awaited->count;
	default:
		return false;
	}
}

static void
post_burst(struct node *node, const struct mortal_command *command)
{
	for (unsigned i = 0; i < command->count; i++)
		while (!post(node, command->rank, command->bytes))
			stn_transport_progress(node->transport);
}

static bool
obey_order(struct node *node)
{
	struct mortal_command command;

	if (recv(node->control, &command, sizeof(command), 0) !=
		    sizeof(command) ||
	    command.order == MORTAL_QUIT)
		return false;
	switch (command.order) {
	case MORTAL_CONNECT:
		connect_all(node, &command);
		break;
	case MORTAL_SEND:
		post_burst(node, &command);
		break;
	case MORTAL_STREAM:
		node->streams[command.rank] = command;
		break;
	case MORTAL_FREEZE:
		return obey_order(node);
	default:
		node->awaited = command;
	}
	return true;
}

/*
 * Posts from a loop rather than from done functions, which may be called at
 * once; so few per call that progress comes in between.
 */
static unsigned
post_streams(struct node *node)
{
	unsigned did = 0;

	for (uint32_t i = 0; i < node->plan->nodes; i++) {
		const struct mortal_command *stream = &node->streams[i];

		for (unsigned j = 0; j < stream->count && !dead(node, i) &&
				     node->under_way[i] < stream->count;
		     j++, did++)
			if (!post(node, i, stream->bytes))
				break;
	}
	return did;
}

/* Waits for an order or for work; true for an order. */
static bool
wait_for_work(struct node *node, bool busy)
{
	struct pollfd fds[] = {
		{ .fd = node->control, .events = POLLIN },
		{ .fd = stn_transport_fd(node->transport), .events = POLLIN },
		{ .fd = stn_transport_ends(node->transport), .events = POLLIN },
	};
	uint64_t ns = busy ? STN_NOT_NOW : stn_transport_arm(node->transport);
	struct timespec time = { (time_t)(ns / STN_SECOND_NS),
				 (long)(ns % STN_SECOND_NS) };

	ppoll(fds, 3, ns == STN_FOREVER ? NULL : &time, NULL);
	if (fds[2].revents)
		stn_transport_look(node->transport);
	return fds[0].revents;
}

static void
serve(struct node *node)
{
	bool busy = true;

	while (!wait_for_work(node, busy) || obey_order(node)) {
		busy = stn_transport_progress(node->transport);
		busy = post_streams(node) || busy;
		if (awaited_happened(node)) {
			node->awaited.order = MORTAL_CONNECT;
			send_to_test(node, &node->report, sizeof(node->report));
		}
	}
}

int
mortal_node(const struct mortal_plan *plan, uint32_t rank, int control)
{
	struct node *node = calloc(1, sizeof(*node));

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!node)
		abort();
	node->plan = plan;
	node->topology.nodes = plan->nodes;
	node->topology.clusters = 1;
	node->rank = rank;
	node->control = control;
	node->last = &node->free;
	for (size_t i = 0; i < OPERATIONS; i++) {
		node->operations[i].node = node;
		*node->last = &node->operations[i];
		node->last = &node->operations[i].next;
	}
	memset(node->payload, CONTENT, sizeof(node->payload));
	if (!open_endpoint(node)) {
		serve(node);
		stn_transport_close(node->transport, CLOSE_NS);
		send_to_test(node, &node->report, sizeof(node->report));
	}
	free(node);
	return EXIT_SUCCESS;
}
