#include "steal/adopt.h"

#include <inttypes.h>
#include <stdlib.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "steal/buffers.h"
#include "steal/loan.h"
#include "steal/redo.h"
#include "steal/steal.h"

static bool
is_orphan(const struct stn_steal *steal, const struct stn_job *job)
{
	return !job->landing && !job->leaves &&
	       stn_members_lost(&steal->node->members, job->record.rank);
}

/* The job of an orphan that is being computed, or NULL. */
static struct stn_job *
find_running(struct stn_steal *steal, struct stn_key key)
{
	struct stn_job *job;

	LIST_FOREACH (job, &steal->jobs, all) {
		struct stn_key own;

		if (!is_orphan(steal, job) || job->done)
			continue;
		own = stn_job_key(job);
		if (own.low == key.low && own.high == key.high)
			return job;
	}
	return NULL;
}

void
stn_adopt_keep(struct stn_steal *steal, struct stn_job *job)
{
	size_t size;
	void *bytes = stn_outputs_copy(job->record.task, &job->record,
				       job->result, &size);

	if (!bytes)
		return; /* the result is computed again */
	if (stn_orphans_keep(&steal->orphans, stn_job_key(job),
			     stn_job_hint(job), bytes, size, job->spent_ns,
			     job->record.rank))
		free(bytes);
	else
		steal->counts.kept++;
}

void
stn_adopt_unsent(struct stn_steal *steal, struct stn_job *job, enum stn_err err)
{
	if (err == STN_LOST && steal->survives)
		stn_adopt_keep(steal, job);
	else if (err == STN_LOST)
		stn_node_miss(steal->node, job->record.rank,
			      "a result for node %" PRIu32 " was lost",
			      job->record.rank);
	else if (err == STN_NO_MEMORY && steal->survives)
		stn_redo_elsewhere(steal, &job->record);
	else
		stn_node_must_arrive(steal->node, "a result", err);
}

static void
announce_orphan(struct stn_steal *steal, struct stn_key key, uint32_t hint)
{
	const uint64_t words[2] = { key.low, key.high };

	stn_membership_notice(steal->node, STN_FETCH, words, hint);
}

/* A job of node @rank, which has died, without a key; or NULL. */
static struct stn_job *
find_nameless(struct stn_steal *steal, uint32_t rank)
{
	struct stn_job *job;

	LIST_FOREACH (job, &steal->jobs, all)
		if (job->record.rank == rank && !job->landing &&
		    !job->leaves && !job->has_key)
			break;
	return job;
}

/*
 * A job of the dead node that arrives later gets its key when it is announced,
 * with the net lock held.
 */
void
stn_adopt_prepare(struct stn_steal *steal, uint32_t rank)
{
	struct stn_job *job;

	if (!steal->survives)
		return;
	stn_node_enter(steal->node);
	while ((job = find_nameless(steal, rank)))
		stn_job_hash_aside(job);
	stn_node_leave(steal->node);
}

void
stn_adopt_notices(struct stn_steal *steal)
{
	struct stn_job *job;

	LIST_FOREACH (job, &steal->jobs, all)
		if (is_orphan(steal, job))
			announce_orphan(steal, stn_job_key(job),
					stn_job_hint(job));
	for (uint32_t i = 0; i < steal->orphans.stored_count; i++) {
		const struct stn_orphan *orphan =
			stn_orphans_stored(&steal->orphans, i);

		if (stn_members_lost(&steal->node->members, orphan->of) ||
		    orphan->of == steal->node->rank) {
			stn_orphans_announce(&steal->orphans, i);
			announce_orphan(steal, orphan->key, orphan->hint);
		}
	}
}

void
stn_adopt_noticed(struct stn_steal *steal, const struct stn_notice *notices,
		  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct stn_notice *notice = &notices[i];
		struct stn_key key = { notice->words[0], notice->words[1] };

		if (notice->kind == STN_FETCH &&
		    !stn_members_lost(&steal->node->members, notice->from) &&
		    stn_orphans_learn(&steal->orphans, key, notice->about,
				      notice->from))
			return; /* out of memory: calls are repeated */
	}
	/* So that calls which are being run again look for orphans. */
	for (uint32_t i = 0; i < steal->node->worker_count; i++)
		stn_deque_lower(&steal->owners[i].deque);
}

void
stn_adopt_died(struct stn_steal *steal, uint32_t rank)
{
	stn_orphans_forget_holder(&steal->orphans, rank);
}

/* A stored result on its way to the node that asked for it. */
struct sending {
	struct stn_node *node;
	uint32_t to;
	struct stn_wire_result home;
	struct stn_orphan *orphan;
};

static void
say_gone(struct stn_node *node, uint32_t to, const struct stn_wire_result *gone)
{
	stn_node_say(node, to, STN_GONE, gone, sizeof(*gone));
}

static void
sending_left(void *arg, enum stn_err err)
{
	struct sending *sending = arg;

	/*
	 * If the receiver died, nobody needs the result. If the fabric can't
	 * pin its memory, the receiver computes it again.
	 */
	if (err == STN_NO_MEMORY)
		say_gone(sending->node, sending->to, &sending->home);
	stn_orphan_release(sending->orphan);
	free(sending);
}

static void
send_stored(struct stn_steal *steal, uint32_t to,
	    const struct stn_wire_fetch *fetch, struct stn_orphan *orphan)
{
	struct iovec piece = { orphan->bytes, orphan->size };
	struct sending *sending = malloc(sizeof(*sending));

	if (!sending)
		stn_node_fail(steal->node, "out of memory");
	stn_orphan_hold(orphan);
	*sending = (struct sending){
		steal->node, to, { fetch->slot, fetch->epoch }, orphan
	};
	stn_search_show(steal->search, to);
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
	stn_claims_changed(job->steal);
}

void
stn_adopt_fetch(struct stn_steal *steal, uint32_t from,
		const struct stn_wire_fetch *fetch)
{
	const struct stn_wire_result gone = { fetch->slot, fetch->epoch };
	struct stn_orphan *orphan =
		stn_orphans_find(&steal->orphans, fetch->key);
	bool stored = orphan && orphan->stored;
	struct stn_job *job = stored ? NULL : find_running(steal, fetch->key);

	if (stored)
		send_stored(steal, from, fetch, orphan);
	else if (job)
		adopt(job, from, fetch->slot, fetch->epoch);
	else
		say_gone(steal->node, from, &gone);
}

/* The result of the record will come from @holder. */
static void
await_result(struct stn_owner *owner, struct stn_record *record,
	     const struct stn_task *task, uint32_t holder)
{
	stn_deque_lend(&owner->deque, record, task, STN_THIEF_NODE);
	stn_loan_address(owner, record);
	stn_holders_lent(owner->steal, record, holder, 0);
	stn_holder_of(owner->steal, record)->fetched = true;
	owner->steal->counts.fetched++;
}

static void
fetch_result(struct stn_owner *owner, struct stn_record *record,
	     const struct stn_task *task, const struct stn_orphan *pointer)
{
	struct stn_node *node = owner->node;
	struct stn_wire_fetch fetch = { .key = pointer->key };

	await_result(owner, record, task, pointer->holder);
	fetch.slot = record->slot;
	fetch.epoch = record->epoch;
	stn_node_say(node, pointer->holder, STN_FETCH, &fetch, sizeof(fetch));
}

/* Finds an orphan of the call, here or on another node, and uses it. */
static bool
use_orphan(struct stn_owner *owner, struct stn_record *record,
	   const struct stn_task *task, struct stn_key key)
{
	struct stn_steal *steal = owner->steal;
	struct stn_orphan *orphan = stn_orphans_find(&steal->orphans, key);
	struct stn_job *job;

	if (!orphan)
		return false;
	if (orphan->stored) {
		if (!stn_outputs_place(task, record, record->arguments,
				       orphan->bytes, orphan->size))
			return false;
		stn_deque_lend(&owner->deque, record, task, STN_THIEF_DONE);
		return true;
	}
	job = find_running(steal, key);
	if (job) {
		await_result(owner, record, task, steal->node->rank);
		adopt(job, steal->node->rank, record->slot, record->epoch);
	} else if (orphan->holder != steal->node->rank) {
		fetch_result(owner, record, task, orphan);
	} else {
		return false; /* it was not worth to be stored */
	}
	stn_orphans_remove(&steal->orphans, key);
	return true;
}

bool
stn_adopt_spawned(struct stn_owner *owner, struct stn_record *record,
		  const struct stn_task *task)
{
	struct stn_steal *steal = owner->steal;
	struct stn_key key;
	bool found;

	if (!stn_orphans_maybe(&steal->orphans,
			       stn_steal_hint(steal, task, record)))
		return false;
	key = stn_steal_key(steal, task, record);
	stn_node_enter(steal->node);
	found = use_orphan(owner, record, task, key);
	if (found)
		steal->counts.reused++;
	stn_node_leave(steal->node);
	return found;
}
