#include "steal/worker.h"

#include "node/progress.h"
#include "node/sleep.h"
#include "steal/keep.h"
#include "steal/loan.h"
#include "steal/neighbour.h"
#include "steal/redo.h"
#include "steal/traced.h"
#include "steal/virtual_cost.h"

/* How long a sync is patient, without work, after a death: */
#define PATIENCE_NS 2000000000ull /* at first */
#define PATIENCE_LEAST_NS 20000000ull
#define IMPATIENCE_MOST 10

/*
 * For so long a sync waits for its stolen call before its worker asks other
 * nodes: over fast transports, and where messages go through the kernel and take
 * about 10 us.
 */
#define EARLY_NS 10000ull
#define EARLY_KERNEL_NS 30000ull

/*
 * Runs a record. Inside a record that is run again, the owner looks for an
 * orphan of each call that it spawns, so each spawn takes the slow path.
 */
static inline __attribute__((always_inline)) void
run_record(struct stn_owner *owner, const struct stn_record *record,
	   const struct stn_task *task, struct stn_record *head, void *result)
{
	uint8_t redoing = owner->redoing;

	stn_set_redoing(owner, record->flags);
	stn_keep_look(owner);
	stn_owner_run(owner, record, task, head, result);
	stn_set_redoing(owner, redoing);
}

/*
 * Runs a record that was stolen inside the node. Not inlined: the copy of the
 * record would make the stack frame of each nested call larger.
 */
static __attribute__((noinline)) void
run_kept_neighbour(struct stn_owner *owner, struct stn_record *record,
		   const struct stn_task *task, struct stn_record *head)
{
	struct stn_kept kept;

	stn_keep_begin(owner, &kept, task, record);
	if (stn_keep_reuse(owner, task, record, kept.key, kept.hint,
			   record->arguments))
		return;
	owner->counts.executed_here++;
	run_record(owner, record, task, head, record->arguments);
	stn_keep_end(owner, &kept, record->arguments);
}

/* Steals a record from another worker of the node, and runs it in its slot. */
static bool
run_neighbour(struct stn_owner *owner, struct stn_deque *deque,
	      struct stn_record *head, const struct stn_record *whole)
{
	struct stn_record *record = stn_neighbour_steal(owner, deque, whole);
	const struct stn_record *before;
	const struct stn_task *task;
	uint64_t began, path_ns;
	uint32_t nested;

	if (!record)
		return false;
	before = whole ? owner->whole : stn_whole_begin(owner, record, head);
	stn_worker_found(owner->worker);
	stn_count_seen(&owner->counts.stolen_node);
	task = stn_deque_task(record);
	began = stn_trace_began(owner->worker);
	nested = stn_nested_begin(&owner->nested);
	path_ns = stn_span_steal(&owner->span);
	stn_computes(owner);
	if (stn_keep_may(owner, record, task)) {
		run_kept_neighbour(owner, record, task, head);
	} else {
		owner->counts.executed_here++;
		run_record(owner, record, task, head, record->arguments);
	}
	stn_computed(owner, 0);
	stn_span_end(&stn_owner_of(deque)->span, deque, record,
		     owner->span.path_ns);
	owner->span.path_ns = path_ns;
	stn_nested_cut(&owner->nested, nested);
	stn_whole_end(owner, before);
	stn_deque_done(record);
	stn_node_wake(owner->node);
	stn_traced_run(owner, STN_TRACE_NEIGHBOUR, began, task, STN_NOBODY);
	return true;
}

static bool
run_neighbours(struct stn_owner *owner, struct stn_record *head)
{
	uint32_t count = owner->node->worker_count, others = count - 1;
	uint32_t first = others ? stn_random_below(&owner->random, others) : 0;

	for (uint32_t i = 0; i < others; i++) {
		uint32_t victim =
			(owner->worker->number + 1 + (first + i) % others) %
			count;

		if (run_neighbour(owner, &owner->steal->owners[victim].deque,
				  head, NULL))
			return true;
	}
	return false;
}

static void
count_job(struct stn_owner *owner, const struct stn_job *job, bool reused)
{
	if (job->wide)
		stn_count_seen(&owner->counts.stolen_wan);
	else
		stn_count_seen(&owner->counts.stolen_lan);
	if (reused)
		return;
	if (job->homeward)
		owner->counts.executed_here++; /* lent before, and back now */
	else
		owner->counts.executed_elsewhere++;
}

/* A job that its worker has run, in a time of @spent_ns. */
struct ran {
	struct stn_owner *owner;
	struct stn_job *job;
	uint64_t spent_ns;
};

static void
return_job(void *arg)
{
	const struct ran *ran = arg;

	stn_thief_return(ran->owner, ran->job, ran->spent_ns);
}

/* Not inlined: @ran would make the frame of each nested job larger. */
static __attribute__((noinline)) void
return_aside(struct stn_owner *owner, struct stn_job *job, uint64_t spent_ns)
{
	struct ran ran = { owner, job, spent_ns };

	stn_node_aside(owner->node, return_job, &ran);
}

/* A job's call is over: its result goes home. Not inlined, as return_aside. */
static __attribute__((noinline)) void
end_job(struct stn_owner *owner, struct stn_job *job, uint64_t begin)
{
	const struct stn_record *record = &job->record;
	uint32_t nested = job->nested;
	uint64_t end;

	/* Not the home, which another thread may change (adopt.c). */
	stn_traced_run(owner, STN_TRACE_RUN, begin, record->task, job->from);
	end = stn_node_now(owner->node);
	if (owner->steal->keep)
		stn_keep_result(owner, record, record->task, job->key,
				stn_job_hint(job), end - begin, job->result);
	return_aside(owner, job, end - begin); /* frees the job */
	stn_nested_cut(&owner->nested, nested);
	stn_worker_talked(owner->worker, stn_node_now(owner->node) - end);
}

/*
 * Begins to run @job. Returns whether its result is known already. Not inlined,
 * as return_aside.
 */
static __attribute__((noinline)) bool
begin_job(struct stn_owner *owner, struct stn_job *job)
{
	const struct stn_record *record = &job->record;
	bool reused;

	job->nested = stn_nested_begin(&owner->nested);
	/* In other runs another thread may write the key when a node dies. */
	reused = stn_keeps(owner->steal) &&
		 stn_keep_reuse(owner, record->task, record, job->key,
				stn_job_hint(job), job->result);
	count_job(owner, job, reused);
	return reused;
}

/* Relaxed: a hint for other threads, see steal.h. */
static void
set_bound(struct stn_owner *owner, bool bound)
{
	atomic_store_explicit(&owner->bound, bound, memory_order_relaxed);
}

/*
 * Runs @job. If it is NULL, sends the results that have waited for a further
 * job, and returns false.
 */
static bool
run_job(struct stn_owner *owner, struct stn_job *job, struct stn_record *head)
{
	const struct stn_record *before;
	bool bound = owner->bound;
	uint64_t begin, path_ns;

	if (!job && owner->returns.count)
		stn_returns_send(owner);
	if (!job)
		return false;
	if (!(job->record.flags & STN_RECORD_ANEW) && !job->homeward)
		set_bound(owner, true);
	begin = stn_worker_found(owner->worker);
	if (!begin)
		begin = stn_node_now(owner->node);
	path_ns = stn_span_steal(&owner->span);
	before = stn_whole_begin(owner, NULL, NULL);
	if (!begin_job(owner, job)) {
		stn_computes(owner);
		run_record(owner, &job->record, job->record.task, head,
			   job->result);
		stn_computed(owner, 0);
	}
	stn_whole_end(owner, before);
	job->path_ns = owner->span.path_ns;
	owner->span.path_ns = path_ns;
	set_bound(owner, bound);
	end_job(owner, job, begin);
	return true;
}

/* In virtual time a node has one worker, which has no neighbours. */
bool
stn_steal_has_work(void *state)
{
	const struct stn_steal *steal = state;

	return steal->inbox.waiting || steal->node->worker_count > 1;
}

bool
stn_steal_work(void *state, struct stn_worker *worker)
{
	struct stn_steal *steal = state;
	struct stn_owner *owner = &steal->owners[worker->number];
	struct stn_record *head = owner->deque.slots;

	return run_job(owner, stn_inbox_take(steal), head) ||
	       run_neighbours(owner, head);
}

uint64_t
stn_steal_seek(void *steal, struct stn_worker *worker)
{
	(void)worker;
	return stn_thief_ask(steal);
}

/*
 * A sync that waits for a stolen record. The spawns of the work that the worker
 * runs meanwhile go on from the slot behind it. Work that may run on any stack:
 * parts of the stolen record (neighbour.h), which lie no deeper than if the
 * record had not been stolen; and the stolen record itself, if it comes home
 * (stn_loan_send_home). Any other work may be long and deep, so only a worker
 * with enough free stack runs it; it looks at the thief's deque first.
 */
struct sync {
	struct stn_wait wait; /* first: casts to stn_wait */
	struct stn_owner *owner;
	struct stn_record *record; /* the slot behind it is the head */
	struct stn_deque *thief;   /* NULL: the thief is another node */
	uint64_t began_ns;	   /* if is_early_once or traced */
	bool taken_back;	   /* take_back has been here */
};

static bool
sync_over(struct stn_worker *worker, const struct stn_wait *wait)
{
	const struct sync *sync = (const struct sync *)wait;

	(void)worker;
	return stn_deque_is_done(sync->record);
}

static bool
is_first_run(const struct stn_job *job, void *arg)
{
	(void)arg;
	return !(job->record.flags & STN_RECORD_REDONE);
}

/* Takes a job that a bound worker may run; see steal.h. */
static struct stn_job *
take_bound(struct stn_steal *steal, struct stn_record *record)
{
	struct stn_job *job = stn_inbox_take_copy(steal, record);

	return job ? job : stn_inbox_take_if(steal, is_first_run, NULL);
}

/*
 * A wait in vain may be one of many, each of which begins when another has
 * ended. So each makes the next ones shorter. The atomic is a hint.
 */
static uint64_t
patience(const struct stn_steal *steal)
{
	uint64_t time = PATIENCE_NS >> steal->impatience;

	return time > PATIENCE_LEAST_NS ? time : PATIENCE_LEAST_NS;
}

static void
lose_patience(struct stn_steal *steal)
{
	if (steal->unclaimed && steal->impatience < IMPATIENCE_MOST)
		steal->impatience++;
}

static struct stn_job *
sync_take(const struct sync *sync)
{
	struct stn_steal *steal = sync->owner->steal;
	const struct stn_wait *wait = &sync->wait;
	struct stn_job *job;

	if (!sync->owner->bound || !steal->unclaimed)
		return stn_inbox_take(steal);
	if (wait->seen_ns - wait->since_ns < patience(steal))
		return take_bound(steal, sync->record);
	/* Now any job, because all others may wait for one in this inbox. */
	job = stn_inbox_take(steal);
	if (job)
		lose_patience(steal);
	return job;
}

static bool
sync_work(struct stn_worker *worker, struct stn_wait *wait)
{
	const struct sync *sync = (const struct sync *)wait;
	struct stn_owner *owner = sync->owner;
	struct stn_steal *steal = owner->steal;
	struct stn_record *head = sync->record + 1;
	struct stn_job *job;

	/* Kept results leave before other work that may take long (run_job). */
	if (!owner->returns.count && stn_worker_help(worker))
		return true;
	if (!owner->returns.count && sync->thief &&
	    run_neighbour(owner, sync->thief, head,
			  wait->any_work ? NULL : sync->record))
		return true;
	job = wait->any_work ? sync_take(sync)
			     : stn_inbox_take_copy(steal, sync->record);
	/* A tail call: this function's frame is gone while the job runs. */
	if (job || !wait->any_work || owner->node->worker_count == 1)
		return run_job(owner, job, head);
	return run_job(owner, NULL, head) || run_neighbours(owner, head);
}

/*
 * A job whose result this sync waits for was adopted (adopt.h). The job may be
 * below a record on another worker's stack that waits, through any number of
 * nodes, for this sync. Then all of them wait, and this worker is without work
 * for long; so it runs the record itself, once. Returns when to look again:
 * then a bound worker, too, takes any job, even if it has had work since the
 * record was taken back.
 */
static uint64_t
take_back(struct sync *sync)
{
	struct stn_steal *steal = sync->owner->steal;
	uint64_t end = sync->wait.since_ns + patience(steal);
	struct stn_holder *holder;

	if (!steal->survives)
		return STN_FOREVER;
	if (sync->wait.seen_ns < end)
		return end;
	if (sync->taken_back)
		return STN_FOREVER;
	sync->taken_back = true;
	lose_patience(steal);
	if (sync->thief)
		return sync->wait.seen_ns;
	stn_node_enter(steal->node);
	holder = stn_holder_of(steal, sync->record);
	if (holder->fetched && !stn_deque_is_done(sync->record))
		stn_redo_own(steal, sync->record);
	stn_node_leave(steal->node);
	return sync->wait.seen_ns;
}

/*
 * A thief of short calls would pause after each call that it has stolen inside
 * a sync, so a balancer with bundles pauses only at the sync's begin.
 */
static bool
is_early_once(const struct stn_steal *steal)
{
	return steal->deciding.balancer->bundle;
}

/* For how long a sync, without work, asks no other node. */
static uint64_t
early_ns(const struct stn_node *node)
{
	return stn_transport_limits(node->transport)->costly ? EARLY_KERNEL_NS
							     : EARLY_NS;
}

static uint64_t
sync_seek(struct stn_worker *worker, struct stn_wait *wait)
{
	struct sync *sync = (struct sync *)wait;
	struct stn_steal *steal = sync->owner->steal;
	uint64_t early = early_ns(steal->node), until, since, ask;

	(void)worker;
	until = take_back(sync);
	if (!wait->any_work) {
		stn_loan_send_home(steal);
		return until;
	}
	since = is_early_once(steal) ? sync->began_ns : wait->since_ns;
	if (wait->seen_ns - since < early)
		return since + early;
	ask = stn_thief_ask(steal);
	return ask < until ? ask : until;
}

static bool
sync_owed(struct stn_worker *worker, const struct stn_wait *wait)
{
	const struct sync *sync = (const struct sync *)wait;

	(void)worker;
	return stn_request_owed(&sync->owner->steal->requests) || !sync->thief;
}

static const struct stn_wait_kind sync_kind = {
	.over = sync_over,
	.work = sync_work,
	.seek = sync_seek,
	.owed = sync_owed,
};

/* Has the worker used less than a quarter of its stack? */
static bool
shallow(const struct stn_worker *worker)
{
	const char *here = (const char *)__builtin_frame_address(0);
	size_t used = (size_t)(worker->stack - here);

	return used < worker->node->config->stack_bytes / 4;
}

void
stn_steal_await(struct stn_owner *owner, struct stn_record *record,
		int32_t thief)
{
	struct sync sync = {
		.wait = { .kind = &sync_kind,
			  .any_work = shallow(owner->worker),
			  .in_sync = true },
		.owner = owner,
		.record = record,
	};

	sync.began_ns = is_early_once(owner->steal)
				? stn_node_now(owner->node)
				: stn_trace_began(owner->worker);
	if (thief != STN_THIEF_NODE)
		sync.thief =
			&owner->steal->owners[thief - STN_THIEF_WORKER].deque;
	stn_worker_wait(owner->worker, &sync.wait);
	stn_trace_ended(owner->worker, STN_TRACE_SYNC, sync.began_ns, 0,
			STN_NOBODY);
	if (owner->returns.count)
		stn_returns_send(owner);
}
