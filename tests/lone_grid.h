/*
 * lone_grid.h: a grid on a lone node (lone_node.h), for tests that call the
 * functions of parts themselves.
 */
#ifndef TESTS_LONE_GRID_H
#define TESTS_LONE_GRID_H

#include <stdlib.h>

#include "parts/array.h"

/* lone_grid: a grid of four parts; node 0 has the first two. Its gather has
 * reported, and its scheduling is no more than a byte. */
static inline struct stn_parts *
lone_grid(struct stn_node *node)
{
	struct stn_parts_service *service =
		stn_node_state(node, &stn_parts_service);
	const struct stn_grid grid = { .rows = 64,
				       .columns = 64,
				       .part_rows = 16,
				       .part_columns = 64,
				       .element = sizeof(double),
				       .halo = 1 };
	const struct stn_parts_create create = { .nodes = 2 };
	struct stn_parts *array = NULL;
	struct stn_shape shape;
	struct stn_why why;

	if (!stn_shape_init(&shape, &grid, &why))
		array = stn_array_create(service, &create, &shape);
	if (!array || stn_array_place(array, &why))
		abort();
	array->scheduling = calloc(1, 1);
	array->gather.reported = true;
	return array;
}

#endif
