/*
 * handle.c: handles of arrays, for tasks.
 */
#include <inttypes.h>

#include "node/progress.h"
#include "parts/array.h"
#include "parts/calls.h"
#include "parts/survive/again.h"
#include "steal/steal.h"

uint64_t
stn_parts_handle(const struct stn_parts *array)
{
	return (uint64_t)array->id.rank << 32 | array->id.number;
}

struct stn_parts *
stn_parts_find(struct stn_frame *frame, uint64_t handle)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_array_id id = { (uint32_t)(handle >> 32), (uint32_t)handle,
				   0 };
	struct stn_parts *array;

	stn_node_enter(owner->node);
	array = stn_array_find(stn_node_state(owner->node, &stn_parts_service), id);
	if (array && !stn_calls_by_main(frame))
		stn_again_lend(array);
	stn_node_leave(owner->node);
	if (!array)
		stn_node_fail(owner->node,
			      "there is no grid with the handle %#" PRIx64,
			      handle);
	return array;
}
