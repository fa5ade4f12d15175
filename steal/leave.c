#include "steal/leave.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "steal/keep.h"
#include "steal/keepers.h"
#include "steal/loan.h"
#include "steal/returns.h"
#include "steal/steal.h"

#define WINDOW_BYTES 65536	 /* under way at a time */
#define HEAP_BYTES (64ull << 20) /* that wait, at most */
#define MESSAGE_BYTES 100	 /* about; a small result costs as much */

/* Can @rank keep a result of node @of for this node? */
static bool
may_keep(const struct stn_node *node, uint32_t rank, uint32_t of)
{
	return rank != node->rank && rank != of &&
	       stn_members_stays(&node->members, rank);
}

static uint32_t
count_keepers(const struct stn_node *node, uint32_t cluster, uint32_t of)
{
	const struct stn_topology *topology = node->topology;
	uint32_t size = stn_cluster_size(topology, cluster);
	uint32_t count = 0;

	for (uint32_t i = 0; i < size; i++)
		count += may_keep(node, stn_cluster_rank(topology, cluster, i),
				  of);
	return count;
}

/* One of the @count keepers of the cluster; equal @turn, equal node. */
static uint32_t
keeper_in(const struct stn_node *node, uint32_t cluster, uint32_t count,
	  uint32_t turn, uint32_t of)
{
	uint32_t number = (turn + node->rank) % count;

	for (uint32_t i = 0;; i++) {
		uint32_t rank = stn_cluster_rank(node->topology, cluster, i);

		if (may_keep(node, rank, of) && !number--)
			return rank;
	}
}

static uint32_t
keeper_near(const struct stn_node *node, uint32_t turn, uint32_t of)
{
	uint32_t count = count_keepers(node, node->cluster, of);

	return count ? keeper_in(node, node->cluster, count, turn, of)
		     : STN_NOBODY;
}

static uint32_t
keeper_wide(const struct stn_node *node, uint32_t turn, uint32_t of)
{
	uint32_t all = node->topology->clusters;

	for (uint32_t i = 0; i + 1 < all; i++) {
		uint32_t step = (turn + i) % (all - 1) + 1;
		uint32_t cluster = (node->cluster + step) % all;
		uint32_t count = count_keepers(node, cluster, of);

		if (count)
			return keeper_in(node, cluster, count, turn, of);
	}
	return STN_NOBODY;
}

uint32_t
stn_handover_keeper(const struct stn_steal *steal, uint32_t turn)
{
	const struct stn_node *node = steal->node;
	uint32_t keeper = keeper_wide(node, turn, node->rank);

	return keeper != STN_NOBODY ? keeper
				    : keeper_near(node, turn, node->rank);
}

/*
 * The node that a result goes to. A spare one stays in this cluster, so that it
 * is as far from the node whose death it is kept for as before.
 */
static uint32_t
handed_to(struct stn_steal *steal, const struct stn_handed *handed)
{
	const struct stn_node *node = steal->node;
	uint32_t turn = steal->handover.turn++, keeper;

	if (!handed->spare)
		return stn_handover_keeper(steal, turn);
	keeper = keeper_near(node, turn, handed->header.of);
	if (keeper != STN_NOBODY ||
	    !stn_keepers_worth_wide(handed->header.spent_ns, handed->size))
		return keeper;
	return keeper_wide(node, turn, handed->header.of);
}

static bool
leaves_before(const struct stn_handed *a, const struct stn_handed *b)
{
	return a->spare != b->spare ? b->spare
				    : a->ns_per_byte > b->ns_per_byte;
}

static void
handover_put(struct stn_handover *handover, size_t place,
	     const struct stn_handed *handed)
{
	struct stn_handed *heap = handover->heap;

	while (place && leaves_before(handed, &heap[(place - 1) / 2])) {
		heap[place] = heap[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	heap[place] = *handed;
}

static void
handover_insert(struct stn_steal *steal, struct stn_handed *handed)
{
	struct stn_handover *handover = &steal->handover;

	handed->ns_per_byte = (double)handed->header.spent_ns /
			      (double)(handed->size + MESSAGE_BYTES);
	if (handover->count == handover->room) {
		size_t room = handover->room ? 2 * handover->room : 64;

		handover->heap = reallocarray(handover->heap, room,
					      sizeof(handover->heap[0]));
		if (!handover->heap)
			stn_node_fail(steal->node, "out of memory");
		handover->room = room;
	}
	handover_put(handover, handover->count++, handed);
}

void
stn_handover_add(struct stn_steal *steal, const struct stn_wire_deposit *header,
		 void *bytes, size_t size)
{
	struct stn_handed handed = { .header = *header,
				     .bytes = bytes,
				     .size = size };

	if (steal->handover.waiting_bytes + size > HEAP_BYTES) {
		free(bytes); /* the call is repeated */
		return;
	}
	steal->handover.waiting_bytes += size;
	handover_insert(steal, &handed);
}

/*
 * Hands over a result that this node keeps. If its node stays, the result is
 * only needed if that node dies later. If it is of this node, another node
 * keeps it, too, and may die later. So these results are spare ones.
 */
static void
handover_add_stored(struct stn_steal *steal, struct stn_orphan *orphan)
{
	const struct stn_members *members = &steal->node->members;
	struct stn_handed handed = {
		.header = { .key = orphan->key,
			    .hint = orphan->hint,
			    .spent_ns = orphan->cost_ns,
			    .of = orphan->of },
		.bytes = orphan->bytes,
		.size = orphan->size,
		.orphan = orphan,
		.spare = orphan->of == steal->node->rank ||
			 stn_members_stays(members, orphan->of),
	};

	stn_orphan_hold(orphan);
	handover_insert(steal, &handed);
}

void
stn_handover_kept(struct stn_steal *steal, struct stn_key key)
{
	struct stn_orphan *orphan;

	if (!steal->handover.begun)
		return; /* add_kept will find it */
	orphan = stn_orphans_find(&steal->orphans, key);
	if (orphan && orphan->stored)
		handover_add_stored(steal, orphan);
}

static void
handed_free(const struct stn_handed *handed)
{
	if (handed->orphan)
		stn_orphan_release(handed->orphan);
	else
		free(handed->bytes);
}

static struct stn_handed
handover_take(struct stn_handover *handover)
{
	struct stn_handed *heap = handover->heap, first = heap[0];
	struct stn_handed last = heap[--handover->count];
	size_t place = 0, next;

	if (!first.orphan)
		handover->waiting_bytes -= first.size;
	while ((next = 2 * place + 1) < handover->count) {
		if (next + 1 < handover->count &&
		    leaves_before(&heap[next + 1], &heap[next]))
			next++;
		if (!leaves_before(&heap[next], &last))
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
		handed_free(&handover->heap[i]);
	free(handover->heap);
}

/* A result that has left the heap. */
struct departure {
	struct stn_steal *steal;
	struct stn_handed handed;
	size_t size; /* of the message, about */
};

static void
departed(void *arg, enum stn_err err)
{
	struct departure *departure = arg;

	(void)err; /* if the receiver died, the call is repeated */
	departure->steal->handover.under_way_bytes -= departure->size;
	handed_free(&departure->handed);
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
	*departure = (struct departure){ steal, *handed,
					 handed->size + MESSAGE_BYTES };
	steal->handover.under_way_bytes += departure->size;
	steal->counts.deposited++;
	stn_search_show(steal->search, to);
	stn_node_send(steal->node, to, STN_DEPOSIT, &departure->handed.header,
		      sizeof(departure->handed.header), &piece,
		      handed->size ? 1 : 0, departed, departure);
}

/* Sends results while few are under way. Returns whether all have left. */
static bool
handover_send(struct stn_steal *steal)
{
	struct stn_handover *handover = &steal->handover;

	while (handover->count && handover->under_way_bytes < WINDOW_BYTES) {
		struct stn_handed handed = handover_take(handover);
		uint32_t to = handed_to(steal, &handed);

		if (to == STN_NOBODY)
			handed_free(&handed);
		else
			handover_depart(steal, &handed, to);
	}
	return !handover->count && !handover->under_way_bytes;
}

static void
add_kept(struct stn_steal *steal)
{
	for (uint32_t i = 0; i < steal->orphans.stored_count; i++)
		handover_add_stored(steal,
				    stn_orphans_stored(&steal->orphans, i));
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

/* A job that lands from a dead node will be dropped: job_landed. */
static bool
has_jobs(const struct stn_steal *steal)
{
	const struct stn_members *members = &steal->node->members;
	const struct stn_job *job;

	LIST_FOREACH (job, &steal->jobs, all)
		if (!job->landing || !stn_members_lost(members, job->from))
			return true;
	return false;
}

/* Everything that workers run is part of a job, or of main on the root. */
static bool
still_works(const struct stn_steal *steal)
{
	const struct stn_node *node = steal->node;

	return has_jobs(steal) || steal->requests.out ||
	       node->members.root == node->rank;
}

bool
stn_leave(struct stn_steal *steal, bool stop)
{
	bool sent, done;

	if (!steal->handover.begun) {
		steal->handover.begun = true;
		stn_request_cancel_all(steal);
		stn_parked_end(steal);
		add_kept(steal);
	}
	stn_loan_return_all(steal);
	stn_returns_send_all(steal);
	sent = handover_send(steal);
	done = sent &&
	       !(stop ? result_is_under_way(steal) : still_works(steal));
	/*
	 * Calls that still run add results to the log, so they end before the
	 * log is flushed; at the end of the grace the log doesn't wait for them.
	 */
	return (done || stop) && stn_keep_flush(steal) && done;
}
