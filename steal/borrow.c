/*
 * borrow.c: the thief's side of a steal between nodes: asks, takes in what is
 * granted, and sends results home. Whom to ask is the balancer's business.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "steal/buffers.h"
#include "steal/node.h"

#define PAUSE_NS 20000ull /* the first one after a steal in vain */
#define WORTH_NS 10000ull /* a call that takes less, wasn't worth its steal */

static struct stn_request *
find_request(struct stn_node *node, uint32_t from, uint32_t number)
{
	for (size_t i = 0; i < STN_REQUESTS; i++) {
		struct stn_request *request = &node->requests[i];

		if (request->out && request->number == number &&
		    request->ask.victim == from)
			return request;
	}
	return NULL;
}

static struct stn_request *
free_request(struct stn_node *node)
{
	for (size_t i = 0; i < STN_REQUESTS; i++)
		if (!node->requests[i].out)
			return &node->requests[i];
	return NULL;
}

static bool
is_wide(const struct stn_node *node, uint32_t other)
{
	return stn_cluster_of(&node->topology, other) != node->cluster;
}

/*
 * How long the victim may keep a request that it can't grant: as long as the
 * pause would be that follows a refusal. Over a link a refusal comes at once,
 * as in the papers.
 */
static uint32_t
patience_us(const struct stn_node *node, const struct stn_ask *what)
{
	uint64_t us = node->pause_ns / 1000;

	if (what->asynchronous || is_wide(node, what->victim))
		return 0;
	return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

void
stn_borrow_request(struct stn_node *node, const struct stn_ask *what)
{
	struct stn_request *request = free_request(node);
	struct stn_wire_request message = { ++node->last_number,
					    patience_us(node, what),
					    what->seen };

	assert(request); /* no balancer has so many out */
	*request = (struct stn_request){ .out = true,
					 .number = message.number,
					 .asked_ns = stn_node_now(node),
					 .ask = *what };
	if (!what->asynchronous)
		node->synchronous = true;
	node->asking++;
	stn_node_steals(node, what)->asked++;
	stn_node_send(node, what->victim, STN_REQUEST, &message,
		      sizeof(message), NULL, 0, NULL, NULL);
}

void
stn_borrow_cancel(struct stn_node *node)
{
	for (size_t i = 0; i < STN_REQUESTS; i++) {
		struct stn_request *request = &node->requests[i];
		struct stn_wire_refusal message = { request->number };

		if (!request->out || request->landing || request->cancelled)
			continue;
		request->cancelled = true;
		stn_node_send(node, request->ask.victim, STN_CANCEL, &message,
			      sizeof(message), NULL, 0, NULL, NULL);
	}
}

/*
 * Pauses after a steal that was in vain, ever longer ones, counted from
 * @begin. The papers' thieves ask again at once; where many nodes share few
 * processors, or many are idle, that takes from those that work what it gives
 * to nobody.
 */
static void
pause_from(struct stn_node *node, uint64_t begin)
{
	uint64_t pause = node->pause_ns ? 2 * node->pause_ns : PAUSE_NS;

	node->ask_at_ns = begin + node->pause_ns;
	if (pause > node->config.backoff_ns)
		pause = node->config.backoff_ns;
	node->pause_ns = pause;
}

/* The search was in vain: so it was for who waits here. */
static void
give_up(struct stn_node *node, uint64_t begin)
{
	pause_from(node, begin);
	stn_hold_end(node);
}

uint64_t
stn_borrow_ask(struct stn_node *node)
{
	uint64_t now = stn_node_now(node);
	bool answer;

	/* Both are hints, looked at again under the lock. */
	if (node->synchronous)
		return STN_FOREVER;
	if (now < node->ask_at_ns)
		return node->ask_at_ns;
	stn_node_enter(node);
	answer = stn_decide_idle(node, true);
	if (!answer)
		give_up(node, now);
	stn_node_leave(node);
	return answer ? STN_FOREVER : node->ask_at_ns;
}

static void
close_request(struct stn_node *node, struct stn_request *request)
{
	request->out = false;
	node->asking--;
	if (!request->ask.asynchronous)
		node->synchronous = false;
}

static void
refused(struct stn_node *node, struct stn_request *request, uint64_t bytes)
{
	const struct stn_request was = *request;
	struct stn_steals *steals = stn_node_steals(node, &was.ask);

	if (was.cancelled)
		steals->cancelled++;
	else
		steals->refused++;
	close_request(node, request);
	if (stn_decide_refused(node, &was, bytes)) {
		if (!stn_decide_idle(node, false))
			give_up(node, was.asked_ns);
	} else if (was.cancelled) {
		stn_hold_end(node);
	} else {
		give_up(node, was.asked_ns);
	}
}

void
stn_borrow_refuse(struct stn_node *node, const struct stn_message *message,
		  uint32_t number)
{
	struct stn_request *request = find_request(node, message->from, number);

	if (!request || request->landing)
		stn_node_fail(node,
			      "node %" PRIu32 " refused what was not asked",
			      message->from);
	if (message->payload_bytes) /* it has told what it was to tell */
		stn_transport_refuse(node->transport, message);
	refused(node, request, message->payload_bytes);
	stn_node_wake(node);
}

/* A record that was asked for. True if it is for this node. */
static bool
granted(struct stn_node *node, struct stn_job *job)
{
	struct stn_request *request = job->request;

	stn_node_steals(node, &request->ask)->granted++;
	close_request(node, request);
	node->ask_at_ns = 0;
	return stn_decide_granted(node, request, job->came_bytes);
}

/* Until then it counts as in transit there. */
static void
tell_taken(struct stn_node *node, uint32_t from)
{
	if (!stn_transport_limits(node->transport)->arrives)
		stn_node_send(node, from, STN_TAKEN, NULL, 0, NULL, 0, NULL,
			      NULL);
}

static void
job_landed(void *arg, enum stn_err err)
{
	struct stn_job *job = arg;
	struct stn_node *node = job->node;

	if (err)
		stn_node_miss(node, job->from,
			      "a record of node %" PRIu32 " was lost: %s",
			      job->record.rank, stn_err_text(err));
	if (!job->request)
		tell_taken(node, job->from);
	node->stats.borrowed++;
	job->came_ns = stn_node_now(node);
	if (!job->request || granted(node, job) || !stn_hold_pass(node, job))
		stn_inbox_put(node, job);
	/* One that wanted to ask meanwhile couldn't: now it can. */
	stn_node_wake(node);
}

/* A record is coming; @request was granted, or nothing was asked. */
static void
take_record(struct stn_node *node, const struct stn_message *message,
	    const struct stn_wire *wire, struct stn_request *request)
{
	struct stn_gather inputs;
	struct stn_job *job;

	if (wire->record.rank >= node->topology.nodes)
		stn_node_fail(node,
			      "node %" PRIu32 " sent a record of a node that "
			      "isn't there",
			      message->from);
	job = stn_job_create(node, &wire->record);
	if (!job || stn_gather_init(&inputs, job->record.task, &job->record,
				    STN_INPUTS, NULL))
		stn_node_fail(node,
			      "out of memory for a record of %zu bytes from "
			      "node %" PRIu32,
			      message->payload_bytes, message->from);
	job->request = request;
	job->from = message->from;
	job->wide = is_wide(node, message->from);
	job->came_bytes = message->payload_bytes;
	stn_transport_take(node->transport, message, inputs.pieces,
			   inputs.count, job_landed, job);
	stn_gather_fini(&inputs);
}

void
stn_borrow_grant(struct stn_node *node, const struct stn_message *message,
		 const struct stn_wire *wire)
{
	struct stn_request *request;

	request = find_request(node, message->from, wire->record.request);
	if (!request || request->landing)
		stn_node_fail(node,
			      "node %" PRIu32 " granted what was not asked",
			      message->from);
	request->landing = true;
	take_record(node, message, wire, request);
}

void
stn_borrow_pushed(struct stn_node *node, const struct stn_message *message,
		  const struct stn_wire *wire)
{
	take_record(node, message, wire, NULL);
}

static void
result_left(void *arg, enum stn_err err)
{
	struct stn_job *job = arg;

	if (err && err != STN_REFUSED && err != STN_CANCELLED)
		stn_node_miss(job->node, job->record.rank,
			      "a result for node %" PRIu32 " was lost: %s",
			      job->record.rank, stn_err_text(err));
	stn_job_free(job);
}

/* Was it worth the steal? A call of nothing takes longer here than at home. */
static void
judge(struct stn_node *node, uint64_t spent_ns)
{
	if (spent_ns < WORTH_NS)
		pause_from(node, stn_node_now(node));
	else
		node->pause_ns = 0;
}

void
stn_borrow_return(struct stn_node *node, struct stn_job *job, uint64_t spent_ns)
{
	const struct stn_record *record = &job->record;
	struct stn_gather outputs;

	if (record->rank == node->rank) {
		stn_node_enter(node);
		stn_lend_came_home(node, job);
		node->stats.came_home++;
		stn_node_leave(node);
		stn_job_free(job);
		return;
	}
	if (stn_gather_init(&outputs, record->task, record, STN_OUTPUTS,
			    job->result))
		stn_node_fail(node, "out of memory");
	job->home = (struct stn_wire_result){ record->slot, record->epoch };
	stn_node_enter(node);
	stn_decide_ran(node, job->bytes, spent_ns);
	stn_node_send(node, record->rank, STN_RESULT, &job->home,
		      sizeof(job->home), outputs.pieces, outputs.count,
		      result_left, job);
	judge(node, spent_ns);
	stn_node_leave(node);
	stn_gather_fini(&outputs);
}
