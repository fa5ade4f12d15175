#include "parts/cells/give.h"

#include "parts/array.h"
#include "parts/cells/rows.h"

void
stn_give_pack(struct stn_parts *array, const struct stn_given *given,
	      struct stn_parcels *parcels)
{
	stn_rows_pack(array, given->keys, given->order, given->count,
		      given->records, parcels);
}

void
stn_give_begin(struct stn_parts *array)
{
	struct stn_parcels parcels = SLIST_HEAD_INITIALIZER(parcels);
	const struct stn_operation *operation = &array->operation;
	struct stn_given *given;

	if (!stn_cells_called_here(array))
		return;
	given = stn_given_find(array->cells,
			       stn_cells_plan_of(&operation->order));
	if (!given)
		stn_node_fail(array->service->node,
			      "all copies of a part of an array of cells are "
			      "lost, and the records that it was given "
			      "(STN_CELLS_PUT) can't be given again; use more "
			      "nodes or clusters");
	/* At first the caller sends them. */
	if (!given->end) {
		given->end = operation->base + 1;
		return;
	}
	stn_give_pack(array, given, &parcels);
	given->sent = true;
	stn_rows_send(array, &parcels);
}
