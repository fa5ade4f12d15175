/*
 * live.h: the live counts of a node, which others read while the run goes on:
 * the launcher, for `sateen top`, --metrics and the progress bar. They are
 * words in memory that the node shares with the process that has started it, or
 * in memory of its own if nobody reads them. Twice a second the node stores all
 * words, whether somebody reads them or not. So readers cost the node nothing.
 *
 * All words are stored and loaded relaxed, and pair with nothing: each is right
 * by itself, but two of them may be half a second apart. Times are in
 * nanoseconds, counts begin with the run.
 *
 * The service live stores the words. It also gathers the progress of the
 * program (STN_PROGRESS): each node whose progress has changed tells the root,
 * at most twice a second:
 *
 *	PROGRESS 87	units done, units known (64 bits each); since the start
 *			of the run, on the sender
 *
 * In a simulation nobody reads, and the service does nothing.
 */
#ifndef STN_NODE_LIVE_LIVE_H
#define STN_NODE_LIVE_LIVE_H

#include <stdatomic.h>
#include <stdint.h>

enum { STN_PROGRESS_TOLD = 87 };

/* Indices of words. */
enum stn_live_word {
	STN_LIVE_STORES, /* how often all words were stored; 0: never */
	STN_LIVE_RANK,
	STN_LIVE_CLUSTER,
	STN_LIVE_WORKERS,

	/* Time of all workers together; see node/stats/counts.h: */
	STN_LIVE_WORKING_NS,
	STN_LIVE_COMMUNICATING_NS,
	STN_LIVE_IDLE_NS,

	/* Of the service of stealing: */
	STN_LIVE_STOLEN_NODE, /* records stolen inside the node, */
	STN_LIVE_STOLEN_LAN,  /* from nodes of the cluster, */
	STN_LIVE_STOLEN_WAN,  /* and from others */
	STN_LIVE_ASKED,	      /* steal requests sent, */
	STN_LIVE_REFUSED,     /* and those of them that were refused */
	STN_LIVE_QUEUE,	      /* records here that could be stolen or run */

	STN_LIVE_SENT_LAN, /* messages and bytes */
	STN_LIVE_SENT_WAN,
	STN_LIVE_SENT_BYTES_LAN,
	STN_LIVE_SENT_BYTES_WAN,

	/* Of the bound that has changed last; see search/bounds.h: */
	STN_LIVE_BOUNDS,      /* number of bounds that the node knows */
	STN_LIVE_BOUND_FOUND, /* 1: the value is that of a solution */
	STN_LIVE_BOUND_VALUE, /* an int64_t */
	STN_LIVE_BOUND_SHOWN, /* 1: the program shows it on the terminal */

	STN_LIVE_DONE,	   /* units of progress on this node: done, */
	STN_LIVE_KNOWN,	   /* and known to be part of the run */
	STN_LIVE_ALL_DONE, /* the same of all nodes; on the root, else 0 */
	STN_LIVE_ALL_KNOWN,
	STN_LIVE_ENDED, /* 1: main has ended the bar (STN_PROGRESS_END) */
	STN_LIVE_WORDS
};

/* Other nodes' memory begins at another cache line. */
struct stn_live {
	_Alignas(128) _Atomic(uint64_t) words[STN_LIVE_WORDS];
};

/* stn_live_set, _get: a word. Any thread, any process; see above. */
static inline void
stn_live_set(struct stn_live *live, enum stn_live_word word, uint64_t value)
{
	atomic_store_explicit(&live->words[word], value, memory_order_relaxed);
}
static inline uint64_t
stn_live_get(const struct stn_live *live, enum stn_live_word word)
{
	return atomic_load_explicit(&live->words[word], memory_order_relaxed);
}

extern const struct stn_service stn_live_service;

#endif
