#include "parts/survive/again.h"

#include <inttypes.h>

#include "parts/survive/stored.h"
#include "steal/steal.h"

static _Noreturn void
fail_differs(const struct stn_parts_service *service, const char *what)
{
	stn_node_fail(service->node,
		      "the body of STN_MAIN, which runs again because a node "
		      "has died, does not %s as before; it must depend on its "
		      "arguments and input only",
		      what);
}

static _Noreturn void
fail_resumed(const struct stn_parts *array, const char *what)
{
	stn_node_fail(array->service->node,
		      "the logs in %s are of a run that has %s in another way; "
		      "use the same arguments, or choose another --resume",
		      array->service->node->config->resume, what);
}

bool
stn_again_made(const struct stn_parts_service *service,
	       const struct stn_parts *array,
	       const struct stn_parts_create *create)
{
	if (!array || (!array->scheduling && !array->restoring))
		return false;
	if (!stn_create_same(&array->create, create))
		fail_differs(service, "make the same grids");
	return true;
}

void
stn_again_called(const struct stn_parts *array,
		 const struct stn_parts_operate *order)
{
	if (array->history.calls[order->number - 1].hash ==
	    stn_call_hash(order))
		return;
	if (array->revived)
		fail_resumed(array, "swept and measured its grids");
	fail_differs(array->service, "sweep and measure its grids");
}

void
stn_again_check(const struct stn_parts *array,
		const struct stn_parts_create *stored)
{
	if (!stn_create_same(stored, &array->create))
		fail_resumed(array, "made its grids");
}

uint64_t
stn_again_resumed(const struct stn_parts *array,
		  const struct stn_parts_operate *order)
{
	if (order->what != STN_PARTS_SWEEPS ||
	    order->number > array->revived_calls)
		return 0;
	return order->number < array->revived_calls ? order->sweeps
						    : array->revived_sweeps;
}

/*
 * A resumed run may take the result of the task from a log, and would not
 * repeat what the task has done to the array.
 */
void
stn_again_lend(struct stn_parts *array)
{
	const struct stn_steal *steal =
		stn_node_state(array->service->node, &stn_steal_service);

	if (!array->lent && (steal->keep || steal->resume))
		stn_node_fail(
			array->service->node,
			"a task has used a grid that another task, or the "
			"body of STN_MAIN, has made; such a run can't be "
			"kept or resumed (--keep, --resume)");
	array->lent = true;
}

/* When main's next call that it has made before began on this node; or @now. */
static uint64_t
next_begin(const struct stn_parts *array, uint64_t now)
{
	const struct stn_history *history = &array->history;
	uint64_t begin = 0;

	if (array->id.rank == STN_OF_MAIN && array->called < history->count)
		begin = history->begins[array->called];
	return begin && begin < now ? begin : now;
}

void
stn_again_clock(const struct stn_parts_service *service)
{
	struct stn_node *node = service->node;
	uint64_t now = stn_node_now(node), begin = now;
	const struct stn_parts *array;

	SLIST_FOREACH (array, &service->arrays, link)
		begin = next_begin(array, begin);
	/* Relaxed: main's worker sets it, or has not begun main yet. */
	atomic_store_explicit(&node->main_lag_ns, now - begin,
			      memory_order_relaxed);
}
