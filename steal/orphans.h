/*
 * orphans.h: the table of orphans. An orphan is a finished result that has no
 * caller on this node: the caller has died, or the result is here only for the
 * case that its caller dies. The table finds an orphan by the key of its call.
 * It has two kinds of entries:
 *
 *	stored	  the result is in the memory of this node
 *	pointer	  another node, the holder, has said that it has the result
 *
 * A key has at most one entry. Both kinds are bounded. A new pointer replaces
 * the oldest pointer. A new result replaces stored results with fewer
 * nanoseconds per byte: the time that the table saves is at most the time that
 * the stored calls took, and bytes are scarce. A heap has the stored results in
 * that order, so the choice is exact, and repeats in a simulation.
 *
 *	any thread	maybe, count	at any time
 *	net lock held	all others
 */
#ifndef STN_STEAL_ORPHANS_H
#define STN_STEAL_ORPHANS_H

#include <stdatomic.h>
#include <sys/queue.h>

#include "steal/key.h"
#include "transport/error.h"

/* A call that took less is repeated rather than stored. */
#define STN_ORPHANS_LEAST_NS 1000000

struct stn_orphans_bounds {
	uint32_t results;  /* stored results */
	uint64_t bytes;	   /* of all stored results */
	uint32_t pointers; /* 0: none are kept */
};

#define STN_ORPHANS_BOUNDS                                                     \
	((struct stn_orphans_bounds){ 1 << 16, 64 << 20, 1 << 16 })

/* An entry. A stored result is constant; a pointer may become one. */
struct stn_orphan {
	struct stn_key key; /* first: the index compares it */
	uint32_t hint;
	bool stored;
	uint32_t holder; /* of a pointer: the node's rank */
	uint32_t of;	 /* of a stored result: see stn_orphans_keep */
	uint32_t keeps;	 /* of a stored result: see stn_orphans_supersede */
	bool announced;	 /* likewise */

	/* Of a stored result: a RESULT message's payload, malloc'ed. */
	void *bytes;
	size_t size;
	uint64_t cost_ns;

	/* For orphans.c. */
	uint32_t holds; /* the table's, and the callers' */
	double ns_per_byte;
	size_t place; /* in the heap */
	TAILQ_ENTRY(stn_orphan) link;
};

TAILQ_HEAD(stn_orphan_list, stn_orphan);

struct stn_orphans {
	_Atomic(uint32_t) count; /* of keys; see stn_orphans_maybe */
	uint32_t mask;
	_Atomic(uint8_t) *filter; /* keys by hint & mask; 255 or more: 255 */
	bool saturated;		  /* a number in the filter is 255 */

	struct stn_orphans_bounds bounds;
	void *index; /* a tree of all entries (tsearch) */

	struct stn_orphan **heap; /* stored; heap[0]: fewest ns per byte */
	uint32_t stored_count, heap_size;
	uint64_t stored_bytes;

	struct stn_orphan_list pointers; /* oldest first */
	uint32_t pointer_count;
};

/*
 * stn_orphans_init: an empty table. Its memory grows with its contents, except
 * for the filter, which has four to eight bytes for each entry that the bounds
 * allow. Returns STN_OK or STN_NO_MEMORY.
 * stn_orphans_fini: frees the table and the results in it, except those that
 * are held. For one thread, while no other thread uses the table.
 */
STN_CHECKED enum stn_err
stn_orphans_init(struct stn_orphans *orphans,
		 const struct stn_orphans_bounds *bounds);
void stn_orphans_fini(struct stn_orphans *orphans);

/*
 * stn_orphans_keep: stores a result. If the key has a pointer, the result
 * replaces the pointer. If the key's result is already stored, that one stays,
 * and @bytes are freed.
 * @hint	 stn_key_hint of the same call
 * @bytes, size	 malloc'ed; the table owns them if this returns STN_OK, else
 *		 they remain the caller's; NULL is possible if @size is 0
 * @cost_ns	 how long the call took
 * @of		 the node whose death makes the result an orphan
 * Returns STN_OK; STN_NO_MEMORY; or STN_REFUSED if the call took less than
 * STN_ORPHANS_LEAST_NS, or if there is no room, and too little room can be made
 * by the removal of results with fewer nanoseconds per byte. Then none is
 * removed.
 */
STN_CHECKED enum stn_err stn_orphans_keep(struct stn_orphans *orphans,
					  struct stn_key key, uint32_t hint,
					  void *bytes, size_t size,
					  uint64_t cost_ns, uint32_t of);

/*
 * stn_orphans_supersede: the result of a call that contains the call of @key is
 * stored here now. Undoes one stn_orphans_keep, and the last one removes the
 * result: equal calls have one entry. Does nothing if the result has been
 * evicted, or is announced.
 * stn_orphans_announce: other nodes learn that the stored result number @i is
 * here, so it is not superseded any more: they do not know the result that
 * contains it.
 */
void stn_orphans_supersede(struct stn_orphans *orphans, struct stn_key key);
void stn_orphans_announce(struct stn_orphans *orphans, uint32_t i);

/*
 * stn_orphans_learn: node @holder has said that it stores the result of @key.
 * Replaces an older pointer of that key. Does nothing if the result is stored
 * here. Returns STN_OK or STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_orphans_learn(struct stn_orphans *orphans,
					   struct stn_key key, uint32_t hint,
					   uint32_t holder);

/*
 * stn_orphans_find: the entry of @key, or NULL. It may be freed in the next
 * call that changes the table, unless it is held.
 */
struct stn_orphan *stn_orphans_find(const struct stn_orphans *orphans,
				    struct stn_key key);

/*
 * stn_orphans_remove: removes the entry of @key. Returns whether there was one.
 * stn_orphans_forget_holder: removes all pointers to node @holder, which has
 * died. Returns their number.
 */
bool stn_orphans_remove(struct stn_orphans *orphans, struct stn_key key);
uint32_t stn_orphans_forget_holder(struct stn_orphans *orphans,
				   uint32_t holder);

/*
 * stn_orphan_hold: from now on the entry and its bytes exist until
 * stn_orphan_release, even if the entry leaves the table meanwhile. A message
 * that sends the bytes needs that. Bytes that have left the table no longer
 * count for its bounds. Each hold needs one release, which may come after
 * stn_orphans_fini.
 */
void stn_orphan_hold(struct stn_orphan *orphan);
void stn_orphan_release(struct stn_orphan *orphan);

/*
 * stn_orphans_stored: the stored result number @i, below
 * orphans->stored_count, in no useful order. A call that changes the table may
 * change the numbers.
 */
static inline struct stn_orphan *
stn_orphans_stored(const struct stn_orphans *orphans, uint32_t i)
{
	return orphans->heap[i];
}

/* stn_orphans_count: the number of keys in the table. Any thread. */
static inline uint32_t
stn_orphans_count(const struct stn_orphans *orphans)
{
	/* Relaxed, as in stn_orphans_maybe. */
	return atomic_load_explicit(&orphans->count, memory_order_relaxed);
}

/*
 * stn_orphans_maybe: false if the table has no key with this hint. True if it
 * has one, or rarely if it has none. Any thread; costs two loads.
 *
 * The loads are relaxed, like the stores of keep, learn and the removing calls.
 * They pair with nothing and order nothing: a caller that gets true takes the
 * net lock and calls find. A thread that runs at the same time as keep or learn
 * may get false for the new key; then the call is repeated. There is no false
 * negative for a thread that was told of the key in any way that orders memory,
 * for example by the net lock: while a key is in the table, neither the count
 * nor the key's number in the filter is ever 0.
 */
static inline bool
stn_orphans_maybe(const struct stn_orphans *orphans, uint32_t hint)
{
	return stn_orphans_count(orphans) &&
	       atomic_load_explicit(&orphans->filter[hint & orphans->mask],
				    memory_order_relaxed);
}

#endif
