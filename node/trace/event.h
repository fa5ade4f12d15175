/*
 * event.h: what a node records under --trace. An event is a span of time or a
 * moment: a task that a worker ran, a message that was sent, a death. Services
 * record events by the calls below; a table in each service
 * (node/service.h, traced) names the kinds.
 *
 * Each worker has a ring of events, which only its own thread writes. Another
 * ring is for everything that happens under the net lock: messages, answers to
 * steal requests, changes of the membership. A full ring loses its oldest
 * events. Without --trace there are no rings, and recording costs one load.
 */
#ifndef STN_NODE_TRACE_EVENT_H
#define STN_NODE_TRACE_EVENT_H

#include "node/worker.h"

/* Events of the core; the numbers of services' kinds begin at 16. */
enum {
	STN_TRACE_SEND = 1, /* a message, handed to the transport */
	STN_TRACE_TAKE,	    /* a message, in its handler */
	STN_TRACE_MAIN,	    /* main, on the root */
	STN_TRACE_DIED,
	STN_TRACE_LEFT,
	STN_TRACE_JOINED,
};

#define STN_TRACE_WORKERS_MOST 4096 /* of a node */

/* Little-endian on the wire, like this. */
struct stn_trace_event {
	uint64_t begin_ns, end_ns; /* equal: a moment */
	int64_t number;		   /* its meaning follows from the kind */
	uint32_t other;		   /* a node that took part, or STN_NOBODY */
	uint32_t bytes;		   /* of a message or a record */
	uint16_t thread;	   /* a worker, or STN_TRACE_NET */
	uint8_t kind;
	uint8_t message; /* of the first two kinds: the kind of message */
	uint32_t arrow;	 /* set when the file is written (chrome.c); 0: none */
};

#define STN_TRACE_NET 0xffff /* recorded under the net lock */

/* How a kind of events is shown. */
enum stn_trace_shape {
	STN_TRACE_NESTED, /* spans of a thread lie inside each other */
	STN_TRACE_APART,  /* spans overlap others in any way */
	STN_TRACE_MOMENT
};

/* A kind of events. No two kinds of a run have the same number. */
struct stn_trace_kind {
	uint8_t number;
	enum stn_trace_shape shape;
	const char *name;
	const char *number_name; /* what number is, or NULL: nothing */
};

struct stn_trace_ring {
	struct stn_trace_event *events;
	/*
	 * Events recorded so far; the newest are kept. stn_trace_put's
	 * releases pair with the acquires in ring_copy (rings.c): its store
	 * with the first load there, its fence with the fence there.
	 */
	_Atomic(uint64_t) count;
	uint64_t mask; /* room for events, a power of two, minus 1 */
};

static inline void
stn_trace_put(struct stn_trace_ring *ring, const struct stn_trace_event *event)
{
	uint64_t count =
		atomic_load_explicit(&ring->count, memory_order_relaxed);

	/* The count is seen by a reader that sees any of this event. */
	atomic_thread_fence(memory_order_release);
	ring->events[count & ring->mask] = *event;
	atomic_store_explicit(&ring->count, count + 1, memory_order_release);
}

/*
 * stn_trace_span: stn_trace_ended with --trace. A function of its own: the
 * event would make the stack frames of calls nested in syncs larger.
 */
void stn_trace_span(struct stn_worker *worker, uint8_t kind, uint64_t began,
		    int64_t number, uint32_t other);

/*
 * stn_trace_began: when a span begins. 0 without --trace. The worker's own
 * thread.
 * stn_trace_ended: records the span, which ends now.
 */
static inline uint64_t
stn_trace_began(const struct stn_worker *worker)
{
	return worker->trace ? stn_node_now(worker->node) : 0;
}

static inline void
stn_trace_ended(struct stn_worker *worker, uint8_t kind, uint64_t began,
		int64_t number, uint32_t other)
{
	if (worker->trace)
		stn_trace_span(worker, kind, began, number, other);
}

/* stn_trace_net: records an event that ends now. Net lock held. */
static inline void
stn_trace_net(struct stn_node *node, uint8_t kind, uint64_t began,
	      int64_t number, uint32_t other, uint64_t bytes)
{
	if (!node->trace)
		return;
	stn_trace_put(node->trace,
		      &(struct stn_trace_event){
			      .begin_ns = began,
			      .end_ns = stn_node_now(node),
			      .number = number,
			      .other = other,
			      .bytes = bytes < UINT32_MAX ? (uint32_t)bytes
							  : UINT32_MAX,
			      .thread = STN_TRACE_NET,
			      .kind = kind,
		      });
}

/* stn_trace_moment: the same, of a moment. Net lock held. */
static inline void
stn_trace_moment(struct stn_node *node, uint8_t kind, int64_t number,
		 uint32_t other)
{
	if (node->trace)
		stn_trace_net(node, kind, stn_node_now(node), number, other, 0);
}

#endif
