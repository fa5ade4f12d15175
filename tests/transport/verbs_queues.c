/*
 * verbs_queues.c: the queues of the verbs backend, on a made-up device whose
 * requests complete when the test says so. Needs no device.
 */
#include "tests/tap.h"
#include "tests/transport/verbs_nic.h"
#include "transport/peers.h"

#define PAYLOAD ((size_t)10 << 20) /* ten reads */
#define SMALL ((size_t)64 << 10)   /* one */

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

static void
pull_all(struct verbs *verbs, size_t bytes, int *done)
{
	pull_payload(verbs_pull, &verbs->base, bytes, done);
	while (nic.completed < nic.posted)
		complete(verbs, 1);
}

static void
offer_in_vain(struct verbs *verbs, int *done)
{
	static char payload[SMALL];
	const struct iovec piece = { payload, sizeof(payload) };

	verbs_offer(&verbs->base, PEER, 1, "header", 6, &piece, 1, count_done,
		    done);
	stn_rendezvous_abandon(&verbs->rendezvous, PEER, STN_LOST);
}

/* Memory of payloads that have been read. */
static void
test_regions(void)
{
	struct verbs *verbs = endpoint_open();
	int done = 0;

	pull_all(verbs, SMALL, &done);
	tap_ok(done == 1 && nic.regions == 1,
	       "a payload has come before its memory is deregistered");
	nic.lockable = 1;
	pull_all(verbs, SMALL, &done);
	tap_ok(done == 2 && nic.regions == 1,
	       "it is deregistered if the next payload can't be registered "
	       "otherwise");
	verbs_progress(&verbs->base);
	tap_ok(!nic.regions, "it is deregistered when nothing else happens");
	nic.lockable = 0;
	pull_all(verbs, PAYLOAD, &done);
	tap_ok(!nic.regions, "a large payload's memory is deregistered at once");
	for (int i = 0; i <= VERBS_RETIRED; i++)
		pull_all(verbs, SMALL, &done);
	tap_ok(nic.regions == VERBS_RETIRED,
	       "at most VERBS_RETIRED regions wait to be deregistered");
	verbs_arm(&verbs->base);
	tap_ok(!nic.regions, "none waits while the endpoint sleeps");
	offer_in_vain(verbs, &done);
	tap_ok(done >= 100 && nic.regions == 1,
	       "memory that was offered waits, too");
	nic.left = -1;
	endpoint_close(verbs, 0);
	tap_ok(!nic.left && !nic.regions,
	       "all are deregistered before the device's domain is freed");
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

/* A peer that acknowledges nothing, and another one. */
static void
test_bounces(void)
{
	static unsigned char memory[VERBS_BOUNCES][VERBS_BUFFER_BYTES];
	static char payload[1024];
	const struct iovec piece = { payload, sizeof(payload) };
	struct verbs *verbs = endpoint_open();

	verbs->region = register_memory(NULL, NULL, 0, 0);
	STAILQ_INIT(&verbs->free_bounces);
	for (int i = 0; i < VERBS_BOUNCES; i++) {
		verbs->bounces[i].bytes = memory[i];
		STAILQ_INSERT_HEAD(&verbs->free_bounces, &verbs->bounces[i].op,
				   link);
	}
	free(verbs->peers[PEER].in_flight);
	verbs->depth = VERBS_BOUNCES;
	connect_peer(verbs, &verbs->peers[PEER]);
	connect_peer(verbs, &verbs->peers[OTHER]);
	for (int i = 0; i < VERBS_BOUNCES; i++)
		verbs_send(&verbs->base, PEER, 1, "header", 6, &piece, 1, NULL,
			   NULL);
	nic.posted = 0;
	verbs_send(&verbs->base, OTHER, 1, "header", 6, &piece, 1, NULL, NULL);
	verbs_send(&verbs->base, OTHER, STN_PEERS_HEARTBEAT, "", 1, NULL, 0,
		   NULL, NULL);
	tap_ok(nic.posted == 2,
	       "a peer that acknowledges nothing doesn't delay others");
	endpoint_close(verbs, 0);
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
	test_regions();
	test_close();
	test_bounces();
	return tap_end();
}
