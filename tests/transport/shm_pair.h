/*
 * shm_pair.h: two nodes that communicate by shared memory, and counts of how
 * their messages ended.
 */
#ifndef TESTS_TRANSPORT_SHM_PAIR_H
#define TESTS_TRANSPORT_SHM_PAIR_H

#include <string.h>

#include "tests/tap.h"
#include "transport/shm/shm.h"
#include "transport/shm/shm_send.h"

#define NODES 2
#define LARGE ((size_t)1 << 20)

/* Read in several calls of progress. */
#define READ_BYTES (SHM_SHORT_BYTES + SHM_READ_BYTES + 12345)

static unsigned char memory[READ_BYTES], landing[READ_BYTES];

struct node {
	struct stn_topology topology;
	struct stn_transport *transport;
	unsigned seen, malformed, dead;
	unsigned sent, done, lost, taken;
};

static inline void
count_done(void *arg, enum stn_err err)
{
	struct node *node = arg;

	node->done++;
	node->lost += err == STN_LOST;
}

static inline void
count_taken(void *arg, enum stn_err err)
{
	struct node *node = arg;

	node->taken += !err;
}

static inline void
handle(void *arg, const struct stn_message *message)
{
	struct node *node = arg;
	size_t part = message->payload_bytes / 3;
	struct iovec pieces[] = {
		{ landing, part },
		{ landing + part, message->payload_bytes - part },
	};

	if (!message->kind) {
		node->malformed++;
		return;
	}
	node->seen++;
	stn_transport_take(node->transport, message, pieces, 2, count_taken,
			   node);
}

static inline void
on_peer_event(void *arg, uint32_t rank, enum stn_peer_state state,
	      const char *how)
{
	struct node *node = arg;

	(void)rank;
	(void)how;
	node->dead += state == STN_PEER_DEAD;
}

static inline bool
node_open_by(struct node *node, uint32_t rank, const char *transport)
{
	struct stn_opening opening = {
		.topology = &node->topology,
		.rank = rank,
		.provider = "auto",
		.handler = handle,
		.peer_event = on_peer_event,
		.arg = node,
	};
	struct stn_why why = { "" };

	memset(node, 0, sizeof(*node));
	node->topology.nodes = NODES;
	node->topology.clusters = 1;
	if (!stn_transport_open(transport, &opening, &node->transport, &why))
		return true;
	printf("# %s\n", why.text);
	return false;
}

static inline bool
node_open(struct node *node, uint32_t rank)
{
	return node_open_by(node, rank, "shm");
}

static inline void
node_close(struct node *node)
{
	stn_transport_close(node->transport, 0);
	node->transport = NULL;
}

static inline struct shm *
shm_inside(struct node *node)
{
	return (struct shm *)node->transport;
}

static inline enum stn_err
connect_to(struct node *node, uint32_t rank, const unsigned char *address,
	   size_t bytes, struct stn_why *why)
{
	why->text[0] = '\0';
	return stn_transport_connect(node->transport, rank, address, bytes,
				     why);
}

/* Opens two nodes in this process, and connects them. */
static inline bool
pair_open(struct node nodes[NODES])
{
	unsigned char address[STN_ADDRESS_BYTES];
	struct stn_why why;
	bool met = node_open(&nodes[0], 0) && node_open(&nodes[1], 1);

	for (uint32_t i = 0; met && i < NODES; i++) {
		size_t bytes =
			stn_transport_address(nodes[i].transport, address);

		met = !connect_to(&nodes[!i], i, address, bytes, &why);
	}
	return met;
}

static inline void
pair_close(struct node nodes[NODES])
{
	node_close(&nodes[0]);
	node_close(&nodes[1]);
}

static inline void
post(struct node *node, uint32_t to, size_t bytes)
{
	/*
	 * In two pieces: a large payload in pieces is streamed instead of read
	 * directly.
	 */
	struct iovec pieces[] = { { memory, bytes / 2 },
				  { memory + bytes / 2, bytes - bytes / 2 } };

	node->sent++;
	stn_transport_send(node->transport, to, 1, "head", 4, pieces, 2,
			   count_done, node);
}

static inline void
settle(struct node *node)
{
	while (stn_transport_progress(node->transport))
		continue;
}

#endif
