#include "parts/await.h"

#include "node/progress.h"
#include "parts/cells/cells.h"
#include "parts/service.h"
#include "parts/sweep.h"
#include "parts/traced.h"

struct array_wait {
	struct stn_wait wait; /* first: the functions below cast it */
	struct stn_parts *array;
};

static struct stn_parts *
array_of(const struct stn_wait *wait)
{
	return ((const struct array_wait *)wait)->array;
}

static bool
finished_over(struct stn_worker *worker, const struct stn_wait *wait)
{
	return array_of(wait)->done || worker->node->stopping;
}

static bool
made_over(struct stn_worker *worker, const struct stn_wait *wait)
{
	return array_of(wait)->passes || finished_over(worker, wait);
}

/*
 * Is the last operation another node's call, or this node's and finished, and
 * is no plan missing?
 */
static bool
planned_over(struct stn_worker *worker, const struct stn_wait *wait)
{
	const struct stn_parts *array = array_of(wait);
	bool others = !array->awaited ||
		      array->awaited < array->operation.order.number;

	return (!array->cells->plans_due && (others || array->done)) ||
	       worker->node->stopping;
}

static bool
points_over(struct stn_worker *worker, const struct stn_wait *wait)
{
	return array_of(wait)->fetching.over || worker->node->stopping;
}

static bool
call_work(struct stn_worker *worker, struct stn_wait *wait)
{
	return stn_sweep_work(array_of(wait)->service, worker);
}

static uint64_t
call_seek(struct stn_worker *worker, struct stn_wait *wait)
{
	(void)worker;
	return stn_parts_seek(array_of(wait)->service);
}

static bool
call_owed(struct stn_worker *worker, const struct stn_wait *wait)
{
	(void)worker;
	(void)wait;
	return true;
}

#define KIND(is_over)                                                          \
	{                                                                      \
		.over = (is_over), .work = call_work, .seek = call_seek,       \
		.owed = call_owed                                              \
	}

static const struct stn_wait_kind finished = KIND(finished_over);
static const struct stn_wait_kind made = KIND(made_over);
static const struct stn_wait_kind planned = KIND(planned_over);
static const struct stn_wait_kind points = KIND(points_over);

static struct array_wait
describe(struct stn_parts *array, const struct stn_wait_kind *kind)
{
	return (struct array_wait){ { .kind = kind, .in_sync = true }, array };
}

static void
wait_traced(struct stn_worker *worker, struct array_wait *wait)
{
	uint64_t began = stn_trace_began(worker);

	stn_worker_wait(worker, &wait->wait);
	stn_trace_ended(worker, STN_TRACE_ARRAY, began, 0, STN_NOBODY);
}

/*
 * Returns with the net lock: while the lock is free, a death may undo finished
 * operations, and the wait would not be over any more.
 */
static void
wait_for(struct stn_owner *owner, struct stn_parts *array,
	 const struct stn_wait_kind *kind)
{
	struct array_wait wait = describe(array, kind);

	stn_node_enter(owner->node);
	while (!kind->over(owner->worker, &wait.wait)) {
		stn_node_leave(owner->node);
		wait_traced(owner->worker, &wait);
		stn_node_enter(owner->node);
	}
}

void
stn_await_finished(struct stn_owner *owner, struct stn_parts *array)
{
	wait_for(owner, array, &finished);
}

void
stn_await_made(struct stn_owner *owner, struct stn_parts *array)
{
	wait_for(owner, array, &made);
}

void
stn_await_planned(struct stn_owner *owner, struct stn_parts *array)
{
	wait_for(owner, array, &planned);
}

bool
stn_await_known(const struct stn_parts *array)
{
	return array->passes && !array->lent &&
	       array->called < array->history.count;
}

void
stn_await_points(struct stn_owner *owner, struct stn_parts *array)
{
	struct array_wait wait = describe(array, &points);

	wait_traced(owner->worker, &wait);
}
