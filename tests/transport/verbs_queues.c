/*
 * verbs_queues.c: the queues of the verbs backend, on a made-up device whose
 * requests complete when the test says so. Needs no device.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "transport/verbs/verbs.h"

#define PEER 1 /* the only peer; the endpoint is node 0 */
#define NODES 2

/* The device. Completions of sends wait in @done until they are polled. */
static struct {
	struct ibv_context context;
	struct ibv_cq arrivals, sends;
	bool fails; /* its completion queues can't be polled */
	int done;
	bool event; /* one of the sends can be read from the channel */
} nic;

static int
poll_queue(struct ibv_cq *cq, int most, struct ibv_wc *completions)
{
	int got = 0;

	if (nic.fails)
		return -1;
	while (cq == &nic.sends && nic.done && got < most) {
		completions[got++] = (struct ibv_wc){ .wr_id = PEER };
		nic.done--;
	}
	return got;
}

static int
request_event(struct ibv_cq *cq, int solicited)
{
	(void)cq;
	(void)solicited;
	return 0;
}

static int
get_event(struct ibv_comp_channel *channel, struct ibv_cq **cq_p,
	  void **queue_p)
{
	struct verbs *verbs = nic.sends.cq_context;

	(void)channel;
	if (!nic.event)
		return -1;
	nic.event = false;
	*cq_p = &nic.sends;
	*queue_p = &verbs->sends;
	return 0;
}

static void
acknowledge_events(struct ibv_cq *cq, unsigned count)
{
	(void)cq;
	(void)count;
}

static void
nic_begin(void)
{
	memset(&nic, 0, sizeof(nic));
	nic.context.ops.poll_cq = poll_queue;
	nic.context.ops.req_notify_cq = request_event;
	nic.arrivals.context = nic.sends.context = &nic.context;
}

/* An endpoint that is connected to its peer. */
static struct verbs *
endpoint_open(void)
{
	size_t peers = NODES * sizeof(struct verbs_peer);
	struct verbs *verbs = calloc(1, sizeof(*verbs) + peers);

	nic_begin();
	nic.sends.cq_context = verbs;
	verbs->library.get_cq_event = get_event;
	verbs->library.ack_cq_events = acknowledge_events;
	verbs->base.nodes = NODES;
	verbs->arrivals.cq = &nic.arrivals;
	verbs->sends.cq = &nic.sends;
	return verbs;
}

static void
test_failing(void)
{
	struct verbs *verbs = endpoint_open();

	nic.fails = true;
	tap_ok(!verbs_progress(&verbs->base),
	       "a queue that can't be polled has no completions");
	verbs->sends.has_early = true;
	verbs->sends.early.wr_id = PEER;
	tap_ok(verbs_progress(&verbs->base) == 1,
	       "a completion that was read before is not lost");
	free(verbs);
}

/* A thread sleeps on the channel while another one polls. */
static void
test_events(void)
{
	struct verbs *verbs = endpoint_open();

	verbs_queue_arm(&verbs->sends);
	verbs_disarm(&verbs->base);
	tap_ok(verbs->sends.armed, "an event that has not come stays expected");
	nic.event = true;
	verbs_disarm(&verbs->base);
	tap_ok(!nic.event && !verbs->sends.armed,
	       "the thread that an event has woken reads it");
	free(verbs);
}

int
main(void)
{
	tap_begin();
	test_events();
	test_failing();
	return tap_end();
}
