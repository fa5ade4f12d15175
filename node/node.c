#include "node/node.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emul/sim.h"

uint64_t
stn_node_now(const struct stn_node *node)
{
	return node->sim ? stn_sim_now(node->sim)
			 : stn_transport_now(node->transport);
}

void *
stn_node_state(const struct stn_node *node, const struct stn_service *service)
{
	size_t number = 0;

	while (node->services[number] != service)
		number++;
	return node->states[number];
}

const struct stn_kind *
stn_node_kind(const struct stn_node *node, uint8_t number)
{
	unsigned place =
		number < STN_KINDS_MOST ? node->service_of[number] : 0;
	const struct stn_kind *kind;

	if (!place)
		return NULL;
	kind = node->services[place - 1]->kinds;
	while (kind->number != number)
		kind++;
	return kind;
}

bool
stn_node_is_wide(const struct stn_node *node, uint32_t other)
{
	/* Most messages stay in the cluster, whose ranks are consecutive. */
	if (other - node->cluster_first < node->cluster_early)
		return false;
	return !node->topology->late ||
	       stn_cluster_of(node->topology, other) != node->cluster;
}

void
stn_node_hint(struct stn_node *node, const void *memory, size_t bytes)
{
	if (node->sim)
		stn_sim_hint(node->sim, node->rank, memory, bytes);
}

void
stn_node_aside(struct stn_node *node, void (*call)(void *arg), void *arg)
{
	if (node->sim)
		stn_sim_aside(node->sim, call, arg);
	else
		call(arg);
}

static _Noreturn void
node_fail(struct stn_node *node, uint32_t missed, const char *format,
	  va_list list)
{
	struct stn_why why;
	char text[300];

	vsnprintf(text, sizeof(text), format, list);
	if (node->topology->nodes > 1)
		stn_because(&why, STN_IO, "node %" PRIu32 ": %s", node->rank,
			    text);
	else
		stn_because(&why, STN_IO, "%s", text);
	node->start.host.fail(node->start.host.arg, missed, why.text);
	abort(); /* the host ends the process */
}

void
stn_node_fail(struct stn_node *node, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	node_fail(node, STN_NOBODY, format, list);
}

void
stn_node_miss(struct stn_node *node, uint32_t missed, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	node_fail(node, missed, format, list);
}
