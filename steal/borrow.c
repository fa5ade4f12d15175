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

static void
ask(struct stn_node *node, const struct stn_ask *what, uint64_t now)
{
	struct stn_request *request = free_request(node);
	struct stn_wire_request message = { ++node->last_number,
					    patience_us(node, what) };

	assert(request); /* no balancer has so many out */
	*request = (struct stn_request){ .out = true,
					 .number = message.number,
					 .asked_ns = now,
					 .ask = *what };
	if (!what->asynchronous)
		node->synchronous = true;
	if (is_wide(node, what->victim))
		node->stats.asked_wan++;
	else
		node->stats.asked_lan++;
	stn_node_send(node, what->victim, STN_REQUEST, &message,
		      sizeof(message), NULL, 0, NULL, NULL);
}

static void
ask_all(struct stn_node *node, uint64_t now)
{
	struct stn_view view = { &node->topology, node->rank, &node->random };
	struct stn_ask asks[STN_ASKS];
	unsigned count;

	count = node->balancer->idle(node->balance, &view, now, asks);
	for (unsigned i = 0; i < count; i++)
		ask(node, &asks[i], now);
}

uint64_t
stn_borrow_ask(struct stn_node *node)
{
	uint64_t now = stn_node_now(node);

	/* Both are hints, looked at again under the lock. */
	if (node->synchronous)
		return STN_FOREVER;
	if (now < node->ask_at_ns)
		return node->ask_at_ns;
	stn_node_enter(node);
	if (!node->synchronous && !node->stopping)
		ask_all(node, now);
	stn_node_leave(node);
	return STN_FOREVER;
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

static void
answered(struct stn_node *node, struct stn_request *request, bool granted)
{
	const struct stn_ask what = request->ask;
	uint64_t now = stn_node_now(node);

	request->out = false;
	if (!what.asynchronous)
		node->synchronous = false;
	if (granted)
		node->ask_at_ns = 0;
	else
		pause_from(node, request->asked_ns);
	if (granted)
		node->balancer->granted(node->balance, &what, now);
	else
		node->balancer->refused(node->balance, &what, now);
	stn_node_wake(node);
}

void
stn_borrow_refuse(struct stn_node *node, uint32_t from, uint32_t number)
{
	struct stn_request *request = find_request(node, from, number);

	if (!request || request->landing)
		stn_node_fail(node,
			      "node %" PRIu32 " refused what was not asked",
			      from);
	answered(node, request, false);
}

static void
job_landed(void *arg, enum stn_err err)
{
	struct stn_job *job = arg;
	struct stn_node *node = job->node;
	struct stn_request *request = job->request;

	if (err)
		stn_node_fail(node,
			      "a record from node %" PRIu32 " was lost: %s",
			      request->ask.victim, stn_err_text(err));
	if (job->wide)
		node->stats.granted_wan++;
	else
		node->stats.granted_lan++;
	stn_inbox_put(node, job);
	answered(node, request, true);
}

void
stn_borrow_grant(struct stn_node *node, const struct stn_message *message,
		 const struct stn_wire *wire)
{
	struct stn_request *request;
	struct stn_gather inputs;
	struct stn_job *job;

	request = find_request(node, message->from, wire->record.request);
	if (wire->record.rank >= node->topology.nodes)
		stn_node_fail(node,
			      "node %" PRIu32
			      " granted a record of a node that "
			      "isn't there",
			      message->from);
	if (!request || request->landing)
		stn_node_fail(node,
			      "node %" PRIu32 " granted what was not asked",
			      message->from);
	job = stn_job_create(node, &wire->record);
	if (!job || stn_gather_init(&inputs, job->record.task, &job->record,
				    STN_INPUTS, NULL))
		stn_node_fail(node,
			      "out of memory for a record of %zu bytes from "
			      "node %" PRIu32,
			      message->payload_bytes, message->from);
	job->request = request;
	job->wide = is_wide(node, message->from);
	request->landing = true;
	stn_transport_take(node->transport, message, inputs.pieces,
			   inputs.count, job_landed, job);
	stn_gather_fini(&inputs);
}

static void
result_left(void *arg, enum stn_err err)
{
	struct stn_job *job = arg;

	if (err && err != STN_REFUSED && err != STN_CANCELLED)
		stn_node_fail(job->node,
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
		stn_node_leave(node);
		stn_job_free(job);
		return;
	}
	if (stn_gather_init(&outputs, record->task, record, STN_OUTPUTS,
			    job->result))
		stn_node_fail(node, "out of memory");
	job->home = (struct stn_wire_result){ record->slot, record->epoch };
	stn_node_enter(node);
	stn_node_send(node, record->rank, STN_RESULT, &job->home,
		      sizeof(job->home), outputs.pieces, outputs.count,
		      result_left, job);
	judge(node, spent_ns);
	stn_node_leave(node);
	stn_gather_fini(&outputs);
}
