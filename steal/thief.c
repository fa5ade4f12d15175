/*
 * thief.c: the thief's side of a steal between nodes. The balancer chooses the
 * nodes to ask.
 */
#include "steal/thief.h"

#include <inttypes.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "node/sleep.h"
#include "steal/buffers.h"
#include "steal/bundle.h"
#include "steal/constants.h"
#include "steal/keep.h"
#include "steal/redo.h"
#include "steal/traced.h"
#include "transport/pieces.h"

/* The pause after the second failed steal in a row; the first causes none. */
#define PAUSE_NS 20000ull

/* A shorter call cost more to steal than it saved. */
#define WORTH_NS 10000ull

static uint32_t
tries(const struct stn_steal *steal)
{
	const struct stn_balancer *balancer = steal->deciding.balancer;

	return balancer->tries ? balancer->tries(steal->deciding.state) : 0;
}

/*
 * Begins the pause after a failed steal, counted from @begin. The first failure
 * in a row causes none; each later pause is twice as long as the one before.
 * The thieves of the papers ask again at once; if many nodes share few
 * processors, or many are idle, that takes time from working nodes and helps no
 * node.
 */
static void
pause_from(struct stn_steal *steal, uint64_t begin)
{
	uint64_t pause = steal->pausing.pause_ns ? 2 * steal->pausing.pause_ns
						 : PAUSE_NS;

	if (steal->pausing.failures++ < tries(steal))
		return;
	steal->pausing.ask_at_ns = begin + steal->pausing.pause_ns;
	if (pause > steal->node->config->backoff_ns)
		pause = steal->node->config->backoff_ns;
	steal->pausing.pause_ns = pause;
}

/*
 * The search found no record: the node pauses, and the requests parked here for
 * the end of the search are refused as well.
 */
static void
thief_give_up(struct stn_steal *steal, uint64_t begin)
{
	pause_from(steal, begin);
	stn_parked_end(steal);
}

uint64_t
stn_thief_ask(struct stn_steal *steal)
{
	uint64_t now;
	bool answer;

	/*
	 * Both are hints. synchronous is checked again under the lock, by
	 * stn_decide_idle. A worker that waits for an answer comes here in each
	 * poll, and does not read the clock.
	 */
	if (steal->requests.synchronous)
		return STN_FOREVER;
	now = stn_node_now(steal->node);
	if (now < steal->pausing.ask_at_ns)
		return steal->pausing.ask_at_ns;
	stn_node_enter(steal->node);
	answer = stn_decide_idle(steal, true);
	if (!answer)
		thief_give_up(steal, now);
	stn_node_leave(steal->node);
	return answer ? STN_FOREVER : steal->pausing.ask_at_ns;
}

static void
thief_not_granted(struct stn_steal *steal, struct stn_request *request,
		  uint64_t bytes)
{
	const struct stn_request was = *request;

	stn_request_close(steal, request);
	if (stn_decide_refused(steal, &was, bytes)) {
		if (!stn_decide_idle(steal, false))
			thief_give_up(steal, was.asked_ns);
	} else if (was.cancelled) {
		stn_parked_end(steal);
	} else {
		thief_give_up(steal, was.asked_ns);
	}
}

static void
thief_refused(struct stn_steal *steal, struct stn_request *request,
	      uint64_t bytes)
{
	struct stn_steals *steals = stn_request_counts(steal, &request->ask);

	if (request->cancelled)
		steals->cancelled++;
	else
		steals->refused++;
	stn_trace_net(steal->node, STN_TRACE_REFUSED, request->asked_ns,
		      request->number, request->ask.victim, 0);
	thief_not_granted(steal, request, bytes);
}

/* The answer was lost, or it was a record that nobody needs any more. */
static void
thief_lost(struct stn_steal *steal, struct stn_request *request)
{
	steal->counts.lost++;
	thief_not_granted(steal, request, 0);
}

/* A job that lands from the node, and has a request. */
static struct stn_job *
find_landing(const struct stn_steal *steal, uint32_t from)
{
	struct stn_job *job;

	LIST_FOREACH (job, &steal->jobs, all)
		if (job->landing && job->request && job->from == from)
			return job;
	return NULL;
}

/*
 * A payload that was landing may end only when the kernel breaks the connection,
 * long after the death. Its job stays until then, but nobody waits for it.
 */
void
stn_thief_died(struct stn_steal *steal, uint32_t victim)
{
	struct stn_request *request;
	struct stn_job *job;

	while ((request = stn_request_find_lost(steal, victim)))
		thief_lost(steal, request);
	while ((job = find_landing(steal, victim))) {
		request = job->request;
		job->request = NULL;
		thief_lost(steal, request);
	}
}

void
stn_thief_refused(struct stn_steal *steal, const struct stn_message *message,
		  uint32_t number)
{
	struct stn_request *request =
		stn_request_find(steal, message->from, number);

	if (!request)
		stn_node_fail(steal->node,
			      "node %" PRIu32 " refused what was not asked",
			      message->from);
	if (message->payload_bytes) /* a probe: only its arrival time matters */
		stn_transport_refuse(steal->node->transport, message);
	thief_refused(steal, request, message->payload_bytes);
	stn_node_wake(steal->node);
}

/* A granted record has arrived. Returns true if this node keeps it. */
static bool
granted(struct stn_steal *steal, struct stn_job *job)
{
	struct stn_request *request = job->request;

	stn_request_counts(steal, &request->ask)->granted++;
	stn_trace_net(steal->node, STN_TRACE_STOLEN, request->asked_ns,
		      request->number, request->ask.victim, job->came_bytes);
	stn_request_close(steal, request);
	steal->pausing.ask_at_ns = 0;
	steal->pausing.spent_ns = 0;
	return stn_decide_granted(steal, request, job->came_bytes,
				  job->came_ns);
}

/*
 * Tells node @from that the pushed record has arrived, or can't be taken. Until
 * then the record counts as in transit there.
 */
static void
tell_taken(struct stn_steal *steal, uint32_t from)
{
	if (!stn_transport_limits(steal->node->transport)->arrives)
		stn_node_say(steal->node, from, STN_TAKEN, NULL, 0);
}

/* The job's sender died before the record was here, or its home has died. */
static void
drop_job(struct stn_job *job, enum stn_err err)
{
	struct stn_steal *steal = job->steal;
	struct stn_request *request = job->request;

	if (err == STN_CANCELLED)
		; /* the transport is being closed */
	else if (err && steal->survives)
		stn_redo_elsewhere(steal, &job->record);
	else if (err == STN_LOST)
		stn_node_miss(steal->node, job->from,
			      "a record of node %" PRIu32 " was lost: %s",
			      job->record.rank, stn_err_text(err));
	else
		stn_node_must_arrive(steal->node, "a record", err);
	stn_job_free(job);
	if (request)
		thief_lost(steal, request);
	stn_node_wake(steal->node);
}

/* A record has landed, in a run in which its key may be needed. */
static void
identify(struct stn_job *job)
{
	struct stn_steal *steal = job->steal;
	const struct stn_record *record = &job->record;
	struct stn_record *own;

	stn_job_identify(job);
	if (record->rank != steal->node->rank || !steal->survives)
		return;
	own = stn_holders_find(steal, record->slot, record->epoch);
	if (own)
		stn_holders_lent(steal, own, steal->node->rank, record->hops);
}

static void
job_landed(struct stn_job *job, enum stn_err err)
{
	struct stn_steal *steal = job->steal;

	job->landing = false;
	/* Its home may have been told that it is lost: stn_redo_where. */
	if (!err && stn_members_lost(&steal->node->members, job->from))
		err = STN_LOST;
	if (err != STN_LOST && err != STN_CANCELLED && job->counted)
		tell_taken(steal, job->from);
	if (err || stn_members_lost(&steal->node->members, job->record.rank)) {
		drop_job(job, err);
		return;
	}
	steal->counts.borrowed++;
	job->came_ns = stn_node_now(steal->node);
	if (steal->survives || stn_keeps(steal))
		identify(job);
	if (!job->request || granted(steal, job) ||
	    !stn_parked_pass(steal, job))
		stn_inbox_put(steal, job);
	if (steal->requests.lifelines)
		stn_decide_withdrawn(steal, NULL);
	/* A worker could not ask while the request was out; now it can. */
	stn_node_wake(steal->node);
}

/* The payload of a record, or one of its constants, has arrived. */
static void
job_part_landed(void *arg, enum stn_err err)
{
	struct stn_job *job = arg;

	if (err && !job->err)
		job->err = err;
	if (!--job->missing)
		job_landed(job, job->err);
}

/*
 * The constants that this node lacks are fetched while the payload arrives.
 * Each adds one to the number of missing parts, and may be here at once.
 */
static void
await_constants(struct stn_job *job)
{
	struct stn_steal *steal = job->steal;
	const struct stn_task *task = job->record.task;
	uint64_t hash;

	for (uint32_t i = 0; i < task->argument_count; i++) {
		if (!stn_record_lacks(steal, &task->arguments[i], &job->record,
				      &hash))
			continue;
		job->missing++;
		stn_constants_await(steal->constants, hash, job->from,
				    job_part_landed, job);
	}
}

/*
 * Makes a job for a record from node @from, and lists the pieces into which the
 * record's @bytes must be copied. They count as missing.
 */
static struct stn_job *
create_job(struct stn_steal *steal, uint32_t from,
	   const struct stn_record *record, size_t bytes,
	   struct stn_gather *inputs)
{
	struct stn_job *job;

	if (record->rank >= steal->node->topology->nodes)
		stn_node_fail(steal->node,
			      "node %" PRIu32 " sent a record of a node that "
			      "isn't there",
			      from);
	job = stn_job_create(steal, record);
	if (!job || stn_gather_init(inputs, job->record.task, &job->record,
				    STN_INPUTS, NULL))
		stn_node_fail(steal->node,
			      "out of memory for a record of %zu bytes from "
			      "node %" PRIu32,
			      bytes, from);
	job->landing = true;
	job->from = from;
	job->wide = stn_node_is_wide(steal->node, from);
	job->came_bytes = bytes;
	job->missing = 1;
	await_constants(job);
	return job;
}

/* Begins to receive a record that answers @request; NULL: it was pushed. */
static void
take_record(struct stn_steal *steal, const struct stn_message *message,
	    const struct stn_wire *wire, struct stn_request *request)
{
	struct stn_gather inputs;
	struct stn_job *job = create_job(steal, message->from, &wire->record,
					 message->payload_bytes, &inputs);

	job->request = request;
	job->counted = !request;
	stn_transport_take(steal->node->transport, message, inputs.pieces,
			   inputs.count, job_part_landed, job);
	stn_gather_fini(&inputs);
}

void
stn_thief_granted(struct stn_steal *steal, const struct stn_message *message,
		  const struct stn_wire *wire)
{
	struct stn_request *request;

	request = stn_request_find(steal, message->from, wire->record.request);
	if (!request)
		stn_node_fail(steal->node,
			      "node %" PRIu32 " granted what was not asked",
			      message->from);
	request->landing = true;
	take_record(steal, message, wire, request);
}

void
stn_thief_pushed(struct stn_steal *steal, const struct stn_message *message,
		 const struct stn_wire *wire)
{
	take_record(steal, message, wire, NULL);
}

enum stn_err
stn_thief_bundle(struct stn_steal *steal, const struct stn_message *message,
		 const struct stn_wire *wire)
{
	unsigned char bytes[STN_BUNDLE_BYTES];
	const unsigned char *at = bytes, *end = at + message->payload_bytes;
	enum stn_err err = stn_bundle_open(steal, message, bytes);

	for (uint32_t i = 0; !err && i < wire->bundle.count; i++) {
		struct stn_record record;
		struct stn_gather inputs;
		struct stn_job *job;
		size_t size;

		err = stn_wire_unpack_record(&steal->program->table, &at, end,
					     &record, &size);
		if (err)
			break;
		job = create_job(steal, message->from, &record, size, &inputs);
		stn_pieces_copy(inputs.pieces,
				&(struct iovec){ (void *)(uintptr_t)at, size },
				size);
		stn_gather_fini(&inputs);
		at += size;
		job_part_landed(job, STN_OK);
	}
	return err ? err : at == end ? STN_OK : STN_MALFORMED;
}

void
stn_thief_judge(struct stn_steal *steal, uint64_t spent_ns)
{
	struct stn_pausing *pausing = &steal->pausing;

	if (steal->deciding.balancer->bundle)
		spent_ns = pausing->spent_ns += spent_ns;
	if (spent_ns < WORTH_NS) {
		pause_from(steal, stn_node_now(steal->node));
		return;
	}
	pausing->pause_ns = 0;
	pausing->failures = 0;
	if (steal->deciding.balancer->bundle)
		pausing->ask_at_ns = 0;
}
