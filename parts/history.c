#include "parts/history.h"

#include <stdlib.h>
#include <string.h>

#include "parts/order.h"

#define HASH_BEGIN 0xcbf29ce484222325u /* FNV-1a */
#define HASH_FACTOR 0x100000001b3u
#define ORDERS_LEAST 4096 /* so many are kept, to begin from nothing */

static uint64_t
hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ byte[i]) * HASH_FACTOR;
	return hash;
}

/* Which plan an operation on cells needs is no matter of its caller. */
static uint64_t
hash_cells_order(uint64_t hash, const struct stn_parts_operate *order)
{
	struct stn_cells_order argument;

	memcpy(&argument, order->arguments, sizeof(argument));
	argument.plan = argument.revised = 0;
	return hash_bytes(hash, &argument, sizeof(argument));
}

uint64_t
stn_call_hash(const struct stn_parts_operate *order)
{
	uint64_t hash = HASH_BEGIN;

	hash = hash_bytes(hash, &order->what, sizeof(order->what));
	hash = hash_bytes(hash, &order->sweeps, sizeof(order->sweeps));
	hash = hash_bytes(hash, &order->task_id, sizeof(order->task_id));
	if (order->what > STN_PARTS_REFRESH)
		return hash_cells_order(hash, order);
	return hash_bytes(hash, order->arguments, order->argument_bytes);
}

/* Makes room for one entry more. */
static enum stn_err
history_grow(void *entries_p, uint32_t *room, uint32_t count, size_t bytes)
{
	uint32_t larger = 2 * *room + 16;
	void *entries;

	if (count < *room)
		return STN_OK;
	memcpy(&entries, entries_p, sizeof(entries));
	entries = reallocarray(entries, larger, bytes);
	if (!entries)
		return STN_NO_MEMORY;
	memcpy(entries_p, &entries, sizeof(entries));
	*room = larger;
	return STN_OK;
}

uint32_t
stn_history_orders(const struct stn_history *history)
{
	return history->first ? history->count + 1 - history->first : 0;
}

enum stn_err
stn_history_add(struct stn_history *history,
		const struct stn_parts_operate *order, uint64_t base,
		uint64_t end, uint64_t begin_ns)
{
	uint32_t orders = stn_history_orders(history);

	if (history_grow(&history->calls, &history->call_room, history->count,
			 sizeof(history->calls[0])) ||
	    history_grow(&history->begins, &history->begin_room, history->count,
			 sizeof(history->begins[0])) ||
	    history_grow(&history->orders, &history->order_room, orders,
			 sizeof(history->orders[0])))
		return STN_NO_MEMORY;
	history->begins[history->count] = begin_ns;
	history->calls[history->count++] =
		(struct stn_call){ stn_call_hash(order), 0 };
	history->orders[orders] = (struct stn_order){ *order, base, end };
	if (!history->first)
		history->first = history->count;
	if (!history->got && order->after_get)
		history->got = history->count;
	return STN_OK;
}

void
stn_history_cut(struct stn_history *history, uint32_t count)
{
	if (count >= history->count)
		return;
	history->count = count;
	if (!count)
		history->caller_count = 0;
	if (history->boundary.number > count)
		history->boundary = (struct stn_parts_operate){ 0 };
	if (history->got > count)
		history->got = 0;
	if (history->first > count)
		history->first = 0;
}

uint32_t
stn_history_closed(const struct stn_history *history)
{
	uint32_t count = history->count;

	while (count && stn_history_order(history, count) &&
	       !stn_order_ends_call(
		       &stn_history_order(history, count)->order))
		count--;
	return count;
}

static bool
is_past_caller(const struct stn_history *history, uint32_t caller)
{
	for (uint32_t i = 0; i < history->caller_count; i++)
		if (history->callers[i] == caller)
			return true;
	return false;
}

/* An order of @caller is to be forgotten. */
static enum stn_err
list_caller(struct stn_history *history, uint32_t caller)
{
	if (caller == STN_OF_MAIN || is_past_caller(history, caller))
		return STN_OK;
	if (history_grow(&history->callers, &history->caller_room,
			 history->caller_count, sizeof(history->callers[0])))
		return STN_NO_MEMORY;
	history->callers[history->caller_count++] = caller;
	return STN_OK;
}

void
stn_history_drop(struct stn_history *history, uint64_t version)
{
	uint32_t orders = stn_history_orders(history), old = 0;

	if (orders < ORDERS_LEAST)
		return;
	while (old + 1 < orders && history->orders[old].end < version &&
	       !list_caller(history, history->orders[old].order.caller)) {
		if (history->orders[old].order.what == STN_PARTS_BOUNDARY)
			history->boundary = history->orders[old].order;
		old++;
	}
	if (!old)
		return;
	memmove(history->orders, history->orders + old,
		(orders - old) * sizeof(history->orders[0]));
	history->first += old;
}

enum stn_err
stn_history_take(struct stn_history *history, const struct stn_call *calls,
		 uint32_t count, const struct stn_order *order, uint32_t orders)
{
	struct stn_call *call_copy = calloc(count + 1ul, sizeof(call_copy[0]));
	struct stn_order *copy = calloc(orders + 1ul, sizeof(copy[0]));
	uint64_t *begins = calloc(count + 1ul, sizeof(begins[0]));

	if (!copy || !call_copy || !begins) {
		free(begins);
		free(call_copy);
		free(copy);
		return STN_NO_MEMORY;
	}
	memcpy(call_copy, calls, count * sizeof(calls[0]));
	memcpy(copy, order, orders * sizeof(order[0]));
	stn_history_fini(history);
	*history = (struct stn_history){
		.boundary = history->boundary,
		.got = history->got,
		.calls = call_copy,
		.begins = begins,
		.count = count,
		.call_room = count + 1,
		.begin_room = count + 1,
		.orders = copy,
		.first = orders ? count + 1 - orders : 0,
		.order_room = orders + 1,
	};
	return STN_OK;
}

const struct stn_order *
stn_history_order(const struct stn_history *history, uint32_t number)
{
	if (!history->first || number < history->first ||
	    number > history->count)
		return NULL;
	return &history->orders[number - history->first];
}

bool
stn_history_called(const struct stn_history *history, uint32_t rank)
{
	uint32_t orders = stn_history_orders(history);

	for (uint32_t i = 0; i < orders; i++)
		if (history->orders[i].order.caller == rank + 1)
			return true;
	return is_past_caller(history, rank + 1);
}

const struct stn_parts_operate *
stn_history_boundary(const struct stn_history *history, uint32_t number)
{
	for (uint32_t i = number; i && stn_history_order(history, i); i--)
		if (stn_history_order(history, i)->order.what ==
		    STN_PARTS_BOUNDARY)
			return &stn_history_order(history, i)->order;
	return history->boundary.number ? &history->boundary : NULL;
}

void
stn_history_fini(struct stn_history *history)
{
	free(history->calls);
	free(history->begins);
	free(history->orders);
	free(history->callers);
}
