/*
 * restless: each part moves to the next node whenever it has been swept. Useful
 * for tests only: a program that gives the right bits with it gives them with
 * any scheduler.
 */
#include "parts/array.h"
#include "parts/moves/move.h"
#include "parts/scheduler.h"

static void
restless_swept(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	uint32_t to = stn_array_other(array, array->service->node->rank + 1ull);

	if (array->operation.order.what == STN_PARTS_SWEEPS &&
	    to != STN_NOBODY && stn_part_can_move(part))
		stn_part_give(part, to);
}

const struct stn_scheduler stn_scheduler_restless = {
	.name = "restless",
	.help = "each part moves whenever it was swept (for tests)",
	.swept = restless_swept,
	.resident = true,
};
