/*
 * restless: each part moves to the next node whenever it has been swept. Useful
 * for tests only: a program that gives the right bits with it gives them with
 * any scheduler.
 */
#include "parts/move.h"
#include "parts/scheduler.h"

static void
restless_swept(struct stn_part *part)
{
	const struct stn_node *node = part->array->service->node;
	uint32_t nodes = part->array->nodes;

	if (part->array->operation.order.what == STN_PARTS_SWEEPS &&
	    nodes > 1 && stn_part_can_move(part))
		stn_part_give(part, (node->rank + 1) % nodes);
}

const struct stn_scheduler stn_scheduler_restless = {
	.name = "restless",
	.help = "each part moves whenever it was swept (for tests)",
	.swept = restless_swept,
};
