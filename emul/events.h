/*
 * events.h: a queue of the known future events of a simulation, ordered by
 * virtual time. Events of the same time keep the order in which they were
 * added. One thread at a time may use a queue.
 */
#ifndef STN_EMUL_EVENTS_H
#define STN_EMUL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stn_call;
struct stn_parcel;

struct stn_event {
	uint64_t at;	/* virtual time in ns */
	uint64_t order; /* set by stn_events_add, from 1 on */
	uint32_t node;	/* for the caller */
	uint32_t what;	/* for the caller */
	/* For the caller; @what says which one it is. */
	union {
		struct stn_parcel *parcel;
		struct stn_call *call;
	};
};

struct stn_events {
	struct stn_event *heap;
	size_t count, room; /* entries in use, and allocated */
	uint64_t orders;    /* the last order that an event was given */
};

/*
 * stn_events_add: adds an event; the caller sets all members but the order.
 * Returns the event's order, which no other event of this queue has; 0 if there
 * is no memory.
 */
uint64_t stn_events_add(struct stn_events *events, struct stn_event event);

/* stn_events_next: the time of the first event; UINT64_MAX if there is none. */
static inline uint64_t
stn_events_next(const struct stn_events *events)
{
	return events->count ? events->heap[0].at : UINT64_MAX;
}

/* stn_events_take: removes the first event; false if there is none. */
bool stn_events_take(struct stn_events *events, struct stn_event *event);

/* stn_events_fini: frees the queue, but not what its events point to. */
void stn_events_fini(struct stn_events *events);

#endif
