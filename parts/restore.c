#include "parts/restore.h"

#include "parts/array.h"
#include "parts/early.h"
#include "parts/gather.h"
#include "parts/ready.h"
#include "parts/scheduler.h"

static void
withdraw(struct stn_part *part, void *arg)
{
	(void)arg;
	stn_part_withdraw(part);
}

void
stn_restore(struct stn_parts *array, const uint32_t *ranks, uint32_t nodes)
{
	array->id.generation = array->service->view;
	array->restoring = true;
	array->regrouped = true;
	array->done = false;
	array->nodes = nodes;
	array->homes.count = 0;
	if (nodes &&
	    stn_homes_spread(&array->homes, array->count, ranks, nodes))
		stn_array_no_memory(array);
	stn_array_each(array, withdraw, NULL);
	stn_restore_begin(array);
}

/* The version to which the parts return: as yet, always the first. */
static void
return_parts(struct stn_parts *array)
{
	struct stn_why why;

	array->restored = 0;
	if (stn_array_place(array, &why))
		stn_node_fail(array->service->node, "%s", why.text);
}

void
stn_restore_begin(struct stn_parts *array)
{
	if (array->running)
		return;
	stn_array_empty(array);
	array->restoring = false;
	if (!array->nodes) {
		stn_history_cut(&array->history, 0);
		return;
	}
	return_parts(array);
	stn_scheduler_created(array);
	stn_gather_begin(array);
	stn_gather_flush(array);
	stn_early_retry(array->service);
}
