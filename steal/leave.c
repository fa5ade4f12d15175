#include "steal/leave.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "steal/loan.h"
#include "steal/returns.h"
#include "steal/steal.h"

#define WINDOW_BYTES 65536	 /* under way at a time */
#define HEAP_BYTES (64ull << 20) /* that wait, at most */
#define MESSAGE_BYTES 100	 /* about; a small result costs as much */

/* The number of nodes of a cluster that stay. */
static uint32_t
count_staying(const struct stn_members *members, uint32_t cluster)
{
	const struct stn_topology *topology = members->topology;
	uint32_t size = stn_cluster_size(topology, cluster);
	uint32_t count = 0;

	for (uint32_t i = 0; i < size; i++)
		count += stn_members_stays(
			members, stn_cluster_rank(topology, cluster, i));
	return count;
}

static uint32_t
staying_at(const struct stn_members *members, uint32_t cluster, uint32_t number)
{
	for (uint32_t i = 0;; i++) {
		uint32_t rank = stn_cluster_rank(members->topology, cluster, i);

		if (stn_members_stays(members, rank) && !number--)
			return rank;
	}
}

uint32_t
stn_handover_keeper(const struct stn_steal *steal, uint32_t turn)
{
	const struct stn_node *node = steal->node;
	const struct stn_members *members = &node->members;
	uint32_t all = node->topology->clusters;
	uint32_t others = all - 1, first = others ? turn % others : 0;

	/* The last cluster to be looked at is this one. */
	for (uint32_t i = 0; i < all; i++) {
		uint32_t step = i < others ? (first + i) % others + 1 : 0;
		uint32_t cluster = (node->cluster + step) % all;
		uint32_t count = count_staying(members, cluster);
		uint32_t number = turn + node->rank;

		if (count == 1 && staying_at(members, cluster, 0) == node->rank)
			continue;
		if (!count)
			continue;
		if (staying_at(members, cluster, number % count) == node->rank)
			number++;
		return staying_at(members, cluster, number % count);
	}
	return STN_NOBODY;
}

static void
handover_put(struct stn_handover *handover, size_t place,
	     const struct stn_handed *handed)
{
	struct stn_handed *heap = handover->heap;

	while (place &&
	       handed->ns_per_byte > heap[(place - 1) / 2].ns_per_byte) {
		heap[place] = heap[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	heap[place] = *handed;
}

void
stn_handover_add(struct stn_steal *steal, const struct stn_wire_deposit *header,
		 void *bytes, size_t size)
{
	struct stn_handover *handover = &steal->handover;
	struct stn_handed handed = { *header, bytes, size,
				     (double)header->spent_ns /
					     (double)(size + MESSAGE_BYTES) };

	if (handover->waiting_bytes + size > HEAP_BYTES) {
		free(bytes); /* the call is repeated */
		return;
	}
	if (handover->count == handover->room) {
		size_t room = handover->room ? 2 * handover->room : 64;

		handover->heap = reallocarray(handover->heap, room,
					      sizeof(handover->heap[0]));
		if (!handover->heap)
			stn_node_fail(steal->node, "out of memory");
		handover->room = room;
	}
	handover->waiting_bytes += size;
	handover_put(handover, handover->count++, &handed);
}

static struct stn_handed
handover_take(struct stn_handover *handover)
{
	struct stn_handed *heap = handover->heap, first = heap[0];
	struct stn_handed last = heap[--handover->count];
	size_t place = 0, next;

	handover->waiting_bytes -= first.size;
	while ((next = 2 * place + 1) < handover->count) {
		if (next + 1 < handover->count &&
		    heap[next + 1].ns_per_byte > heap[next].ns_per_byte)
			next++;
		if (last.ns_per_byte >= heap[next].ns_per_byte)
			break;
		heap[place] = heap[next];
		place = next;
	}
	heap[place] = last;
	return first;
}

void
stn_handover_fini(struct stn_handover *handover)
{
	for (size_t i = 0; i < handover->count; i++)
		free(handover->heap[i].bytes);
	free(handover->heap);
}

/* A result that has left the heap. */
struct departure {
	struct stn_steal *steal;
	struct stn_wire_deposit header;
	size_t size;
	void *bytes;
};

static void
departed(void *arg, enum stn_err err)
{
	struct departure *departure = arg;

	(void)err; /* if the receiver died, the call is repeated */
	departure->steal->handover.under_way_bytes -= departure->size;
	free(departure->bytes);
	free(departure);
}

static void
handover_depart(struct stn_steal *steal, const struct stn_handed *handed,
		uint32_t to)
{
	struct departure *departure = malloc(sizeof(*departure));
	struct iovec piece = { handed->bytes, handed->size };

	if (!departure)
		stn_node_fail(steal->node, "out of memory");
	*departure = (struct departure){ steal, handed->header,
					 handed->size + MESSAGE_BYTES,
					 handed->bytes };
	steal->handover.under_way_bytes += departure->size;
	steal->counts.deposited++;
	stn_search_show(steal->search, to);
	stn_node_send(steal->node, to, STN_DEPOSIT, &departure->header,
		      sizeof(departure->header), &piece, handed->size ? 1 : 0,
		      departed, departure);
}

/* Sends results while few are under way. Returns whether all have left. */
static bool
handover_send(struct stn_steal *steal)
{
	struct stn_handover *handover = &steal->handover;

	while (handover->count && handover->under_way_bytes < WINDOW_BYTES) {
		struct stn_handed handed = handover_take(handover);
		uint32_t to = stn_handover_keeper(steal, handover->turn++);

		if (to == STN_NOBODY)
			free(handed.bytes);
		else
			handover_depart(steal, &handed, to);
	}
	return !handover->count && !handover->under_way_bytes;
}

/*
 * The results that this node keeps for nodes that are gone, or that leave: the
 * calls that need them have not been repeated yet.
 */
static void
add_kept(struct stn_steal *steal)
{
	const struct stn_node *node = steal->node;

	for (uint32_t i = 0; i < steal->orphans.stored_count; i++) {
		const struct stn_orphan *orphan =
			stn_orphans_stored(&steal->orphans, i);
		struct stn_wire_deposit header = { .key = orphan->key,
						   .hint = orphan->hint,
						   .spent_ns =
							   orphan->cost_ns };
		void *copy;

		if (orphan->of == node->rank ||
		    stn_members_stays(&node->members, orphan->of))
			continue;
		copy = malloc(orphan->size + 1);
		if (!copy)
			return;
		memcpy(copy, orphan->bytes, orphan->size);
		stn_handover_add(steal, &header, copy, orphan->size);
	}
}

/* Is a result, or a record that goes home, on its way? */
static bool
result_is_under_way(const struct stn_steal *steal)
{
	const struct stn_job *job;

	LIST_FOREACH (job, &steal->jobs, all)
		if (job->done || job->leaves)
			return true;
	return false;
}

/* Everything that workers run is part of a job, or of main on the root. */
static bool
still_works(const struct stn_steal *steal)
{
	const struct stn_node *node = steal->node;

	return !LIST_EMPTY(&steal->jobs) || steal->requests.out ||
	       node->members.root == node->rank;
}

bool
stn_leave(struct stn_steal *steal, bool stop)
{
	bool sent;

	if (!steal->handover.begun) {
		steal->handover.begun = true;
		stn_request_cancel_all(steal);
		stn_parked_end(steal);
		add_kept(steal);
	}
	stn_loan_return_all(steal);
	stn_returns_send_all(steal);
	sent = handover_send(steal);
	return sent &&
	       !(stop ? result_is_under_way(steal) : still_works(steal));
}
