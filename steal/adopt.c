#include "steal/adopt.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "steal/buffers.h"
#include "steal/loan.h"
#include "steal/steal.h"
#include "transport/pieces.h"

static bool
is_orphan(const struct stn_steal *steal, const struct stn_job *job)
{
	return !job->landing &&
	       !stn_members_has(&steal->node->members, job->record.rank);
}

/* The job of an orphan that is being computed, or NULL. */
static struct stn_job *
find_running(struct stn_steal *steal, struct stn_key key)
{
	struct stn_job *job;

	LIST_FOREACH (job, &steal->jobs, all)
		if (is_orphan(steal, job) && !job->done &&
		    job->key.low == key.low && job->key.high == key.high)
			return job;
	return NULL;
}

void
stn_adopt_keep(struct stn_steal *steal, struct stn_job *job)
{
	struct stn_gather outputs;
	void *bytes;

	if (stn_gather_init(&outputs, job->record.task, &job->record,
			    STN_OUTPUTS, job->result))
		return; /* the result is computed again */
	bytes = malloc(outputs.bytes + 1);
	if (bytes) {
		stn_pieces_copy(&(struct iovec){ bytes, outputs.bytes },
				outputs.pieces, outputs.bytes);
		if (stn_orphans_keep(&steal->orphans, job->key, job->hint,
				     bytes, outputs.bytes, job->spent_ns))
			steal->counts.kept++;
		else
			free(bytes);
	}
	stn_gather_fini(&outputs);
}

static void
announce_stored(void *arg, struct stn_key key, uint32_t hint)
{
	struct stn_steal *steal = arg;

	stn_membership_notice(steal->node, key.low, key.high, hint);
}

void
stn_adopt_notices(struct stn_steal *steal)
{
	struct stn_job *job;

	LIST_FOREACH (job, &steal->jobs, all)
		if (is_orphan(steal, job))
			stn_membership_notice(steal->node, job->key.low,
					      job->key.high, job->hint);
	stn_orphans_each(&steal->orphans, announce_stored, steal);
}

void
stn_adopt_noticed(struct stn_steal *steal, const struct stn_notice *notices,
		  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct stn_notice *notice = &notices[i];
		struct stn_key key = { notice->words[0], notice->words[1] };

		if (stn_members_has(&steal->node->members, notice->from))
			stn_orphans_point(&steal->orphans, key, notice->about,
					  notice->from);
	}
}

void
stn_adopt_died(struct stn_steal *steal, uint32_t rank)
{
	stn_orphans_forget_holder(&steal->orphans, rank);
}

/* A stored result on its way to the node that asked for it. */
struct sending {
	struct stn_wire_result home;
	unsigned char bytes[];
};

static void
sending_left(void *arg, enum stn_err err)
{
	(void)err; /* if the receiver died, nobody needs the result */
	free(arg);
}

static void
send_stored(struct stn_steal *steal, uint32_t to,
	    const struct stn_wire_fetch *fetch,
	    const struct stn_orphan *orphan)
{
	struct sending *sending = malloc(sizeof(*sending) + orphan->size);
	struct iovec piece;

	if (!sending)
		stn_node_fail(steal->node, "out of memory");
	sending->home = (struct stn_wire_result){ fetch->slot, fetch->epoch };
	memcpy(sending->bytes, orphan->bytes, orphan->size);
	piece = (struct iovec){ sending->bytes, orphan->size };
	stn_node_send(steal->node, to, STN_RESULT, &sending->home,
		      sizeof(sending->home), &piece, orphan->size ? 1 : 0,
		      sending_left, sending);
}

/* The job's result goes to a slot of node @to. */
static void
adopt(struct stn_job *job, uint32_t to, uint32_t slot, uint32_t epoch)
{
	job->record.rank = to;
	job->record.slot = slot;
	job->record.epoch = epoch;
}

void
stn_adopt_fetch(struct stn_steal *steal, uint32_t from,
		const struct stn_wire_fetch *fetch)
{
	const struct stn_wire_result gone = { fetch->slot, fetch->epoch };
	const struct stn_orphan *orphan =
		stn_orphans_find(&steal->orphans, fetch->key);
	struct stn_job *job = orphan ? NULL : find_running(steal, fetch->key);

	if (orphan)
		send_stored(steal, from, fetch, orphan);
	else if (job)
		adopt(job, from, fetch->slot, fetch->epoch);
	else
		stn_node_say(steal->node, from, STN_GONE, &gone, sizeof(gone));
}

/* Completes a record by a result that is stored on this node. */
static void
complete(struct stn_steal *steal, struct stn_record *record,
	 const struct stn_task *task, const struct stn_orphan *orphan)
{
	struct iovec from = { orphan->bytes, orphan->size };
	struct stn_gather to;

	if (stn_gather_init(&to, task, record, STN_OUTPUTS, record->arguments))
		stn_node_fail(steal->node, "out of memory");
	stn_pieces_copy(to.pieces, &from, orphan->size);
	stn_gather_fini(&to);
}

/* Finds an orphan of the call, here or on another node, and lends the record.
 */
static bool
find_orphan(struct stn_owner *owner, struct stn_record *record,
	    const struct stn_task *task, struct stn_key key)
{
	struct stn_steal *steal = owner->steal;
	const struct stn_orphan *orphan =
		stn_orphans_find(&steal->orphans, key);
	struct stn_job *job = orphan ? NULL : find_running(steal, key);
	uint32_t holder = steal->node->rank;
	struct stn_wire_fetch fetch = { .key = key };

	if (!orphan && !job)
		holder = stn_orphans_holder(&steal->orphans, key);
	if (holder == STN_NOBODY)
		return false;
	stn_orphans_drop(&steal->orphans, key); /* the pointer */
	if (orphan) {
		complete(steal, record, task, orphan);
		stn_deque_lend(&owner->deque, record, task, STN_THIEF_DONE);
		return true;
	}
	stn_deque_lend(&owner->deque, record, task, STN_THIEF_NODE);
	stn_loan_address(owner, record);
	stn_holders_lent(steal, record, holder, 0);
	stn_holder_of(steal, record)->fetched = true;
	fetch.slot = record->slot;
	fetch.epoch = record->epoch;
	if (job)
		adopt(job, holder, record->slot, record->epoch);
	else
		stn_node_say(steal->node, holder, STN_FETCH, &fetch,
			     sizeof(fetch));
	return true;
}

bool
stn_adopt_spawned(struct stn_owner *owner, struct stn_record *record,
		  const struct stn_task *task)
{
	struct stn_steal *steal = owner->steal;
	bool found = false;
	struct stn_key key;

	if (!stn_orphans_maybe(&steal->orphans, stn_key_hint(task, record)))
		return false;
	key = stn_key_of(task, record);
	stn_node_enter(steal->node);
	found = find_orphan(owner, record, task, key);
	if (found)
		steal->counts.reused++;
	stn_node_leave(steal->node);
	return found;
}
