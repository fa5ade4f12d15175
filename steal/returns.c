#include "steal/returns.h"

#include "node/progress.h"
#include "steal/adopt.h"
#include "steal/buffers.h"
#include "steal/bundle.h"
#include "steal/steal.h"

#define MOST 16		   /* results that wait; one more is sent with them */
#define SHORT_NS 10000ull  /* a longer call's result leaves at once */
#define WAIT_NS 1000000ull /* and any other after that time */

static void
unsent(struct stn_bundle *bundle, enum stn_err err)
{
	struct stn_job *job;

	TAILQ_FOREACH (job, &bundle->jobs, link)
		stn_adopt_unsent(bundle->steal, job, err);
}

static void
results_left(void *arg, enum stn_err err)
{
	unsent(arg, err);
	stn_bundle_free(arg);
}

static struct stn_bundle *
take_bundle(struct stn_returns *returns)
{
	struct stn_bundle *bundle = returns->bundle;

	returns->bundle = NULL;
	returns->count = 0;
	return bundle;
}

static void
send_kept(struct stn_owner *owner)
{
	struct stn_returns *returns = &owner->returns;

	if (!returns->count)
		return;
	owner->steal->counts.bundled_sent += returns->count;
	stn_bundle_send(take_bundle(returns), returns->to, STN_RESULTS,
			results_left);
}

/*
 * May the job's result, of so many @bytes in a message, wait because the worker
 * will probably run another short record next?
 */
static bool
result_waits(const struct stn_owner *owner, const struct stn_job *job,
	     size_t bytes)
{
	return owner->steal->deciding.balancer->bundle &&
	       job->spent_ns < SHORT_NS && owner->steal->inbox.waiting &&
	       owner->returns.count < MOST && !owner->node->stopping &&
	       !owner->node->main_due && bytes <= STN_BUNDLE_BYTES / MOST &&
	       !stn_node_is_wide(owner->node, job->record.rank);
}

static bool
takes_more(const struct stn_returns *returns, uint32_t home, size_t bytes)
{
	return !returns->count ||
	       (returns->to == home && stn_bundle_fits(returns->bundle, bytes));
}

static void
keep_result(struct stn_owner *owner, struct stn_job *job,
	    const struct stn_gather *outputs)
{
	struct stn_returns *returns = &owner->returns;

	if (!returns->bundle)
		returns->bundle = stn_bundle_create(owner->steal);
	stn_bundle_add_result(returns->bundle, job, outputs);
	returns->to = job->record.rank;
	if (!returns->count++) {
		returns->due_ns = stn_node_now(owner->node) + WAIT_NS;
		stn_progress_until(owner->node, returns->due_ns);
	}
}

bool
stn_returns_take(struct stn_owner *owner, struct stn_job *job,
		 const struct stn_gather *outputs)
{
	struct stn_returns *returns = &owner->returns;
	size_t bytes = stn_bundle_result_bytes(outputs->bytes);
	bool waits = result_waits(owner, job, bytes);

	if (!takes_more(returns, job->record.rank, bytes))
		send_kept(owner);
	if (!waits && !returns->count)
		return false;
	keep_result(owner, job, outputs);
	/* The next call's first spawn takes the slow path, and sends them. */
	if (waits)
		stn_deque_lower(&owner->deque);
	else
		send_kept(owner);
	return true;
}

static void
enter_and_send(void *arg)
{
	struct stn_owner *owner = arg;

	stn_node_enter(owner->node);
	send_kept(owner);
	stn_node_leave(owner->node);
}

void
stn_returns_send(struct stn_owner *owner)
{
	stn_node_aside(owner->node, enter_and_send, owner);
}

uint64_t
stn_returns_tick(struct stn_steal *steal, uint64_t now)
{
	uint64_t first = STN_FOREVER;

	for (uint32_t i = 0; i < steal->node->worker_count; i++) {
		struct stn_returns *returns = &steal->owners[i].returns;

		if (!returns->count)
			continue;
		if (returns->due_ns <= now)
			send_kept(&steal->owners[i]);
		else if (returns->due_ns < first)
			first = returns->due_ns;
	}
	return first;
}

void
stn_returns_send_all(struct stn_steal *steal)
{
	for (uint32_t i = 0; i < steal->node->worker_count; i++)
		send_kept(&steal->owners[i]);
}

void
stn_returns_died(struct stn_steal *steal, uint32_t home)
{
	for (uint32_t i = 0; i < steal->node->worker_count; i++) {
		struct stn_returns *returns = &steal->owners[i].returns;

		if (!returns->count || returns->to != home)
			continue;
		if (steal->survives)
			unsent(returns->bundle, STN_LOST);
		stn_bundle_free(take_bundle(returns));
	}
}

void
stn_returns_fini(struct stn_returns *returns)
{
	if (returns->bundle)
		stn_bundle_free(take_bundle(returns));
}
