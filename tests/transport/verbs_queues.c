/*
 * verbs_queues.c: the queues of the verbs backend, on a made-up device whose
 * requests complete when the test says so. Needs no device.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/transport/pulls.h"
#include "transport/backends.h"
#include "transport/peers.h"
#include "transport/verbs/verbs.h"
#include "transport/verbs/verbs_send.h"

#define PEER PULL_FROM /* the only peer; the endpoint is node 0 */
#define NODES 2
#define DEPTH 16
#define READS 4
#define PAYLOAD ((size_t)10 << 20) /* ten reads */

/* The device. It completes requests when the test says so. */
static struct {
	struct ibv_context context;
	struct ibv_qp pair;
	struct ibv_cq arrivals, sends;
	bool fails;	       /* its completion queues can't be polled */
	int posted, completed; /* requests */
	int done;	       /* requests whose completion can be polled */
	int reads;	       /* among all posted requests */
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
		nic.completed++;
	}
	return got;
}

static int
post_send(struct ibv_qp *pair, struct ibv_send_wr *work,
	  struct ibv_send_wr **bad_p)
{
	(void)pair;
	(void)bad_p;
	nic.posted++;
	nic.reads += work->opcode == IBV_WR_RDMA_READ;
	return 0;
}

static struct ibv_mr *
register_memory(struct ibv_pd *domain, void *address, size_t bytes, int access)
{
	static struct ibv_mr region;

	(void)domain;
	(void)address;
	(void)bytes;
	(void)access;
	return &region;
}

static int
deregister_memory(struct ibv_mr *region)
{
	(void)region;
	return 0;
}

static int
destroy_pair(struct ibv_qp *pair)
{
	(void)pair;
	return 0;
}

static int
destroy_queue(struct ibv_cq *cq)
{
	(void)cq;
	return 0;
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
	nic.context.ops.post_send = post_send;
	nic.pair.context = &nic.context;
	nic.arrivals.context = nic.sends.context = &nic.context;
}

static void
connect_peer(struct verbs *verbs, struct verbs_peer *peer)
{
	peer->joined = peer->peer_joined = true;
	peer->pair = &nic.pair;
	peer->in_flight = calloc(verbs->depth, sizeof(peer->in_flight[0]));
	peer->reads_most = READS;
	STAILQ_INIT(&peer->backlog);
	STAILQ_INIT(&peer->reads);
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
	verbs->library.reg_mr = register_memory;
	verbs->library.dereg_mr = deregister_memory;
	verbs->library.destroy_qp = destroy_pair;
	verbs->library.destroy_cq = destroy_queue;
	verbs->base.nodes = NODES;
	verbs->arrivals.cq = &nic.arrivals;
	verbs->sends.cq = &nic.sends;
	verbs->depth = DEPTH;
	verbs->inline_bytes = 256;
	verbs->gathered = VERBS_PIECES;
	connect_peer(verbs, &verbs->peers[PEER]);
	return verbs;
}

/* Returns how long the close took. */
static uint64_t
endpoint_close(struct verbs *verbs, uint64_t patience_ns)
{
	uint64_t begin = stn_machine_now(NULL);

	stn_transport_verbs.close(&verbs->base, patience_ns);
	free(verbs);
	return stn_machine_now(NULL) - begin;
}

/* Lets the device complete @count requests. */
static void
complete(struct verbs *verbs, int count)
{
	nic.done += count;
	verbs_progress(&verbs->base);
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
	endpoint_close(verbs, 0);
}

static void
pull_large(struct verbs *verbs, int *done)
{
	pull_payload(verbs_pull, &verbs->base, PAYLOAD, done);
}

static void
send_some(struct verbs *verbs, int count)
{
	while (count--)
		verbs_send(&verbs->base, PEER, 1, "header", 6, NULL, 0, NULL,
			   NULL);
}

static void
test_failing(void)
{
	struct verbs *verbs = endpoint_open();

	send_some(verbs, 1);
	nic.fails = true;
	tap_ok(!verbs_progress(&verbs->base),
	       "a queue that can't be polled has no completions");
	verbs->sends.has_early = true;
	verbs->sends.early.wr_id = PEER;
	tap_ok(verbs_progress(&verbs->base) == 1,
	       "a completion that was read before is not lost");
	endpoint_close(verbs, 0);
}

/* Messages to a peer while a payload is read from it. */
static void
test_reads(void)
{
	struct verbs *verbs = endpoint_open();
	int done = 0;

	pull_large(verbs, &done);
	tap_ok(nic.reads == READS && nic.posted == READS,
	       "a few reads of a large payload are posted at a time");
	send_some(verbs, 1);
	tap_ok(nic.posted == READS + 1,
	       "a message is not queued behind the other reads");
	complete(verbs, 2);
	tap_ok(nic.reads == READS + 2,
	       "when a read is complete, the next one is posted");
	send_some(verbs, DEPTH);
	tap_ok(nic.posted - nic.completed == DEPTH, "messages fill the queue");
	complete(verbs, 2);
	tap_ok(nic.reads == READS + 3 && nic.posted - nic.completed == DEPTH,
	       "then messages and reads that wait take turns");
	while (nic.completed < nic.posted)
		complete(verbs, 1);
	tap_ok(done == 1 && nic.reads == 10, "the whole payload is read");
	endpoint_close(verbs, 0);
}

/* Messages to a peer without end, then reads from it without end. */
static void
test_turns(void)
{
	struct verbs *verbs = endpoint_open();
	int done = 0, messages = 3 * DEPTH;

	send_some(verbs, 2 * DEPTH);
	pull_large(verbs, &done);
	for (int i = 0; i < 10 * DEPTH && !done; i++) {
		send_some(verbs, 1);
		complete(verbs, 1);
	}
	tap_ok(done == 1, "messages without end don't keep reads waiting");
	endpoint_close(verbs, 0);
	verbs = endpoint_open();
	pull_large(verbs, &done);
	send_some(verbs, messages);
	for (int i = 0; i < 10 * DEPTH; i++) {
		pull_large(verbs, &done);
		complete(verbs, 1);
	}
	tap_ok(nic.posted - nic.reads >= messages,
	       "reads without end don't keep messages waiting");
	endpoint_close(verbs, 0);
}

/* The peer dies while most of a payload has not been asked for. */
static void
test_reads_lost(void)
{
	struct verbs *verbs = endpoint_open();
	int done = 0;

	pull_large(verbs, &done);
	verbs_peer_del(&verbs->base, PEER);
	tap_ok(done == 100 && !verbs->reading,
	       "if the peer dies, the reads that wait end, too");
	endpoint_close(verbs, 0);
}

static void
send_heartbeat(struct verbs *verbs)
{
	verbs_send(&verbs->base, PEER, STN_PEERS_HEARTBEAT, "", 1, NULL, 0,
		   NULL, NULL);
}

/* The peer may have closed already, and then it acknowledges nothing. */
static void
test_close(void)
{
	const uint64_t patience = 2 * STN_SECOND_NS;
	struct verbs *verbs = endpoint_open();

	send_some(verbs, 1);
	complete(verbs, 1);
	send_heartbeat(verbs);
	tap_ok(endpoint_close(verbs, patience) < patience,
	       "a close doesn't wait until a heartbeat has left");
	verbs = endpoint_open();
	verbs->peers[PEER].joined = false;
	send_heartbeat(verbs);
	tap_ok(endpoint_close(verbs, patience) < patience,
	       "nor until one is posted");
	verbs = endpoint_open();
	send_some(verbs, 1);
	send_heartbeat(verbs);
	tap_ok(endpoint_close(verbs, patience / 20) >= patience / 20,
	       "it waits for other messages");
}

int
main(void)
{
	tap_begin();
	test_events();
	test_failing();
	test_reads();
	test_turns();
	test_reads_lost();
	test_close();
	return tap_end();
}
