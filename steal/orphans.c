#include "steal/orphans.h"

#include <search.h>
#include <stdlib.h>

/*
 * The index is glibc's red-black tree. A hash table of our own would find a key
 * in 10 to 20 ns, the tree in 40 ns to 0.9 us (256 to 128 K keys). A thread
 * looks for a key only after the filter has said maybe, mostly before it sends
 * a message, which takes longer.
 */
static int
by_key(const void *a, const void *b)
{
	const struct stn_key *key = a, *other = b;

	if (key->low != other->low)
		return key->low < other->low ? -1 : 1;
	if (key->high != other->high)
		return key->high < other->high ? -1 : 1;
	return 0;
}

enum stn_err
stn_orphans_init(struct stn_orphans *orphans,
		 const struct stn_orphans_bounds *bounds)
{
	uint64_t keys = (uint64_t)bounds->results + bounds->pointers;
	uint64_t size = 64;

	while (size < 4 * keys && size <= UINT32_MAX)
		size *= 2;
	*orphans = (struct stn_orphans){ .bounds = *bounds };
	orphans->mask = (uint32_t)(size - 1);
	orphans->filter = calloc(size, sizeof(orphans->filter[0]));
	TAILQ_INIT(&orphans->pointers);
	return orphans->filter ? STN_OK : STN_NO_MEMORY;
}

static void
filter_set(struct stn_orphans *orphans, uint64_t place, uint8_t number)
{
	atomic_store_explicit(&orphans->filter[place], number,
			      memory_order_relaxed);
}

static uint8_t
filter_number(const struct stn_orphans *orphans, uint32_t hint)
{
	return atomic_load_explicit(&orphans->filter[hint & orphans->mask],
				    memory_order_relaxed);
}

static void
set_count(struct stn_orphans *orphans, uint32_t count)
{
	atomic_store_explicit(&orphans->count, count, memory_order_relaxed);
}

static void
filter_add(struct stn_orphans *orphans, uint32_t hint)
{
	uint8_t number = filter_number(orphans, hint);

	if (number < UINT8_MAX)
		filter_set(orphans, hint & orphans->mask, number + 1);
	orphans->saturated |= number + 1 >= UINT8_MAX;
	set_count(orphans, stn_orphans_count(orphans) + 1);
}

/*
 * A number that has reached its maximum is no longer exact, so it stays until
 * the table is empty.
 */
static void
filter_remove(struct stn_orphans *orphans, uint32_t hint)
{
	uint32_t count = stn_orphans_count(orphans) - 1;
	uint8_t number = filter_number(orphans, hint);

	if (number < UINT8_MAX)
		filter_set(orphans, hint & orphans->mask, number - 1);
	set_count(orphans, count);
	if (count || !orphans->saturated)
		return;
	for (uint64_t i = 0; i <= orphans->mask; i++)
		filter_set(orphans, i, 0);
	orphans->saturated = false;
}

static void
heap_set(struct stn_orphans *orphans, size_t place, struct stn_orphan *orphan)
{
	orphans->heap[place] = orphan;
	orphan->place = place;
}

/* Puts @orphan to @place or to where it belongs from there. */
static void
heap_settle(struct stn_orphans *orphans, size_t place,
	    struct stn_orphan *orphan)
{
	struct stn_orphan **heap = orphans->heap;
	size_t next;

	while (place &&
	       orphan->ns_per_byte < heap[(place - 1) / 2]->ns_per_byte) {
		heap_set(orphans, place, heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	while ((next = 2 * place + 1) < orphans->stored_count) {
		if (next + 1 < orphans->stored_count &&
		    heap[next + 1]->ns_per_byte < heap[next]->ns_per_byte)
			next++;
		if (orphan->ns_per_byte <= heap[next]->ns_per_byte)
			break;
		heap_set(orphans, place, heap[next]);
		place = next;
	}
	heap_set(orphans, place, orphan);
}

static enum stn_err
heap_reserve(struct stn_orphans *orphans)
{
	uint32_t size = orphans->heap_size ? 2 * orphans->heap_size : 64;
	struct stn_orphan **heap;

	if (orphans->stored_count < orphans->heap_size)
		return STN_OK;
	heap = reallocarray(orphans->heap, size, sizeof(heap[0]));
	if (!heap)
		return STN_NO_MEMORY;
	orphans->heap = heap;
	orphans->heap_size = size;
	return STN_OK;
}

/* Needs a reserved place. */
static void
heap_add(struct stn_orphans *orphans, struct stn_orphan *orphan)
{
	orphans->stored_bytes += orphan->size;
	heap_settle(orphans, orphans->stored_count++, orphan);
}

static void
heap_remove(struct stn_orphans *orphans, struct stn_orphan *orphan)
{
	struct stn_orphan *last = orphans->heap[--orphans->stored_count];

	orphans->stored_bytes -= orphan->size;
	if (last != orphan)
		heap_settle(orphans, orphan->place, last);
}

static void
pointers_add(struct stn_orphans *orphans, struct stn_orphan *orphan)
{
	TAILQ_INSERT_TAIL(&orphans->pointers, orphan, link);
	orphans->pointer_count++;
}

static void
pointers_remove(struct stn_orphans *orphans, struct stn_orphan *orphan)
{
	TAILQ_REMOVE(&orphans->pointers, orphan, link);
	orphans->pointer_count--;
}

/* A new entry, which is neither in the heap nor among the pointers. */
static struct stn_orphan *
orphan_create(struct stn_orphans *orphans, struct stn_key key, uint32_t hint)
{
	struct stn_orphan *orphan = calloc(1, sizeof(*orphan));

	if (!orphan)
		return NULL;
	orphan->key = key;
	orphan->hint = hint;
	orphan->holds = 1;
	if (!tsearch(orphan, &orphans->index, by_key)) {
		free(orphan);
		return NULL;
	}
	filter_add(orphans, hint);
	return orphan;
}

/* The end of an entry that has left the heap or the pointers. */
static void
orphan_drop(struct stn_orphans *orphans, struct stn_orphan *orphan)
{
	tdelete(orphan, &orphans->index, by_key);
	filter_remove(orphans, orphan->hint);
	stn_orphan_release(orphan);
}

static void
remove_orphan(struct stn_orphans *orphans, struct stn_orphan *orphan)
{
	if (orphan->stored)
		heap_remove(orphans, orphan);
	else
		pointers_remove(orphans, orphan);
	orphan_drop(orphans, orphan);
}

void
stn_orphans_fini(struct stn_orphans *orphans)
{
	while (orphans->stored_count)
		remove_orphan(orphans,
			      orphans->heap[orphans->stored_count - 1]);
	while (!TAILQ_EMPTY(&orphans->pointers))
		remove_orphan(orphans, TAILQ_FIRST(&orphans->pointers));
	free(orphans->heap);
	free(orphans->filter);
}

static bool
orphans_fit(const struct stn_orphans *orphans, size_t size)
{
	return orphans->stored_count < orphans->bounds.results &&
	       orphans->stored_bytes + size <= orphans->bounds.bytes;
}

/*
 * Removes stored results until another one fits. They are put aside first,
 * because they stay if the last of them is worth more than the new one.
 */
static bool
orphans_make_room(struct stn_orphans *orphans, size_t size, double ns_per_byte)
{
	struct stn_orphan_list aside = TAILQ_HEAD_INITIALIZER(aside);
	struct stn_orphan *orphan;
	bool fit;

	while (!(fit = orphans_fit(orphans, size)) && orphans->stored_count &&
	       orphans->heap[0]->ns_per_byte < ns_per_byte) {
		orphan = orphans->heap[0];
		heap_remove(orphans, orphan);
		TAILQ_INSERT_TAIL(&aside, orphan, link);
	}
	while ((orphan = TAILQ_FIRST(&aside))) {
		TAILQ_REMOVE(&aside, orphan, link);
		if (fit)
			orphan_drop(orphans, orphan);
		else
			heap_add(orphans, orphan);
	}
	return fit;
}

enum stn_err
stn_orphans_keep(struct stn_orphans *orphans, struct stn_key key, uint32_t hint,
		 void *bytes, size_t size, uint64_t cost_ns, uint32_t of)
{
	/* A result without bytes counts as one byte. */
	double ns_per_byte = (double)cost_ns / (double)(size ? size : 1);
	struct stn_orphan *orphan = stn_orphans_find(orphans, key);

	if (orphan && orphan->stored) {
		orphan->keeps++;
		free(bytes);
		return STN_OK;
	}
	if (cost_ns < STN_ORPHANS_LEAST_NS || size > orphans->bounds.bytes)
		return STN_REFUSED;
	if (heap_reserve(orphans))
		return STN_NO_MEMORY;
	if (!orphans_make_room(orphans, size, ns_per_byte))
		return STN_REFUSED;
	if (orphan)
		pointers_remove(orphans, orphan);
	else
		orphan = orphan_create(orphans, key, hint);
	if (!orphan)
		return STN_NO_MEMORY;
	orphan->stored = true;
	orphan->bytes = bytes;
	orphan->size = size;
	orphan->of = of;
	orphan->keeps = 1;
	orphan->cost_ns = cost_ns;
	orphan->ns_per_byte = ns_per_byte;
	heap_add(orphans, orphan);
	return STN_OK;
}

void
stn_orphans_supersede(struct stn_orphans *orphans, struct stn_key key)
{
	struct stn_orphan *orphan = stn_orphans_find(orphans, key);

	if (orphan && orphan->stored && !orphan->announced && !--orphan->keeps)
		remove_orphan(orphans, orphan);
}

void
stn_orphans_announce(struct stn_orphans *orphans, uint32_t i)
{
	orphans->heap[i]->announced = true;
}

enum stn_err
stn_orphans_learn(struct stn_orphans *orphans, struct stn_key key,
		  uint32_t hint, uint32_t holder)
{
	struct stn_orphan *orphan = stn_orphans_find(orphans, key);

	if ((orphan && orphan->stored) || !orphans->bounds.pointers)
		return STN_OK;
	if (orphan)
		pointers_remove(orphans, orphan);
	else if (orphans->pointer_count == orphans->bounds.pointers)
		remove_orphan(orphans, TAILQ_FIRST(&orphans->pointers));
	if (!orphan)
		orphan = orphan_create(orphans, key, hint);
	if (!orphan)
		return STN_NO_MEMORY;
	orphan->holder = holder;
	pointers_add(orphans, orphan);
	return STN_OK;
}

struct stn_orphan *
stn_orphans_find(const struct stn_orphans *orphans, struct stn_key key)
{
	struct stn_orphan **found = tfind(&key, &orphans->index, by_key);

	return found ? *found : NULL;
}

bool
stn_orphans_remove(struct stn_orphans *orphans, struct stn_key key)
{
	struct stn_orphan *orphan = stn_orphans_find(orphans, key);

	if (orphan)
		remove_orphan(orphans, orphan);
	return orphan;
}

uint32_t
stn_orphans_forget_holder(struct stn_orphans *orphans, uint32_t holder)
{
	struct stn_orphan *orphan = TAILQ_FIRST(&orphans->pointers), *next;
	uint32_t before = orphans->pointer_count;

	for (; orphan; orphan = next) {
		next = TAILQ_NEXT(orphan, link);
		if (orphan->holder == holder)
			remove_orphan(orphans, orphan);
	}
	return before - orphans->pointer_count;
}

void
stn_orphan_hold(struct stn_orphan *orphan)
{
	orphan->holds++;
}

void
stn_orphan_release(struct stn_orphan *orphan)
{
	if (--orphan->holds)
		return;
	free(orphan->bytes);
	free(orphan);
}
