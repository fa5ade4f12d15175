#include "parts/ready.h"

#include "node/sleep.h"

bool
stn_part_fresh(const struct stn_part *part)
{
	return part->fresh == part->version ||
	       part->landed[part->version & 1] == part->needs;
}

static bool
can_be_swept(const struct stn_part *part)
{
	const struct stn_operation *operation = &part->array->operation;

	return part->here && !part->queued && !part->running &&
	       operation->active &&
	       part->finished != operation->order.number &&
	       (operation->order.what == STN_PARTS_FILL ||
		stn_part_fresh(part));
}

static struct stn_ready_list *
list_of(struct stn_part *part)
{
	struct stn_parts_service *service = part->array->service;

	return part->edge ? &service->edges : &service->inner;
}

void
stn_part_consider(struct stn_part *part)
{
	struct stn_parts_service *service = part->array->service;

	if (!can_be_swept(part))
		return;
	part->queued = true;
	STAILQ_INSERT_TAIL(list_of(part), part, in_ready);
	atomic_fetch_add(&service->ready, 1);
	stn_node_wake(service->node);
}

void
stn_part_withdraw(struct stn_part *part)
{
	struct stn_parts_service *service = part->array->service;

	if (!part->queued)
		return;
	STAILQ_REMOVE(list_of(part), part, stn_part, in_ready);
	part->queued = false;
	atomic_fetch_sub(&service->ready, 1);
}

struct stn_part *
stn_ready_take(struct stn_parts_service *service)
{
	struct stn_part *part = STAILQ_FIRST(&service->edges);

	if (!part)
		part = STAILQ_FIRST(&service->inner);
	if (part)
		stn_part_withdraw(part);
	return part;
}
