#include "node/membership.h"

#include <inttypes.h>

#include "node/sleep.h"

void
stn_membership_died(struct stn_node *node, uint32_t rank, const char *how)
{
	for (size_t i = 0; node->services[i]; i++)
		if (!node->services[i]->died)
			stn_node_miss(node, rank,
				      "node %" PRIu32 " is gone: %s", rank,
				      how);
	for (size_t i = 0; node->services[i]; i++)
		node->services[i]->died(node->states[i], rank);
	stn_node_wake(node);
}

void
stn_membership_left(struct stn_node *node, uint32_t rank)
{
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->left)
			node->services[i]->left(node->states[i], rank);
	stn_node_wake(node);
}

void
stn_membership_joined(struct stn_node *node, uint32_t rank)
{
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->joined)
			node->services[i]->joined(node->states[i], rank);
	stn_node_wake(node);
}
