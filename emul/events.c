/*
 * events.c: a heap in which each entry has four children. It is half as deep
 * as a binary heap, and four children share two or three cache lines.
 */
#include "emul/events.h"

#include <stdlib.h>

#define CHILDREN 4
#define ROOM 1024

static bool
before(const struct stn_event *a, const struct stn_event *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static bool
events_grow(struct stn_events *events)
{
	size_t room = events->room ? 2 * events->room : ROOM;
	struct stn_event *heap = realloc(events->heap, room * sizeof(heap[0]));

	if (!heap)
		return false;
	events->heap = heap;
	events->room = room;
	return true;
}

uint64_t
stn_events_add(struct stn_events *events, struct stn_event event)
{
	size_t at = events->count, parent;

	if (at == events->room && !events_grow(events))
		return 0;
	events->count++;
	event.order = ++events->orders;
	for (; at; at = parent) {
		parent = (at - 1) / CHILDREN;
		if (!before(&event, &events->heap[parent]))
			break;
		events->heap[at] = events->heap[parent];
	}
	events->heap[at] = event;
	return event.order;
}

/*
 * The index of the earliest child of @at, if that child is earlier than
 * @event; else @at.
 */
static size_t
first_child(const struct stn_events *events, size_t at,
	    const struct stn_event *event)
{
	size_t child = at * CHILDREN + 1, end = child + CHILDREN;
	const struct stn_event *first = event;

	if (end > events->count)
		end = events->count;
	for (; child < end; child++) {
		if (!before(&events->heap[child], first))
			continue;
		first = &events->heap[child];
		at = child;
	}
	return at;
}

bool
stn_events_take(struct stn_events *events, struct stn_event *event)
{
	struct stn_event last;
	size_t at = 0, child;

	if (!events->count)
		return false;
	*event = events->heap[0];
	last = events->heap[--events->count];
	if (!events->count)
		return true;
	while ((child = first_child(events, at, &last)) != at) {
		events->heap[at] = events->heap[child];
		at = child;
	}
	events->heap[at] = last;
	return true;
}

void
stn_events_fini(struct stn_events *events)
{
	free(events->heap);
	*events = (struct stn_events){ 0 };
}
