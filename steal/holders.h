/*
 * holders.h: which node holds each record that this node has lent. A record
 * that is passed on keeps its home; the node that passes it on tells the home
 * (MOVED). Net lock held.
 */
#ifndef STN_STEAL_HOLDERS_H
#define STN_STEAL_HOLDERS_H

#include <stdbool.h>

#include "steal/wire.h"

struct stn_owner;
struct stn_steal;

/* Who has the record of one slot. */
struct stn_holder {
	uint32_t to;  /* has it, gets it, or sends its result, which lands */
	uint32_t via; /* the node that sent it there */
	uint8_t hops; /* how often it has been passed on */
	bool fetched; /* the node was asked for the result only */
};

/*
 * The holders of one worker's slots, by slot; zeroed memory, which the kernel
 * provides as it is used. Without survival there are none.
 */
struct stn_holders {
	struct stn_holder *all;
	uint32_t top; /* no slot from here on was ever lent */
};

/* stn_holders_init: for @slots slots. STN_NO_MEMORY. */
STN_CHECKED enum stn_err stn_holders_init(struct stn_holders *holders,
					  uint64_t slots);
void stn_holders_fini(struct stn_holders *holders);

/*
 * stn_holders_lent: node @to has @record, which lies in a deque of this node,
 * or gets it; @hops: how often the record has been passed on.
 */
void stn_holders_lent(struct stn_steal *steal, struct stn_record *record,
		      uint32_t to, uint8_t hops);

/*
 * stn_holders_moved: node @via has passed a record of this node on. Ignored if
 * a later move is known already.
 */
void stn_holders_moved(struct stn_steal *steal, uint32_t via,
		       const struct stn_wire_moved *moved);

/* stn_holder_of: the holder of a record that lies in a deque of this node. */
struct stn_holder *stn_holder_of(struct stn_steal *steal,
				 const struct stn_record *record);

/*
 * stn_holders_find: the lent record with that slot and epoch, or NULL: its
 * result is here, or it has been lent again.
 */
struct stn_record *stn_holders_find(struct stn_steal *steal, uint32_t slot,
				    uint32_t epoch);

/*
 * stn_holders_next: a lent record, from the slot *@slot_p of worker *@worker_p
 * on, and moves the two behind it. NULL: no more.
 */
struct stn_record *stn_holders_next(struct stn_steal *steal, uint32_t *worker_p,
				    uint32_t *slot_p);

#endif
