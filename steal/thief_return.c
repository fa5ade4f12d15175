/*
 * thief_return.c: the result of a stolen call goes home.
 */
#include "node/dispatch.h"
#include "node/progress.h"
#include "steal/adopt.h"
#include "steal/buffers.h"
#include "steal/deposit.h"
#include "steal/keep.h"
#include "steal/result.h"
#include "steal/thief.h"

static void
result_left(void *arg, enum stn_err err)
{
	struct stn_job *job = arg;

	stn_adopt_unsent(job->steal, job, err);
	stn_job_free(job);
}

/* The net lock is held in the next three; the home may have changed. */
static void
return_here(struct stn_job *job)
{
	stn_span_returns(job->steal, job);
	stn_result_came_home(job->steal, job);
	job->steal->counts.came_home++;
	stn_job_free(job);
}

static void
send_result(struct stn_job *job, const struct stn_gather *outputs)
{
	struct stn_steal *steal = job->steal;
	const struct stn_record *record = &job->record;

	job->home = (struct stn_wire_result){ record->slot, record->epoch };
	stn_search_show(steal->search, record->rank);
	stn_node_send(steal->node, record->rank, STN_RESULT, &job->home,
		      sizeof(job->home), outputs->pieces, outputs->count,
		      result_left, job);
}

/* The job may be freed. */
static void
return_result(struct stn_owner *owner, struct stn_job *job,
	      const struct stn_gather *outputs)
{
	uint64_t spent_ns = job->spent_ns, bytes = job->bytes;

	stn_span_returns(owner->steal, job);
	if (!stn_returns_take(owner, job, outputs))
		send_result(job, outputs);
	stn_decide_ran(owner->steal, bytes, spent_ns);
	stn_thief_judge(owner->steal, spent_ns);
}

static void
return_to_nobody(struct stn_job *job)
{
	stn_adopt_keep(job->steal, job);
	stn_claims_changed(job->steal);
	stn_job_free(job);
}

void
stn_thief_return(struct stn_owner *owner, struct stn_job *job,
		 uint64_t spent_ns)
{
	struct stn_steal *steal = owner->steal;
	bool hashes = !stn_keeps(steal) && stn_deposit_is_likely(job, spent_ns);
	struct stn_key key = { 0 };
	struct stn_gather outputs;

	if (stn_gather_init(&outputs, job->record.task, &job->record,
			    STN_OUTPUTS, job->result))
		stn_node_fail(steal->node, "out of memory");
	if (hashes) /* long, if the in buffers are large; so without the lock */
		key = stn_job_hash(job);
	stn_node_enter(steal->node);
	if (hashes)
		stn_job_set_key(job, key);
	job->done = true;
	job->spent_ns = spent_ns;
	stn_deposit_job(owner, job);
	if (job->record.rank == steal->node->rank)
		return_here(job);
	else if (!stn_members_lost(&steal->node->members, job->record.rank))
		return_result(owner, job, &outputs);
	else
		return_to_nobody(job);
	stn_node_leave(steal->node);
	stn_gather_fini(&outputs);
}
