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

static void
nic_begin(void)
{
	memset(&nic, 0, sizeof(nic));
	nic.context.ops.poll_cq = poll_queue;
	nic.arrivals.context = nic.sends.context = &nic.context;
}

/* An endpoint that is connected to its peer. */
static struct verbs *
endpoint_open(void)
{
	size_t peers = NODES * sizeof(struct verbs_peer);
	struct verbs *verbs = calloc(1, sizeof(*verbs) + peers);

	nic_begin();
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

int
main(void)
{
	tap_begin();
	test_failing();
	return tap_end();
}
