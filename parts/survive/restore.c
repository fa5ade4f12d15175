#include "parts/survive/restore.h"

#include "parts/array.h"
#include "parts/cells/cells_join.h"
#include "parts/early.h"
#include "parts/gather.h"
#include "parts/points.h"
#include "parts/ready.h"
#include "parts/scheduler.h"
#include "parts/survive/copies.h"

static void
withdraw(struct stn_part *part, void *arg)
{
	(void)arg;
	stn_part_withdraw(part);
}

void
stn_restore(struct stn_parts *array, uint64_t version, struct stn_homes *homes,
	    const uint32_t *ranks, uint32_t nodes)
{
	/* The root may have begun to free it after its notices. */
	stn_array_set_freed(array, false);
	array->copies.wanted = array->create.copied & STN_COPIED_IN_MEMORY;
	array->id.generation = array->service->view;
	array->restoring = true;
	array->restored = version;
	array->regrouped = true;
	array->done = false;
	array->repeating = true;
	stn_points_again(array);
	array->nodes = nodes;
	stn_homes_fini(&array->homes);
	array->homes = *homes;
	*homes = (struct stn_homes){ 0 };
	if (array->cells)
		stn_cells_recount(array);
	if (nodes && !array->homes.count &&
	    stn_homes_spread(&array->homes, array->count, ranks, nodes))
		stn_array_no_memory(array);
	stn_copies_return(array, version);
	stn_array_each(array, withdraw, NULL);
	stn_restore_begin(array);
}

static void
return_part(struct stn_part *part, void *arg)
{
	const struct stn_parts *array = part->array;
	const struct stn_copy *copy =
		stn_copies_find(array, part->number, array->restored);

	(void)arg;
	if (!copy)
		stn_node_fail(array->service->node,
			      "a copy of a part of an array is not where it "
			      "was announced; please report that");
	stn_copies_unpack(copy, part);
}

void
stn_restore_begin(struct stn_parts *array)
{
	struct stn_why why;

	if (array->running)
		return;
	stn_array_empty(array);
	array->restoring = false;
	if (array->cells)
		stn_cells_return(array);
	if (!array->nodes) {
		stn_history_cut(&array->history, 0);
		stn_copies_fini(array);
		/*
		 * Main may wait to make it again. But a call of STN_GRID that
		 * waits until all nodes have made it goes on waiting: it sends
		 * CREATE again (stn_command_resend).
		 */
		if (!array->calling || array->awaited)
			stn_gather_complete(array);
		stn_early_retry(array->service);
		return;
	}
	if (stn_array_place(array, &why))
		stn_node_fail(array->service->node, "%s", why.text);
	array->service->counts.returned += array->here;
	if (array->restored)
		stn_array_each(array, return_part, NULL);
	stn_scheduler_created(array);
	stn_gather_begin(array);
	stn_gather_flush(array);
	stn_early_retry(array->service);
}
