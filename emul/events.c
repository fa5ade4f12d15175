/*
 * events.c: a radix heap (Ahuja, Mehlhorn, Orlin and Tarjan 1990) over a small
 * heap. No event is added before one that was taken, so the events far in the
 * future need no order among themselves: an addition appends them to a list,
 * and when the first list is due, its events go to lists of lower levels, or,
 * if they are few, to the heap of near events. Each event moves through some
 * lists, and the heap is small enough for a processor's first cache. In the
 * worst case all events are in the heap.
 *
 * A list is a chain of chunks. A chunk that becomes empty is the next one to be
 * filled, whichever list needs it, so it is often still in a cache, and the
 * lists together take little more memory than their events.
 *
 * In the heap each entry has four children. It is half as deep as a binary
 * heap, and four children share two or three cache lines.
 */
#include "emul/events.h"

#include <stdlib.h>

#define CHILDREN 4
/* A list with so many events goes to the near ones; at most STN_EVENT_CHUNK. */
#define NEAR_MOST 32
#define ROOM 16	       /* events of a list, at first */
#define KEEP_ROOM 1024 /* an empty list with more room is freed */

static bool
before(const struct stn_event *a, const struct stn_event *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

/* Makes room for one more event. */
static bool
list_grow(struct stn_event_list *list)
{
	size_t room = list->room ? 2 * list->room : ROOM;
	struct stn_event *events;

	if (list->count < list->room)
		return true;
	events = realloc(list->events, room * sizeof(events[0]));
	if (!events)
		return false;
	list->events = events;
	list->room = room;
	return true;
}

bool
stn_event_list_add(struct stn_event_list *list, const struct stn_event *event)
{
	if (!list_grow(list))
		return false;
	list->events[list->count++] = *event;
	return true;
}

void
stn_event_list_empty(struct stn_event_list *list)
{
	list->count = 0;
	if (list->room <= KEEP_ROOM)
		return;
	free(list->events);
	*list = (struct stn_event_list){ 0 };
}

static bool
near_add(struct stn_event_list *near, const struct stn_event *event)
{
	size_t at = near->count, parent;

	if (!list_grow(near))
		return false;
	near->count++;
	for (; at; at = parent) {
		parent = (at - 1) / CHILDREN;
		if (!before(event, &near->events[parent]))
			break;
		near->events[at] = near->events[parent];
	}
	near->events[at] = *event;
	return true;
}

/* Puts a chunk without events before the others of @list. */
static bool
add_chunk(struct stn_events *events, struct stn_event_chunk **list)
{
	struct stn_event_chunk *chunk = events->spare;

	if (chunk)
		events->spare = chunk->next;
	else
		chunk = malloc(sizeof(*chunk));
	if (!chunk)
		return false;
	chunk->next = *list;
	chunk->count = 0;
	*list = chunk;
	return true;
}

/* Adds an event behind the last near one. */
static bool
later_add(struct stn_events *events, const struct stn_event *event)
{
	uint64_t apart = event->at ^ events->last;
	unsigned level =
		(unsigned)(63 - __builtin_clzll(apart)) / STN_EVENT_BITS;
	unsigned digit =
		event->at >> level * STN_EVENT_BITS & (STN_EVENT_DIGITS - 1);
	struct stn_event_chunk **list = &events->later[level][digit];

	if ((!*list || (*list)->count == STN_EVENT_CHUNK) &&
	    !add_chunk(events, list))
		return false;
	(*list)->events[(*list)->count++] = *event;
	events->digits[level] |= (uint8_t)(1u << digit);
	events->levels |= 1u << level;
	return true;
}

static bool
events_add(struct stn_events *events, const struct stn_event *event)
{
	return event->at <= events->last ? near_add(&events->near, event)
					 : later_add(events, event);
}

static uint64_t
first_time(const struct stn_event_chunk *list)
{
	uint64_t first = list->events[0].at;

	for (; list; list = list->next)
		for (size_t i = 0; i < list->count; i++)
			if (list->events[i].at < first)
				first = list->events[i].at;
	return first;
}

/* Adds the events of a list again that was removed from its level. */
static void
add_again(struct stn_events *events, struct stn_event_chunk *list)
{
	struct stn_event_chunk *next;

	for (; list; list = next) {
		for (size_t i = 0; i < list->count; i++)
			if (!events_add(events, &list->events[i]))
				events->failed = true;
		next = list->next;
		list->next = events->spare;
		events->spare = list;
	}
}

/*
 * Moves the events of the first list. All events of a list have the same digits
 * from its level up; all other events are later than those digits followed by
 * the highest ones.
 */
static void
bring_near(struct stn_events *events)
{
	unsigned level = (unsigned)__builtin_ctz(events->levels);
	unsigned digit = (unsigned)__builtin_ctz(events->digits[level]);
	struct stn_event_chunk *list = events->later[level][digit];
	uint64_t below = (UINT64_C(1) << level * STN_EVENT_BITS) - 1;
	bool few = !list->next && list->count <= NEAR_MOST;

	events->last = few ? list->events[0].at | below : first_time(list);
	events->later[level][digit] = NULL;
	events->digits[level] &= (uint8_t) ~(1u << digit);
	if (!events->digits[level])
		events->levels &= ~(1u << level);
	add_again(events, list);
}

static void
refill(struct stn_events *events)
{
	while (!events->near.count && events->levels)
		bring_near(events);
}

bool
stn_events_put(struct stn_events *events, const struct stn_event *event)
{
	if (!events_add(events, event))
		return false;
	refill(events);
	return !events->failed;
}

uint64_t
stn_events_add(struct stn_events *events, struct stn_event event)
{
	event.order = STN_EVENT_ORDER_ADDED | ++events->orders;
	return stn_events_put(events, &event) ? event.order : 0;
}

/*
 * The index of the earliest child of @at, if that child is earlier than
 * @event; else @at.
 */
static size_t
first_child(const struct stn_event_list *near, size_t at,
	    const struct stn_event *event)
{
	size_t child = at * CHILDREN + 1, end = child + CHILDREN;
	const struct stn_event *first = event;

	if (end > near->count)
		end = near->count;
	for (; child < end; child++) {
		if (!before(&near->events[child], first))
			continue;
		first = &near->events[child];
		at = child;
	}
	return at;
}

/* Removes the first event of the heap, which is not empty. */
static void
near_take(struct stn_event_list *near)
{
	const struct stn_event last = near->events[--near->count];
	size_t at = 0, child;

	if (!near->count)
		return;
	while ((child = first_child(near, at, &last)) != at) {
		near->events[at] = near->events[child];
		at = child;
	}
	near->events[at] = last;
}

bool
stn_events_take(struct stn_events *events, struct stn_event *event)
{
	if (!events->near.count)
		return false;
	*event = events->near.events[0];
	near_take(&events->near);
	refill(events);
	return true;
}

static void
visit_chunks(struct stn_event_chunk *list,
	     void (*visit)(void *arg, struct stn_event *event), void *arg)
{
	for (; list; list = list->next)
		for (size_t i = 0; i < list->count; i++)
			visit(arg, &list->events[i]);
}

/*
 * An addition moves events of the heap only towards its end, and events of a
 * list not at all, so none is left out.
 */
void
stn_events_each(struct stn_events *events,
		void (*visit)(void *arg, struct stn_event *event), void *arg)
{
	for (size_t i = 0; i < events->near.count; i++)
		visit(arg, &events->near.events[i]);
	for (size_t level = 0; level < STN_EVENT_LEVELS; level++)
		for (size_t i = 0; i < STN_EVENT_DIGITS; i++)
			visit_chunks(events->later[level][i], visit, arg);
}

static void
free_chunks(struct stn_event_chunk *list)
{
	struct stn_event_chunk *next;

	for (; list; list = next) {
		next = list->next;
		free(list);
	}
}

void
stn_events_fini(struct stn_events *events)
{
	free(events->near.events);
	for (size_t level = 0; level < STN_EVENT_LEVELS; level++)
		for (size_t i = 0; i < STN_EVENT_DIGITS; i++)
			free_chunks(events->later[level][i]);
	free_chunks(events->spare);
	*events = (struct stn_events){ 0 };
}
