#include "parts/cells/cells_revive.h"

#include <string.h>

#include "parts/array.h"
#include "parts/cells/cells_homes.h"
#include "parts/cells/cells_join.h"
#include "parts/cells/plans.h"

uint32_t
stn_cells_stored_parts(const struct stn_stored_read *read)
{
	size_t parts = read->plans[0].bytes / sizeof(struct stn_leaf);

	return parts < INT32_MAX ? (uint32_t)parts : 0;
}

void
stn_cells_rehome(const struct stn_parts *array,
		 const struct stn_stored_read *read)
{
	stn_cells_choose_homes(array, (struct stn_leaf *)read->plans[0].payload,
			       stn_cells_stored_parts(read),
			       array->cells->records);
}

/* The plan is of this run now, and no node has another revision of it. */
static enum stn_err
add_plan(struct stn_parts *array, const struct stn_stored_plan *stored)
{
	struct stn_block *store = stn_block_landing(stored->bytes);
	struct stn_parts_plan header = stored->header;
	const struct stn_plan *plan = NULL;

	header.array = array->id;
	header.view = array->service->view;
	header.revised = 0;
	if (store) {
		memcpy(store->data, stored->payload, stored->bytes);
		plan = stn_plans_add(array->cells, &header, store);
	}
	stn_block_release(store);
	return plan ? STN_OK : STN_NO_MEMORY;
}

static enum stn_err
set_homes(struct stn_parts *array, const struct stn_stored_read *read)
{
	const struct stn_leaf *leaves = read->plans[0].payload;
	uint32_t parts = stn_cells_stored_parts(read);

	array->homes.count = 0;
	for (uint32_t i = 0; i < parts; i++)
		if (stn_homes_add(&array->homes, i, leaves[i].home, 0))
			return STN_NO_MEMORY;
	return STN_OK;
}

enum stn_err
stn_cells_revive(struct stn_parts *array, const struct stn_stored_read *read)
{
	enum stn_err err = set_homes(array, read);

	for (uint32_t i = 0; !err && i < read->head.plans; i++)
		err = add_plan(array, &read->plans[i]);
	if (err)
		return err;
	stn_cells_recount(array);
	stn_cells_return(array);
	return STN_OK;
}

void
stn_cells_unrevive(struct stn_parts *array)
{
	array->homes.count = 0;
	array->nodes = 0;
	stn_cells_recount(array);
	stn_cells_return(array);
}
