/*
 * events.h: a queue of the known future events of a simulation, ordered by
 * virtual time. Events of the same time keep the order in which they were
 * added, behind those whose order the caller has chosen. One thread at a time
 * may use a queue.
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
	uint64_t order; /* among events of the same time */
	uint32_t node;	/* for the caller */
	uint32_t what;	/* for the caller */
	/* For the caller; @what says which one it is. */
	union {
		struct stn_parcel *parcel;
		struct stn_call *call;
	};
};

struct stn_event_list {
	struct stn_event *events;
	size_t count, room; /* events in use, and allocated */
};

/* A part of an unordered list; 2 KB. */
#define STN_EVENT_CHUNK 63
struct stn_event_chunk {
	struct stn_event_chunk *next;
	size_t count; /* of the events; full in all chunks but the first */
	struct stn_event events[STN_EVENT_CHUNK];
};

/* Orders that stn_events_add gives are above, those of callers below. */
#define STN_EVENT_ORDER_ADDED (UINT64_C(1) << 63)

#define STN_EVENT_BITS 3
#define STN_EVENT_DIGITS (1 << STN_EVENT_BITS)
#define STN_EVENT_LEVELS ((64 + STN_EVENT_BITS - 1) / STN_EVENT_BITS)

/* All zeros: no events. */
struct stn_events {
	struct stn_event_list near; /* a heap of the events up to @last */
	uint64_t last;
	uint64_t orders; /* number of orders that events were given */
	bool failed;	 /* events were lost, because there was no memory */
	/*
	 * All other events. later[l][d] has those whose time, as a number of
	 * octal digits, has the digit d at place l, counted from the lowest,
	 * and there differs from @last, and agrees with it at higher places.
	 */
	struct stn_event_chunk *later[STN_EVENT_LEVELS][STN_EVENT_DIGITS];
	struct stn_event_chunk *spare; /* chunks without events */
	uint8_t digits[STN_EVENT_LEVELS]; /* a bit for each list with events */
	uint32_t levels;		  /* a bit for each level with events */
};

/*
 * stn_events_add: adds an event; the caller sets all members but the order.
 * Returns the event's order, which no other event of this queue has; 0 if there
 * is no memory.
 */
uint64_t stn_events_add(struct stn_events *events, struct stn_event event);

/*
 * stn_events_put: adds an event with an order that the caller has chosen, and
 * which no other event of the same time has. Returns false if there is no
 * memory.
 */
bool stn_events_put(struct stn_events *events, const struct stn_event *event);

/*
 * stn_event_list_add: appends an event to a list; false if there is no memory.
 * stn_event_list_empty: removes all events, and frees a large list.
 */
bool stn_event_list_add(struct stn_event_list *list,
			const struct stn_event *event);
void stn_event_list_empty(struct stn_event_list *list);

/* stn_events_next: the time of the first event; UINT64_MAX if there is none. */
static inline uint64_t
stn_events_next(const struct stn_events *events)
{
	return events->near.count ? events->near.events[0].at : UINT64_MAX;
}

/*
 * stn_events_take: removes the first event; false if there is none. After
 * @failed was set, this is not the first event, and the queue is of no use.
 */
bool stn_events_take(struct stn_events *events, struct stn_event *event);

/*
 * stn_events_each: calls @visit(@arg) for each event. It may add events, of
 * which some are visited as well, and no event is left out for that; some may
 * be visited twice.
 */
void stn_events_each(struct stn_events *events,
		     void (*visit)(void *arg, struct stn_event *event),
		     void *arg);

/* stn_events_fini: frees the queue, but not what its events point to. */
void stn_events_fini(struct stn_events *events);

#endif
