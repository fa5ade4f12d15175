/*
 * handle.c: handles of arrays, for tasks.
 */
#include <inttypes.h>

#include "node/progress.h"
#include "parts/array.h"
#include "parts/calls.h"
#include "parts/survive/again.h"
#include "steal/steal.h"
#include "transport/units.h"

/* By then the root has told a node that has joined of all arrays. */
#define TELL_NS (60 * STN_SECOND_NS)
#define PAUSE_NS 1000000

uint64_t
stn_parts_handle(const struct stn_parts *array)
{
	return (uint64_t)array->id.rank << 32 | array->id.number;
}

/*
 * A node that has joined may run a task before the root has told it of the
 * array (know.h). The time is limited, because the handle may be wrong.
 */
static bool
may_be_told(const struct stn_node *node, uint64_t waited_ns)
{
	return stn_topology_reserved(node->topology, node->rank) &&
	       waited_ns < TELL_NS && !node->stopping;
}

struct stn_parts *
stn_parts_find(struct stn_frame *frame, uint64_t handle)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);
	struct stn_array_id id = { (uint32_t)(handle >> 32), (uint32_t)handle,
				   0 };
	struct stn_parts_service *service =
		stn_node_state(owner->node, &stn_parts_service);
	struct stn_parts *array;
	uint64_t waited_ns = 0;

	stn_node_enter(owner->node);
	while (!(array = stn_array_find(service, id)) &&
	       may_be_told(owner->node, waited_ns)) {
		stn_node_leave(owner->node);
		stn_sleep(frame->deque, PAUSE_NS);
		waited_ns += PAUSE_NS;
		stn_node_enter(owner->node);
	}
	if (array && !stn_calls_by_main(frame))
		stn_again_lend(array);
	stn_node_leave(owner->node);
	if (!array)
		stn_node_fail(owner->node,
			      "there is no grid with the handle %#" PRIx64,
			      handle);
	return array;
}
