#include "parts/create.h"

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/survive/copies.h"
#include "parts/survive/revive.h"
#include "parts/survive/store.h"
#include "parts/survive/unkept.h"

struct stn_grid
stn_grid_of(const struct stn_parts_create *create)
{
	return (struct stn_grid){
		.planes = create->planes,
		.rows = create->rows,
		.columns = create->columns,
		.element = create->element,
		.number = create->number,
		.halo = create->halo,
		.copies = create->copies,
		.colours = create->colours,
		.block = create->block,
		.part_planes = create->part_planes,
		.part_rows = create->part_rows,
		.part_columns = create->part_columns,
		.star = create->star,
		.periodic = create->periodic,
		.progress = create->progress,
	};
}

static bool
is_maker(const struct stn_parts_service *service,
	 const struct stn_parts_create *create)
{
	const struct stn_node *node = service->node;

	return create->array.rank == STN_OF_MAIN
		       ? node->rank == node->members.root
		       : create->array.rank == node->rank + 1;
}

enum stn_err
stn_create(struct stn_parts_service *service,
	   const struct stn_parts_create *create)
{
	struct stn_parts *array = NULL;
	struct stn_grid grid = stn_grid_of(create);
	struct stn_shape shape;
	struct stn_why why;

	if (stn_shape_init(&shape, &grid, &why))
		return STN_MALFORMED;
	/*
	 * The caller's node has made its array already; after a view another
	 * node may have, too. The search takes long if there are many arrays.
	 */
	if (service->view || is_maker(service, create))
		array = stn_array_find(service, create->array);
	if (array && array->scheduling)
		return STN_OK;
	if (!array)
		array = stn_array_create(service, create, &shape);
	else
		stn_revive_undo(array);
	if (!array || stn_array_spread(array, &service->node->members))
		stn_node_fail(service->node, "out of memory");
	array->id = create->array;
	array->create = *create;
	array->done = false; /* it is true if a view has made this node forget
			      * the array (restore.c) */
	array->copies.wanted = create->copied & STN_COPIED_IN_MEMORY;
	stn_store_create(array);
	stn_unkept_created(array);
	stn_revive_create(array);
	return STN_OK;
}
