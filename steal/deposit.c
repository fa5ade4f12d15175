#include "steal/deposit.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "steal/buffers.h"
#include "steal/orphans.h"

#define MARKED_MOST 64 /* records of a deque, each time */
#define COPIES 2       /* of a result, in different clusters */

/*
 * A call must have taken this long for its result to be sent, and this much
 * longer for each byte of the result. Then a node sends 10 KB/s at most to
 * other clusters, and 1 MB/s inside its cluster.
 */
#define LEAST_NS 10000000ull
#define WIDE_NS_PER_BYTE 1000000ull
#define NEAR_NS_PER_BYTE 1000ull

/* A node that leaves marks so often, and deposits calls of that length. */
#define LEAVING_MARK_NS 10000000ull
#define LEAVING_LEAST_NS STN_ORPHANS_LEAST_NS

static bool
deposits(const struct stn_steal *steal)
{
	return steal->survives && steal->node->config->deposit_ns &&
	       steal->node->members.living > 1;
}

static uint64_t
least_ns(const struct stn_steal *steal)
{
	return steal->node->leaving ? LEAVING_LEAST_NS : LEAST_NS;
}

static uint64_t
mark_ns(const struct stn_steal *steal)
{
	uint64_t ns = steal->node->config->deposit_ns;

	return steal->node->leaving && ns > LEAVING_MARK_NS ? LEAVING_MARK_NS
							    : ns;
}

uint64_t
stn_deposit_tick(struct stn_steal *steal, uint64_t now)
{
	if (!deposits(steal))
		return STN_FOREVER;
	if (now < steal->mark_ns && steal->mark_ns - now <= mark_ns(steal))
		return steal->mark_ns;
	for (uint32_t i = 0; i < steal->node->worker_count; i++) {
		struct stn_owner *owner = &steal->owners[i];

		atomic_store_explicit(
			&owner->marked,
			stn_deque_mark(&owner->deque, MARKED_MOST),
			memory_order_relaxed);
	}
	steal->mark_ns = now + mark_ns(steal);
	return steal->mark_ns;
}

void
stn_deposit_begin(struct stn_owner *owner, struct stn_deposit *deposit,
		  const struct stn_task *task, const struct stn_record *record)
{
	stn_record_copy(&deposit->record, record);
	deposit->task = task;
	deposit->key = stn_steal_key(owner->steal, task, record);
	deposit->hint = stn_steal_hint(owner->steal, task, record);
	deposit->begin_ns = stn_node_now(owner->node);
}

static bool
is_worth(uint64_t spent_ns, size_t bytes, uint64_t ns_per_byte)
{
	return spent_ns >= LEAST_NS &&
	       (spent_ns - LEAST_NS) / ns_per_byte >= bytes;
}

/* The node of another cluster that keeps a copy, or STN_NOBODY. */
static uint32_t
wide_keeper(const struct stn_steal *steal, uint32_t copy)
{
	const struct stn_node *node = steal->node;
	const struct stn_members *members = &node->members;
	uint32_t number = stn_members_number(members, node->rank);
	uint32_t all = node->topology->clusters;

	/* The nodes of a cluster share the other clusters. */
	copy = (copy + number) % (members->clusters - 1);
	for (uint32_t i = 1; i < all; i++) {
		uint32_t cluster = (node->cluster + i) % all;

		if (members->in_cluster[cluster] && !copy--)
			return stn_members_at(
				members, cluster,
				number % members->in_cluster[cluster]);
	}
	return STN_NOBODY;
}

/* The next node of this cluster, or STN_NOBODY. */
static uint32_t
near_keeper(const struct stn_steal *steal)
{
	const struct stn_node *node = steal->node;
	const struct stn_members *members = &node->members;
	uint32_t count = members->in_cluster[node->cluster];
	uint32_t number = stn_members_number(members, node->rank);

	return count > 1 ? stn_members_at(members, node->cluster,
					  (number + 1) % count)
			 : STN_NOBODY;
}

/* A result on its way to the nodes that keep it. */
struct parcel {
	struct stn_wire_deposit header;
	uint32_t users;
	void *bytes;
};

static void
parcel_left(void *arg, enum stn_err err)
{
	struct parcel *parcel = arg;

	(void)err; /* if the receiver died, the result has one copy less */
	if (--parcel->users)
		return;
	free(parcel->bytes);
	free(parcel);
}

static void
parcel_send(struct stn_steal *steal, struct parcel *parcel, size_t size,
	    uint32_t to)
{
	struct iovec piece = { parcel->bytes, size };

	if (to == STN_NOBODY)
		return;
	parcel->users++;
	steal->counts.deposited++;
	stn_node_send(steal->node, to, STN_DEPOSIT, &parcel->header,
		      sizeof(parcel->header), &piece, size ? 1 : 0, parcel_left,
		      parcel);
}

/* Keeps a copy of a deposit here. */
static void
keep_copy(struct stn_steal *steal, const struct stn_wire_deposit *header,
	  const void *bytes, size_t size)
{
	void *copy = malloc(size + 1);

	if (!copy)
		return;
	memcpy(copy, bytes, size);
	if (stn_orphans_keep(&steal->orphans, header->key, header->hint, copy,
			     size, header->spent_ns, steal->node->rank))
		free(copy);
}

/* Sends the bytes, which it frees, to the nodes that keep them. */
static void
deposit_bytes(struct stn_steal *steal, const struct stn_wire_deposit *header,
	      void *bytes, size_t size)
{
	uint32_t others = steal->node->members.clusters - 1;
	struct parcel *parcel;

	if (steal->node->leaving) {
		stn_handover_add(steal, header, bytes, size);
		return;
	}
	parcel = malloc(sizeof(*parcel));
	if (!parcel) {
		free(bytes);
		return;
	}
	*parcel = (struct parcel){ *header, 1, bytes };
	if (steal->node->members.leavers &&
	    is_worth(header->spent_ns, size, NEAR_NS_PER_BYTE))
		parcel_send(steal, parcel, size,
			    stn_handover_keeper(steal, steal->handover.turn++));
	else if (others && is_worth(header->spent_ns, size, WIDE_NS_PER_BYTE))
		for (uint32_t i = 0; i < COPIES && i < others; i++)
			parcel_send(steal, parcel, size, wide_keeper(steal, i));
	else if (is_worth(header->spent_ns, size, NEAR_NS_PER_BYTE))
		parcel_send(steal, parcel, size, near_keeper(steal));
	keep_copy(steal, header, bytes, size);
	parcel_left(parcel, STN_OK);
}

void
stn_deposit_end(struct stn_owner *owner, const struct stn_deposit *deposit,
		void *result)
{
	struct stn_steal *steal = owner->steal;
	struct stn_wire_deposit header = {
		.key = deposit->key,
		.hint = deposit->hint,
		.spent_ns = stn_node_now(owner->node) - deposit->begin_ns,
	};
	size_t size;
	void *bytes;

	if (header.spent_ns < least_ns(steal))
		return;
	bytes = stn_outputs_copy(deposit->task, &deposit->record, result,
				 &size);
	if (!bytes)
		return; /* the call is repeated, if it comes to that */
	stn_node_enter(steal->node);
	deposit_bytes(steal, &header, bytes, size);
	stn_node_leave(steal->node);
}

/* Does the death of this node's cluster leave the job's home alive? */
static bool
home_is_apart(const struct stn_steal *steal, const struct stn_job *job)
{
	const struct stn_node *node = steal->node;

	if (node->leaving)
		return stn_members_stays(&node->members, job->record.rank);
	return job->record.rank != node->rank &&
	       (node->members.clusters == 1 ||
		stn_node_is_wide(node, job->record.rank));
}

void
stn_deposit_job(struct stn_steal *steal, const struct stn_job *job)
{
	struct stn_wire_deposit header = { .key = job->key,
					   .hint = job->hint,
					   .spent_ns = job->spent_ns };
	size_t size;
	void *bytes;

	if (!deposits(steal) || job->spent_ns < least_ns(steal))
		return;
	bytes = stn_outputs_copy(job->record.task, &job->record, job->result,
				 &size);
	if (!bytes)
		return;
	if (!home_is_apart(steal, job))
		deposit_bytes(steal, &header, bytes, size);
	else if (stn_orphans_keep(&steal->orphans, job->key, job->hint, bytes,
				  size, job->spent_ns, job->record.rank))
		free(bytes);
}

/* A deposit that is arriving. */
struct arrival {
	struct stn_steal *steal;
	struct stn_wire_deposit header;
	uint32_t from;
	void *bytes;
	size_t size;
};

static void
deposit_landed(void *arg, enum stn_err err)
{
	struct arrival *arrival = arg;
	const struct stn_wire_deposit *header = &arrival->header;

	if (err || stn_orphans_keep(&arrival->steal->orphans, header->key,
				    header->hint, arrival->bytes, arrival->size,
				    header->spent_ns, arrival->from))
		free(arrival->bytes);
	free(arrival);
}

void
stn_deposit_take(struct stn_steal *steal, const struct stn_message *message,
		 const struct stn_wire_deposit *deposit)
{
	struct iovec piece = { NULL, message->payload_bytes };
	struct arrival *arrival;

	if (!steal->survives || piece.iov_len > STN_ORPHANS_BOUNDS.bytes)
		goto refuse;
	arrival = malloc(sizeof(*arrival));
	piece.iov_base = malloc(piece.iov_len + 1);
	if (!arrival || !piece.iov_base) {
		free(arrival);
		free(piece.iov_base);
		goto refuse;
	}
	*arrival = (struct arrival){ steal, *deposit, message->from,
				     piece.iov_base, piece.iov_len };
	if (piece.iov_len)
		stn_transport_take(steal->node->transport, message, &piece, 1,
				   deposit_landed, arrival);
	else
		deposit_landed(arrival, STN_OK);
	return;
refuse:
	if (piece.iov_len)
		stn_transport_refuse(steal->node->transport, message);
}
