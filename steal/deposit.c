#include "steal/deposit.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "steal/buffers.h"
#include "steal/keepers.h"
#include "steal/orphans.h"

#define MARKED_MOST 64 /* records of a deque, each time */
#define COPIES 2       /* of a result, in different clusters */

/*
 * Bytes of inout buffers that a worker hashes between two marks: about 0.5 ms.
 * They are hashed before the call runs, so before it is known what its result
 * is worth.
 */
#define INOUTS_MOST (4 << 20)

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
		atomic_store_explicit(&owner->inouts_left, INOUTS_MOST,
				      memory_order_relaxed);
	}
	steal->mark_ns = now + mark_ns(steal);
	return steal->mark_ns;
}

/* Relaxed: a stale number only changes what is deposited. */
static bool
may_hash(struct stn_owner *owner, size_t inouts)
{
	size_t left =
		atomic_load_explicit(&owner->inouts_left, memory_order_relaxed);

	if (!inouts || owner->node->leaving)
		return true;
	if (inouts > left)
		return false;
	atomic_store_explicit(&owner->inouts_left, left - inouts,
			      memory_order_relaxed);
	return true;
}

bool
stn_deposit_begin(struct stn_owner *owner, struct stn_deposit *deposit,
		  const struct stn_task *task, const struct stn_record *record)
{
	if (!may_hash(owner, stn_inouts_bytes(task, record)))
		return false;
	stn_record_copy(&deposit->record, record);
	deposit->task = task;
	deposit->inouts = stn_key_inouts(task, record);
	deposit->hint = stn_steal_hint(owner->steal, task, record);
	deposit->begin_ns = stn_node_now(owner->node);
	deposit->nested = stn_nested_begin(&owner->nested);
	return true;
}

/* Is the result worth a copy here, and one at a node of this cluster? */
static bool
is_worth_copying(const struct stn_steal *steal, uint64_t spent_ns, size_t bytes)
{
	if (steal->node->leaving)
		return spent_ns >= LEAVING_LEAST_NS;
	return stn_keepers_worth_near(spent_ns, bytes);
}

/*
 * The payload of a DEPOSIT: the result, and behind it the keys. Returns the
 * number of pieces; none is empty.
 */
static size_t
payload_pieces(struct iovec pieces[2], void *bytes, size_t size,
	       struct stn_key *keys, uint32_t count)
{
	size_t used = 0;

	if (size)
		pieces[used++] = (struct iovec){ bytes, size };
	if (count)
		pieces[used++] =
			(struct iovec){ keys, count * sizeof(keys[0]) };
	return used;
}

/* A result on its way to the nodes that keep it. */
struct parcel {
	struct stn_wire_deposit header;
	uint32_t users;
	bool sent;
	void *bytes;
	size_t size;
	struct stn_key keys[];
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
parcel_send(struct stn_steal *steal, struct parcel *parcel, uint32_t to)
{
	struct iovec pieces[2];
	size_t count = payload_pieces(pieces, parcel->bytes, parcel->size,
				      parcel->keys, parcel->header.keys);

	if (to == STN_NOBODY)
		return;
	parcel->users++;
	parcel->sent = true;
	steal->counts.deposited++;
	stn_search_show(steal->search, to);
	stn_node_send(steal->node, to, STN_DEPOSIT, &parcel->header,
		      sizeof(parcel->header), pieces, count, parcel_left,
		      parcel);
}

static void
parcel_send_all(struct stn_steal *steal, struct parcel *parcel)
{
	uint32_t others = steal->node->members.clusters - 1;
	uint64_t spent_ns = parcel->header.spent_ns;
	bool near = stn_keepers_worth_near(spent_ns, parcel->size);

	if (steal->node->members.leavers && near)
		parcel_send(steal, parcel,
			    stn_handover_keeper(steal, steal->handover.turn++));
	else if (others && stn_keepers_worth_wide(spent_ns, parcel->size))
		for (uint32_t i = 0; i < COPIES && i < others; i++)
			parcel_send(steal, parcel,
				    stn_keepers_wide(steal->node, i));
	else if (near)
		parcel_send(steal, parcel, stn_keepers_near(steal->node));
}

/* Keeps a copy of a deposit here. Returns whether there is one. */
static bool
keep_copy(struct stn_steal *steal, const struct parcel *parcel)
{
	const struct stn_wire_deposit *header = &parcel->header;
	void *copy = malloc(parcel->size + 1);

	if (!copy)
		return false;
	memcpy(copy, parcel->bytes, parcel->size);
	if (!stn_orphans_keep(&steal->orphans, header->key, header->hint, copy,
			      parcel->size, header->spent_ns,
			      steal->node->rank))
		return true;
	free(copy);
	return false;
}

static void
supersede_all(struct stn_steal *steal, const struct stn_key *keys,
	      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		stn_orphans_supersede(&steal->orphans, keys[i]);
}

/* The result of @key is kept here for another node, and supersedes @keys. */
static void
keep_outer(struct stn_steal *steal, struct stn_key key,
	   const struct stn_key *keys, uint32_t count)
{
	supersede_all(steal, keys, count);
	stn_handover_kept(steal, key);
}

/*
 * Deposits a result that supersedes the keys from @begin on. It supersedes none
 * if it is not stored here or on no other node: then the deposits inside it
 * have copies that it has not.
 */
static void
parcel_deposit(struct stn_owner *owner, struct parcel *parcel, uint32_t begin)
{
	struct stn_steal *steal = owner->steal;
	struct stn_nested *nested = &owner->nested;
	uint32_t count = stn_nested_inside(nested, begin);
	bool kept = keep_copy(steal, parcel);

	if (kept && count) {
		memcpy(parcel->keys, nested->keys + nested->count - count,
		       count * sizeof(parcel->keys[0]));
		parcel->header.keys = count;
	}
	parcel_send_all(steal, parcel);
	if (!kept || !parcel->sent)
		return;
	supersede_all(steal, parcel->keys, count);
	stn_nested_cut(nested, begin);
	stn_nested_push(nested, parcel->header.key);
}

/*
 * Sends the bytes, which it frees, to the nodes that keep them. The frame of
 * the call began at @begin.
 */
static void
deposit_bytes(struct stn_owner *owner, const struct stn_wire_deposit *header,
	      void *bytes, size_t size, uint32_t begin)
{
	uint32_t inside = stn_nested_inside(&owner->nested, begin);
	struct parcel *parcel;

	if (owner->node->leaving) {
		stn_handover_add(owner->steal, header, bytes, size);
		return;
	}
	parcel = malloc(sizeof(*parcel) + inside * sizeof(parcel->keys[0]));
	if (!parcel) {
		free(bytes);
		return;
	}
	*parcel = (struct parcel){
		.header = *header, .users = 1, .bytes = bytes, .size = size
	};
	parcel_deposit(owner, parcel, begin);
	parcel_left(parcel, STN_OK);
}

void
stn_deposit_end(struct stn_owner *owner, const struct stn_deposit *deposit,
		void *result)
{
	struct stn_steal *steal = owner->steal;
	const struct stn_task *task = deposit->task;
	const struct stn_record *record = &deposit->record;
	struct stn_wire_deposit header = {
		.hint = deposit->hint,
		.spent_ns = stn_node_now(owner->node) - deposit->begin_ns,
		.of = owner->node->rank,
	};
	size_t size;
	void *bytes;

	if (!is_worth_copying(steal, header.spent_ns,
			      stn_outputs_bytes(task, record)))
		return;
	bytes = stn_outputs_copy(task, record, result, &size);
	if (!bytes)
		return; /* the call is repeated, if it comes to that */
	header.key = stn_key_of(stn_table_hash(&steal->program->table, task),
				task, record, deposit->inouts);
	stn_node_enter(steal->node);
	deposit_bytes(owner, &header, bytes, size, deposit->nested);
	stn_node_leave(steal->node);
}

bool
stn_deposit_is_likely(const struct stn_job *job, uint64_t spent_ns)
{
	const struct stn_steal *steal = job->steal;

	return steal->survives && steal->node->config->deposit_ns &&
	       is_worth_copying(
		       steal, spent_ns,
		       stn_outputs_bytes(job->record.task, &job->record));
}

void
stn_deposit_job(struct stn_owner *owner, struct stn_job *job)
{
	struct stn_steal *steal = owner->steal;
	struct stn_nested *nested = &owner->nested;
	uint32_t inside = stn_nested_inside(nested, job->nested);
	struct stn_wire_deposit header = { .spent_ns = job->spent_ns,
					   .of = owner->node->rank };
	size_t size;
	void *bytes;

	if (!deposits(steal) ||
	    !is_worth_copying(
		    steal, job->spent_ns,
		    stn_outputs_bytes(job->record.task, &job->record)))
		return;
	bytes = stn_outputs_copy(job->record.task, &job->record, job->result,
				 &size);
	if (!bytes)
		return;
	header.key = stn_job_key(job);
	header.hint = stn_job_hint(job);
	if (!stn_keepers_apart(owner->node, job->record.rank))
		deposit_bytes(owner, &header, bytes, size, job->nested);
	else if (stn_orphans_keep(&steal->orphans, header.key, header.hint,
				  bytes, size, job->spent_ns, job->record.rank))
		free(bytes);
	else
		keep_outer(steal, header.key,
			   nested->keys + nested->count - inside, inside);
}

/* A deposit that is arriving. */
struct arrival {
	struct stn_steal *steal;
	struct stn_wire_deposit header;
	void *bytes;
	size_t size;
	struct stn_key keys[];
};

static void
deposit_landed(void *arg, enum stn_err err)
{
	struct arrival *arrival = arg;
	const struct stn_wire_deposit *header = &arrival->header;

	if (err || stn_orphans_keep(&arrival->steal->orphans, header->key,
				    header->hint, arrival->bytes, arrival->size,
				    header->spent_ns, header->of))
		free(arrival->bytes);
	else
		keep_outer(arrival->steal, header->key, arrival->keys,
			   header->keys);
	free(arrival);
}

/* NULL: the deposit is too large, or there is no memory. */
static struct arrival *
arrival_create(struct stn_steal *steal, const struct stn_message *message,
	       const struct stn_wire_deposit *deposit)
{
	size_t keys_bytes = deposit->keys * sizeof(struct stn_key);
	size_t size = message->payload_bytes - keys_bytes;
	struct arrival *arrival;

	if (deposit->keys > STN_NESTED_MOST || size > STN_ORPHANS_BOUNDS.bytes)
		return NULL;
	arrival = malloc(sizeof(*arrival) + keys_bytes);
	if (!arrival)
		return NULL;
	*arrival = (struct arrival){ .steal = steal,
				     .header = *deposit,
				     .bytes = malloc(size + 1),
				     .size = size };
	if (arrival->bytes)
		return arrival;
	free(arrival);
	return NULL;
}

void
stn_deposit_take(struct stn_steal *steal, const struct stn_message *message,
		 const struct stn_wire_deposit *deposit)
{
	struct arrival *arrival = NULL;
	struct iovec pieces[2];
	size_t count;

	if (steal->survives)
		arrival = arrival_create(steal, message, deposit);
	if (!arrival) {
		if (message->payload_bytes)
			stn_transport_refuse(steal->node->transport, message);
		return;
	}
	count = payload_pieces(pieces, arrival->bytes, arrival->size,
			       arrival->keys, deposit->keys);
	if (count)
		stn_transport_take(steal->node->transport, message, pieces,
				   count, deposit_landed, arrival);
	else
		deposit_landed(arrival, STN_OK);
}
