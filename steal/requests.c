#include "steal/requests.h"

#include <assert.h>

#include "node/dispatch.h"
#include "steal/steal.h"
#include "steal/wire.h"

struct stn_steals *
stn_request_counts(struct stn_steal *steal, const struct stn_ask *ask)
{
	bool wide = stn_node_is_wide(steal->node, ask->victim);

	return &steal->counts.steals[ask->asynchronous][wide];
}

/* Relaxed: a hint for threads without the lock, see requests.h. */
static void
set_synchronous(struct stn_requests *requests, bool synchronous)
{
	atomic_store_explicit(&requests->synchronous, synchronous,
			      memory_order_relaxed);
}

static struct stn_request *
free_request(struct stn_requests *requests)
{
	for (size_t i = 0; i < requests->room; i++)
		if (!requests->all[i].out)
			return &requests->all[i];
	return NULL;
}

/* Are all workers bound? See steal.h. */
static bool
is_bound(const struct stn_steal *steal)
{
	const struct stn_node *node = steal->node;

	if (!steal->unclaimed)
		return false;
	for (uint32_t i = 0; i < node->worker_count; i++)
		if (!steal->owners[i].bound)
			return false;
	return true;
}

void
stn_request_send(struct stn_steal *steal, const struct stn_ask *ask,
		 uint32_t patience_us)
{
	struct stn_requests *requests = &steal->requests;
	struct stn_request *request = free_request(requests);
	struct stn_wire_request message = { ++requests->last_number,
					    patience_us, ask->seen };

	if (is_bound(steal))
		message.patience_us |= STN_REQUEST_BOUND;
	assert(request); /* no balancer has more requests out */
	*request = (struct stn_request){ .out = true,
					 .number = message.number,
					 .asked_ns = stn_node_now(steal->node),
					 .ask = *ask };
	if (!ask->asynchronous)
		set_synchronous(requests, true);
	stn_count_locked(&requests->out, 1);
	if (ask->lifeline_us)
		stn_count_locked(&requests->lifelines, 1);
	stn_request_counts(steal, ask)->asked++;
	stn_node_say(steal->node, ask->victim, STN_REQUEST, &message,
		     sizeof(message));
}

static void
cancel(struct stn_steal *steal, struct stn_request *request)
{
	struct stn_wire_refusal message = { request->number };

	if (!request->out || request->landing || request->cancelled)
		return;
	request->cancelled = true;
	stn_node_say(steal->node, request->ask.victim, STN_CANCEL, &message,
		     sizeof(message));
}

void
stn_request_cancel_all(struct stn_steal *steal)
{
	for (size_t i = 0; i < steal->requests.room; i++)
		cancel(steal, &steal->requests.all[i]);
}

void
stn_request_cancel_lifelines(struct stn_steal *steal)
{
	for (size_t i = 0; i < steal->requests.room; i++)
		if (steal->requests.all[i].ask.lifeline_us)
			cancel(steal, &steal->requests.all[i]);
}

struct stn_request *
stn_request_find_lost(struct stn_steal *steal, uint32_t victim)
{
	for (size_t i = 0; i < steal->requests.room; i++) {
		struct stn_request *request = &steal->requests.all[i];

		if (request->out && !request->landing &&
		    request->ask.victim == victim)
			return request;
	}
	return NULL;
}

struct stn_request *
stn_request_find(struct stn_steal *steal, uint32_t victim, uint32_t number)
{
	for (size_t i = 0; i < steal->requests.room; i++) {
		struct stn_request *request = &steal->requests.all[i];

		if (request->out && !request->landing &&
		    request->number == number && request->ask.victim == victim)
			return request;
	}
	return NULL;
}

void
stn_request_close(struct stn_steal *steal, struct stn_request *request)
{
	request->out = false;
	stn_count_locked(&steal->requests.out, -1);
	if (request->ask.lifeline_us)
		stn_count_locked(&steal->requests.lifelines, -1);
	if (!request->ask.asynchronous)
		set_synchronous(&steal->requests, false);
}
