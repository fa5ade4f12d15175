/*
 * A file of its own, because dispatch.c calls this function, and membership.c
 * sends its messages through dispatch.c.
 */
#include "node/membership.h"

#include <inttypes.h>

void
stn_membership_miss(struct stn_node *node, uint32_t rank, const char *how)
{
	/* What this node has lost follows, and ends the run. */
	if (rank == node->rank && !node->start.host.suspect)
		return;
	if (!node->start.host.suspect)
		stn_node_miss(node, rank, "node %" PRIu32 " is gone: %s", rank,
			      how);
	node->start.host.suspect(node->start.host.arg, rank, how);
}
