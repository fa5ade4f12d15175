/*
 * array_check.c: whether the machine has memory for an array, and mistakes that
 * end the run.
 */
#include <unistd.h>

#include "node/node.h"
#include "parts/array.h"
#include "steal/virtual_cost.h"

bool
stn_array_fits(const struct stn_parts *array, uint64_t parts)
{
	uint64_t bytes = stn_memory_bytes(&array->shape);
	uint64_t nodes = array->service->node->start.local_nodes;
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			   (uint64_t)sysconf(_SC_PAGESIZE);

	return array->shape.hollow ||
	       bytes * array->shape.colours <
		       machine / (nodes + !nodes) / (parts + !parts);
}

#define COPIES_MOST 5 /* layers, and two copies of each of two versions */

bool
stn_array_can_copy(const struct stn_node *node, const struct stn_shape *shape)
{
	uint64_t parts = stn_shape_parts(shape) / node->members.living + 1;
	uint64_t nodes = node->start.local_nodes + !node->start.local_nodes;
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			   (uint64_t)sysconf(_SC_PAGESIZE);

	/* The records of cells are divided anew by each cut. */
	if (stn_shape_is_cells(shape))
		return shape->size[2] * shape->element * COPIES_MOST <
		       machine / nodes * node->members.living;
	return stn_cost_hollow(node) ||
	       stn_memory_bytes(shape) * shape->colours * COPIES_MOST <
		       machine / nodes / parts;
}

void
stn_array_no_memory(const struct stn_parts *array)
{
	stn_node_fail(array->service->node, "out of memory");
}

void
stn_array_shared(const struct stn_parts *array)
{
	stn_node_fail(array->service->node,
		      "two tasks use a grid at the same time");
}

void
stn_array_check_grid(const struct stn_parts *array)
{
	if (array->cells)
		stn_node_fail(array->service->node, "cells are used as a grid");
}
