/*
 * ready.c: the queue is a binary heap. The part with the lowest version comes
 * first, because other parts wait for it soonest.
 */
#include "parts/ready.h"

#include <stdlib.h>
#include <string.h>

#include "node/sleep.h"
#include "parts/cells/cells.h"

bool
stn_part_fresh(const struct stn_part *part)
{
	return part->fresh == part->version ||
	       part->landed[part->version & 1] == part->needs;
}

bool
stn_part_is_meant(const struct stn_part *part)
{
	const struct stn_parts_operate *order = &part->array->operation.order;
	struct stn_parts_range range;

	if (order->what == STN_PARTS_BOUNDARY ||
	    order->what == STN_CELLS_BRIEFS || order->what == STN_CELLS_PLACE)
		return false;
	if (order->what != STN_PARTS_DEAL)
		return true;
	memcpy(&range, order->arguments, sizeof(range));
	return part->number >= range.first && part->number < range.end;
}

/* Whether the part has returned to a version behind the operation. */
static bool
is_behind(const struct stn_part *part)
{
	const struct stn_operation *operation = &part->array->operation;

	return operation->blocks &&
	       part->version >= operation->base + operation->blocks;
}

void
stn_part_skip(struct stn_part *part)
{
	uint32_t number = part->array->operation.order.number;

	if (part->finished >= number ||
	    (!is_behind(part) && stn_part_is_meant(part)))
		return;
	part->finished = number;
	/* A node may have counted it in this view, for another operation. */
	part->counted = 0;
}

/* Whether the part has all that the operation needs. */
static bool
has_inputs(const struct stn_part *part)
{
	if (!stn_part_is_meant(part))
		return true;
	if (part->array->cells && !stn_cells_ready(part))
		return false;
	switch (part->array->operation.order.what) {
	case STN_PARTS_FILL:
	case STN_PARTS_REFRESH:
		return true;
	case STN_PARTS_DEAL:
		return part->dealt;
	case STN_PARTS_SWEEPS:
		return stn_part_fresh(part) &&
		       (part->version < part->array->pause ||
			part->version < part->granted);
	}
	return stn_part_fresh(part);
}

static bool
can_be_swept(const struct stn_part *part)
{
	const struct stn_operation *operation = &part->array->operation;

	return part->here && !part->queued && !part->running &&
	       !part->array->restoring &&
	       (!part->array->service->node->leaving || part->joining) &&
	       operation->active &&
	       part->finished < operation->order.number && has_inputs(part);
}

/* Whether @a is to be swept before @b. */
static bool
comes_before(const struct stn_part *a, const struct stn_part *b)
{
	if (a->version != b->version)
		return a->version < b->version;
	if (a->edge != b->edge)
		return a->edge;
	return a->number < b->number;
}

static void
put(struct stn_ready *ready, uint32_t place, struct stn_part *part)
{
	ready->heap[place] = part;
	part->place = place;
}

/* Moves @part up from @place, where there is room for it. */
static void
rise(struct stn_ready *ready, uint32_t place, struct stn_part *part)
{
	while (place && comes_before(part, ready->heap[(place - 1) / 2])) {
		put(ready, place, ready->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	put(ready, place, part);
}

/* Moves @part down from @place. */
static void
sink(struct stn_ready *ready, uint32_t place, struct stn_part *part)
{
	for (;;) {
		uint32_t child = 2 * place + 1;

		if (child >= ready->count)
			break;
		if (child + 1 < ready->count &&
		    comes_before(ready->heap[child + 1], ready->heap[child]))
			child++;
		if (!comes_before(ready->heap[child], part))
			break;
		put(ready, place, ready->heap[child]);
		place = child;
	}
	put(ready, place, part);
}

static void
ready_grow(struct stn_ready *ready, struct stn_node *node)
{
	uint32_t room = 2 * ready->room + 16;
	struct stn_part **larger =
		realloc(ready->heap, room * sizeof(larger[0]));

	if (!larger)
		stn_node_fail(node, "out of memory");
	ready->heap = larger;
	ready->room = room;
}

void
stn_part_consider(struct stn_part *part)
{
	struct stn_parts_service *service = part->array->service;
	struct stn_ready *ready = &service->ready;

	if (!can_be_swept(part))
		return;
	if (ready->count == ready->room)
		ready_grow(ready, service->node);
	part->queued = true;
	rise(ready, ready->count++, part);
	stn_node_wake(service->node);
}

void
stn_part_withdraw(struct stn_part *part)
{
	struct stn_ready *ready = &part->array->service->ready;
	struct stn_part *last;

	if (!part->queued)
		return;
	part->queued = false;
	last = ready->heap[--ready->count];
	if (last == part)
		return;
	if (part->place &&
	    comes_before(last, ready->heap[(part->place - 1) / 2]))
		rise(ready, part->place, last);
	else
		sink(ready, part->place, last);
}

struct stn_part *
stn_ready_take(struct stn_parts_service *service)
{
	struct stn_part *part;

	if (!service->ready.count)
		return NULL;
	part = service->ready.heap[0];
	stn_part_withdraw(part);
	return part;
}

void
stn_ready_fini(struct stn_ready *ready)
{
	free(ready->heap);
}
