#include "node/membership_send.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/membership_tree.h"

/* A message with a payload, on its way to one or more nodes. */
struct outgoing {
	struct stn_node *node;
	uint32_t view;
	uint32_t users;
	unsigned char payload[];
};

void
stn_membership_must_arrive(struct stn_node *node, enum stn_err err)
{
	stn_node_must_arrive(node, "a message about the nodes of the run", err);
}

static void
outgoing_left(void *arg, enum stn_err err)
{
	struct outgoing *outgoing = arg;

	stn_membership_must_arrive(outgoing->node, err);
	if (!--outgoing->users)
		free(outgoing);
}

/* A message to be sent by outgoing_send, and dropped by outgoing_left. */
static struct outgoing *
outgoing_create(struct stn_node *node, uint32_t view, const void *payload,
		size_t bytes)
{
	struct outgoing *outgoing = malloc(sizeof(*outgoing) + bytes);

	if (!outgoing)
		stn_node_fail(node, "out of memory");
	outgoing->node = node;
	outgoing->view = view;
	outgoing->users = 1;
	if (bytes)
		memcpy(outgoing->payload, payload, bytes);
	return outgoing;
}

static void
outgoing_send(struct outgoing *outgoing, uint32_t to, uint8_t kind,
	      size_t bytes)
{
	struct iovec piece = { outgoing->payload, bytes };

	outgoing->users++;
	stn_node_send(outgoing->node, to, kind, &outgoing->view,
		      sizeof(outgoing->view), &piece, bytes ? 1 : 0,
		      outgoing_left, outgoing);
}

void
stn_membership_send(struct stn_node *node, uint32_t to, uint8_t kind,
		    uint32_t view, const void *payload, size_t bytes)
{
	struct outgoing *outgoing = outgoing_create(node, view, payload, bytes);

	outgoing_send(outgoing, to, kind, bytes);
	outgoing_left(outgoing, STN_OK);
}

uint32_t
stn_membership_spread(struct stn_node *node, uint8_t kind, uint32_t view,
		      const void *payload, size_t bytes)
{
	uint32_t children[STN_MEMBERSHIP_CHILDREN];
	uint32_t count = stn_membership_children(&node->members, node->rank,
						 node->cluster, children);
	struct outgoing *outgoing = outgoing_create(node, view, payload, bytes);

	for (uint32_t i = 0; i < count; i++)
		outgoing_send(outgoing, children[i], kind, bytes);
	outgoing_left(outgoing, STN_OK);
	return count;
}
