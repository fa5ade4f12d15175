/*
 * array_fail.c: ends the run because of an array.
 */
#include "node/node.h"
#include "parts/array.h"

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
