/*
 * events.h: what will happen in virtual time, as far as it is known: a queue
 * ordered by time, and, at one time, by the order of adding. One thread's.
 */
#ifndef STN_EMUL_EVENTS_H
#define STN_EMUL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stn_parcel;

struct stn_event {
	uint64_t at, order;
	uint32_t node;
	uint32_t what;		   /* the caller's */
	struct stn_parcel *parcel; /* the caller's */
};

struct stn_events {
	struct stn_event *heap;
	size_t count, room;
	uint64_t orders;
};

/*
 * stn_events_add: @event's time and the caller's members are set. Returns its
 * order, which no other event has; 0 if there is no memory.
 */
uint64_t stn_events_add(struct stn_events *events, struct stn_event event);

/* stn_events_next: the time of the first event, UINT64_MAX if there is none. */
static inline uint64_t
stn_events_next(const struct stn_events *events)
{
	return events->count ? events->heap[0].at : UINT64_MAX;
}

/* stn_events_take: removes the first event. False if there is none. */
bool stn_events_take(struct stn_events *events, struct stn_event *event);

/* stn_events_fini: frees the queue, but not what its events refer to. */
void stn_events_fini(struct stn_events *events);

#endif
