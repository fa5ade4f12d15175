/*
 * history.h: the operations on an array. Every node keeps them, because any
 * node may become the root: when the root has died, main runs again on the next
 * one, and its calls up to the current operation are not carried out again.
 * They return what is noted here. After a death the root also repeats
 * operations, whose orders are noted as well.
 */
#ifndef STN_PARTS_HISTORY_H
#define STN_PARTS_HISTORY_H

#include "parts/wire.h"

/* What main calls; also on the wire. */
struct stn_call {
	uint64_t hash; /* of the order; see stn_call_hash */
	double result; /* of a measure that is finished */
};

struct stn_order {
	struct stn_parts_operate order;
	uint64_t base, end; /* the array's version before and after it */
};

/* Operation i is calls[i - 1]. Operation @first and later ones are in orders.
 */
struct stn_history {
	struct stn_call *calls;
	uint64_t *begins; /* when each began on this node; 0: unknown */
	uint32_t count, call_room, begin_room;
	struct stn_order *orders;
	uint32_t first, order_room;
	struct stn_parts_operate boundary; /* the last BOUNDARY whose order is
					    * forgotten; number 0: none */
	uint32_t got; /* the first operation after an STN_GET of main, or 0 */

	/* Whose orders are forgotten: 1 + a rank each; main is not listed. */
	uint32_t *callers;
	uint32_t caller_count, caller_room;
};

/* stn_call_hash: of what a call is to do, but not of when. */
uint64_t stn_call_hash(const struct stn_parts_operate *order);

/*
 * stn_history_add: notes the operation behind the last one, which begins at
 * @begin_ns. STN_NO_MEMORY.
 * stn_history_cut: forgets all operations behind @count.
 * stn_history_closed: so many operations on cells are whole calls that change
 * the parts. Main, which runs again, makes the others again: it needs what they
 * collect, and a call that cuts the parts can't go on in its middle.
 * stn_history_drop: there are many orders: forgets those of operations that end
 * before version @version, except the last order. Without memory for their
 * callers, some of them stay.
 */
STN_CHECKED enum stn_err stn_history_add(struct stn_history *history,
					 const struct stn_parts_operate *order,
					 uint64_t base, uint64_t end,
					 uint64_t begin_ns);
void stn_history_cut(struct stn_history *history, uint32_t count);
uint32_t stn_history_closed(const struct stn_history *history);
void stn_history_drop(struct stn_history *history, uint64_t version);

/*
 * stn_history_orders: the number of orders that are not forgotten.
 * stn_history_take: notes @count calls, with the orders of the last @orders.
 * STN_NO_MEMORY.
 */
uint32_t stn_history_orders(const struct stn_history *history);
STN_CHECKED enum stn_err stn_history_take(struct stn_history *history,
					  const struct stn_call *calls,
					  uint32_t count,
					  const struct stn_order *order,
					  uint32_t orders);

/* stn_history_order: operation @number, or NULL if its order is forgotten. */
const struct stn_order *stn_history_order(const struct stn_history *history,
					  uint32_t number);

/*
 * stn_history_called: whether a task on node @rank has called one of the
 * operations, as far as this node knows: it does not know the callers of orders
 * that were forgotten before it joined the run.
 */
bool stn_history_called(const struct stn_history *history, uint32_t rank);

/*
 * stn_history_boundary: the last BOUNDARY up to operation @number; NULL: none.
 */
const struct stn_parts_operate *
stn_history_boundary(const struct stn_history *history, uint32_t number);

void stn_history_fini(struct stn_history *history);

#endif
