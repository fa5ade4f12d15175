#include "parts/survive/unkept.h"

#include <stdio.h>

#include "parts/survive/store.h"
#include "steal/steal.h"

enum reason { OF_TASKS, MEMORY, GOT };

static const char *const lines[] = {
	[OF_TASKS] = "grids and cells that tasks make; a resumed run computes "
		     "them again, unless it has the results of the tasks",
	[MEMORY] = "all grids: copies of a large one might need more memory "
		   "than there is; a resumed run computes that one again",
	[GOT] = "versions that come after main has got points of a grid or "
		"records of cells (STN_GET, STN_CELLS_GET); a resumed run "
		"continues from before that",
};

static void
tell_unkept(struct stn_parts_service *service, enum reason reason)
{
	const struct stn_node *node = service->node;

	if (!(service->unkept >> reason & 1) &&
	    node->rank == node->members.root)
		fprintf(stderr, "sateen: --keep does not write %s\n",
			lines[reason]);
	service->unkept |= 1u << reason;
}

void
stn_unkept_created(const struct stn_parts *array)
{
	const struct stn_steal *steal =
		stn_node_state(array->service->node, &stn_steal_service);

	if (!steal->keep || array->storing.wanted || array->shape.hollow)
		return;
	tell_unkept(array->service,
		    array->id.rank != STN_OF_MAIN ? OF_TASKS : MEMORY);
}

void
stn_unkept_swept(const struct stn_parts *array)
{
	const struct stn_parts_operate *order = &array->operation.order;

	if (array->storing.wanted && order->after_get &&
	    order->what == STN_PARTS_SWEEPS)
		tell_unkept(array->service, GOT);
}
