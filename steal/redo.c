#include "steal/redo.h"

#include <string.h>

#include "node/dispatch.h"
#include "node/sleep.h"
#include "node/stats/message_log.h"
#include "steal/buffers.h"
#include "steal/steal.h"
#include "transport/pieces.h"

/* Copies a lent record, with the contents of its buffers, into a new job. */
static struct stn_job *
copy_of(struct stn_steal *steal, const struct stn_record *record)
{
	struct stn_record copy;
	struct stn_gather from, to;
	struct stn_job *job;

	stn_record_copy(&copy, record);
	copy.task = stn_deque_task(record);
	copy.hops = stn_holder_of(steal, record)->hops;
	copy.flags |= STN_RECORD_REDONE;
	job = stn_job_create(steal, &copy);
	if (!job ||
	    stn_gather_init(&from, copy.task, record, STN_INPUTS, NULL) ||
	    stn_gather_init(&to, copy.task, &job->record, STN_INPUTS, NULL))
		stn_node_fail(steal->node, "out of memory");
	stn_pieces_copy(to.pieces, from.pieces, from.bytes);
	stn_gather_fini(&from);
	stn_gather_fini(&to);
	job->from = steal->node->rank;
	job->came_ns = stn_node_now(steal->node);
	stn_job_identify(job);
	return job;
}

static void
run_again(struct stn_steal *steal, struct stn_record *record)
{
	struct stn_holder *holder = stn_holder_of(steal, record);

	steal->counts.redone++;
	if (steal->node->message_log)
		stn_message_log(steal->node->message_log,
				stn_node_now(steal->node), "again",
				stn_node_kind(steal->node, STN_RESULT),
				holder->to, record->slot);
	stn_holders_lent(steal, record, steal->node->rank, holder->hops);
	stn_inbox_put(steal, copy_of(steal, record));
	stn_node_wake(steal->node);
}

void
stn_redo_own(struct stn_steal *steal, struct stn_record *record)
{
	run_again(steal, record);
}

/* A late result of the lost copy must not match any more. */
static void
replace(struct stn_steal *steal, struct stn_record *record)
{
	record->epoch++;
	run_again(steal, record);
}

void
stn_redo_gone(struct stn_steal *steal, uint32_t from,
	      const struct stn_wire_result *gone)
{
	struct stn_record *record =
		stn_holders_find(steal, gone->slot, gone->epoch);

	if (record && steal->survives &&
	    stn_holder_of(steal, record)->to == from)
		replace(steal, record);
}

static void
come_home(struct stn_steal *steal, const struct stn_record *record)
{
	const struct stn_wire_result gone = { record->slot, record->epoch };
	struct stn_record *own =
		stn_holders_find(steal, record->slot, record->epoch);

	if (own)
		stn_holders_lent(steal, own, steal->node->rank, record->hops);
	stn_redo_gone(steal, steal->node->rank, &gone);
}

/*
 * The home ignores that the record is GONE unless it knows that this node had
 * it. MOVED of the node that passed the record on may come later than GONE.
 */
void
stn_redo_elsewhere(struct stn_steal *steal, const struct stn_record *record)
{
	uint32_t here = steal->node->rank, home = record->rank;
	const struct stn_wire_moved moved = { record->slot, record->epoch,
					      record->hops, here };
	const struct stn_wire_result gone = { record->slot, record->epoch };

	if (home == here) {
		come_home(steal, record);
	} else if (!stn_members_lost(&steal->node->members, home)) {
		stn_node_say(steal->node, home, STN_MOVED, &moved,
			     sizeof(moved));
		stn_node_say(steal->node, home, STN_GONE, &gone, sizeof(gone));
	}
}

static void
look_for(struct stn_steal *steal, struct stn_record *record)
{
	const struct stn_members *members = &steal->node->members;
	struct stn_holder *holder = stn_holder_of(steal, record);
	const struct stn_wire_result where = { record->slot, record->epoch };

	if (stn_members_lost(members, holder->to)) {
		replace(steal, record);
	} else if (stn_members_lost(members, holder->via)) {
		holder->via = steal->node->rank;
		stn_node_say(steal->node, holder->to, STN_WHERE, &where,
			     sizeof(where));
	}
}

void
stn_redo_lost(struct stn_steal *steal)
{
	uint32_t worker = 0, slot = 0;
	struct stn_record *record;

	while ((record = stn_holders_next(steal, &worker, &slot)))
		look_for(steal, record);
}

void
stn_redo_moved(struct stn_steal *steal, const struct stn_wire_moved *moved)
{
	struct stn_record *record =
		stn_holders_find(steal, moved->slot, moved->epoch);

	if (record && steal->survives)
		look_for(steal, record);
}

void
stn_redo_where(struct stn_steal *steal, uint32_t from,
	       const struct stn_wire_result *where)
{
	const struct stn_members *members = &steal->node->members;
	const struct stn_job *job;

	/* One that lands from a dead node is dropped; see job_landed. */
	LIST_FOREACH (job, &steal->jobs, all)
		if (job->record.rank == from &&
		    job->record.slot == where->slot &&
		    job->record.epoch == where->epoch &&
		    !(job->landing && stn_members_lost(members, job->from)))
			return;
	stn_node_say(steal->node, from, STN_GONE, where, sizeof(*where));
}
