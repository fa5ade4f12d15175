/*
 * ofi_queues.c: the queues of the libfabric backend, on a made-up endpoint
 * whose operations complete when the test says so. Needs no libfabric.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/transport/pulls.h"
#include "transport/ofi/ofi.h"
#include "transport/ofi/ofi_send.h"
#include "transport/peers.h"

#define PEER PULL_FROM /* the only peer; the endpoint is node 0 */
#define NODES 2
#define READS 16
#define ROOM 64
#define PAYLOAD ((size_t)20 << 20) /* twenty reads */

/* The endpoint of libfabric. */
static struct {
	struct fid_ep endpoint;
	struct fi_ops_rma rma;
	struct fi_ops_msg messages;
	struct fid_cq completions;
	struct fi_ops_cq cq;
	void *contexts[ROOM]; /* of posted operations that complete */
	struct ofi_receive *receive; /* the last buffer that was posted */
	struct ofi_wire wire;	     /* of the last message */
	int posted, completed, done;
	int reads; /* among all posted operations */
	int room;  /* operations that it takes at a time */
	bool full; /* it takes no messages */
	ssize_t error; /* of operations that it doesn't take */
} fabric;

static ssize_t
read_message(struct fid_ep *endpoint, const struct fi_msg_rma *message,
	     uint64_t flags)
{
	(void)endpoint;
	(void)flags;
	if (fabric.posted - fabric.completed == fabric.room)
		return fabric.error;
	fabric.reads++;
	fabric.contexts[fabric.posted++ % ROOM] = message->context;
	return 0;
}

static ssize_t
send_message(struct fid_ep *endpoint, const struct fi_msg *message,
	     uint64_t flags)
{
	(void)endpoint;
	(void)flags;
	if (fabric.full || fabric.posted - fabric.completed == fabric.room)
		return fabric.error;
	memcpy(&fabric.wire, message->msg_iov[0].iov_base, OFI_WIRE_BYTES);
	fabric.contexts[fabric.posted++ % ROOM] = message->context;
	return 0;
}

static ssize_t
receive_message(struct fid_ep *endpoint, void *bytes, size_t size,
		void *descriptor, fi_addr_t from, void *context)
{
	(void)endpoint;
	(void)bytes;
	(void)size;
	(void)descriptor;
	(void)from;
	fabric.receive = context;
	return 0;
}

static ssize_t
read_completions(struct fid_cq *cq, void *buffer, size_t count)
{
	struct fi_cq_msg_entry *entries = buffer;
	size_t got = 0;

	(void)cq;
	for (; fabric.done && got < count; fabric.done--)
		entries[got++] = (struct fi_cq_msg_entry){
			.op_context = fabric.contexts[fabric.completed++ % ROOM]
		};
	return got ? (ssize_t)got : -FI_EAGAIN;
}

static void
fabric_begin(void)
{
	memset(&fabric, 0, sizeof(fabric));
	fabric.room = ROOM;
	fabric.error = -FI_EAGAIN;
	fabric.rma.readmsg = read_message;
	fabric.messages.sendmsg = send_message;
	fabric.messages.recv = receive_message;
	fabric.cq.read = read_completions;
	fabric.endpoint.rma = &fabric.rma;
	fabric.endpoint.msg = &fabric.messages;
	fabric.completions.ops = &fabric.cq;
}

/* An endpoint that knows its peer's address. */
static struct ofi *
endpoint_open(void)
{
	size_t peers = NODES * sizeof(struct ofi_peer);
	struct ofi *ofi = calloc(1, sizeof(*ofi) + peers);

	fabric_begin();
	ofi->base.nodes = NODES;
	ofi->endpoint = &fabric.endpoint;
	ofi->completions = &fabric.completions;
	ofi->waiting = calloc(NODES, sizeof(ofi->waiting[0]));
	ofi->gather = OFI_GATHER;
	ofi->inject_bytes = 64;
	ofi->inject_flags = FI_INJECT | FI_COMPLETION;
	ofi->provider.traits = OFI_FORGETS;
	ofi_peers_init(ofi);
	ofi_pulls_init(ofi);
	ofi->peers[PEER].shut = false;
	return ofi;
}

static void
endpoint_close(struct ofi *ofi)
{
	ofi->closing = true;
	ofi_cancel_rest(ofi);
	ofi_pool_free(&ofi->sends);
	ofi_pool_free(&ofi->pulls);
	ofi_pool_free(&ofi->reads);
	free(ofi->waiting);
	free(ofi);
}

/* Lets the fabric complete @count operations. */
static void
complete(struct ofi *ofi, int count)
{
	fabric.done += count;
	ofi_progress(&ofi->base);
}

static void
pull_large(struct ofi *ofi, int *done)
{
	pull_payload(ofi_pull, &ofi->base, PAYLOAD, done);
}

static void
send_one(struct ofi *ofi)
{
	ofi_send(&ofi->base, PEER, 1, "header", 6, NULL, 0, NULL, NULL);
}

/* Messages to a peer while a payload is read from it. */
static void
test_reads(void)
{
	struct ofi *ofi = endpoint_open();
	int done = 0;

	pull_large(ofi, &done);
	tap_ok(fabric.reads == READS && !ofi_waits(&ofi->base),
	       "a few reads of a large payload are posted at a time");
	send_one(ofi);
	tap_ok(fabric.posted == READS + 1,
	       "a message is not queued behind the other reads");
	complete(ofi, 1);
	tap_ok(fabric.reads == READS + 1,
	       "when a read is complete, the next one is posted");
	fabric.full = true;
	send_one(ofi);
	tap_ok(ofi_waits(&ofi->base), "a message waits for room");
	complete(ofi, 1);
	tap_ok(fabric.reads == READS + 2, "it does not hold up reads");
	fabric.full = false;
	complete(ofi, 0);
	tap_ok(fabric.posted == READS + 4 && !ofi_waits(&ofi->base),
	       "with room again, it is posted");
	while (fabric.completed < fabric.posted)
		complete(ofi, 1);
	tap_ok(done == 1 && fabric.reads == 20, "the whole payload is read");
	endpoint_close(ofi);
}

/* Messages to a peer without end, then reads from it without end. */
static void
test_turns(void)
{
	struct ofi *ofi = endpoint_open();
	int done = 0, messages = 2 * ROOM;

	for (int i = 0; i < messages; i++)
		send_one(ofi);
	pull_large(ofi, &done);
	for (int i = 0; i < 10 * ROOM && !done; i++) {
		send_one(ofi);
		complete(ofi, 1);
	}
	tap_ok(done == 1, "messages without end don't keep reads waiting");
	endpoint_close(ofi);
	ofi = endpoint_open();
	fabric.room = READS;
	pull_large(ofi, &done);
	for (int i = 0; i < messages; i++)
		send_one(ofi);
	for (int i = 0; i < 10 * ROOM; i++) {
		pull_large(ofi, &done);
		complete(ofi, 1);
	}
	tap_ok(fabric.posted - fabric.reads >= messages,
	       "reads without end don't keep messages waiting");
	endpoint_close(ofi);
}

/* libfabric lacks the memory for an operation. */
static void
test_shortage(void)
{
	struct ofi *ofi = endpoint_open();
	int done = 0;

	fabric.error = -FI_ENOMEM;
	fabric.room = 1;
	send_one(ofi);
	send_one(ofi);
	pull_large(ofi, &done);
	tap_ok(fabric.posted == 1 && !done && ofi_waits(&ofi->base),
	       "without memory, a message and a read wait for the first");
	fabric.room = ROOM;
	while (fabric.completed < fabric.posted)
		complete(ofi, 1);
	tap_ok(done == 1 && fabric.posted == 23 && !ofi_waits(&ofi->base),
	       "with memory again, both are posted, and the read's end");
	fabric.room = 0;
	done = 0;
	ofi_send(&ofi->base, PEER, 1, "header", 6, NULL, 0, count_done, &done);
	tap_ok(done == 100 && !ofi->peers[PEER].shut,
	       "with nothing to wait for, a message fails; the peer lives");
	endpoint_close(ofi);
}

/* The endpoint closes while some of a payload has not been asked for. */
static void
test_reads_closing(void)
{
	struct ofi *ofi = endpoint_open();
	int done = 0;

	pull_large(ofi, &done);
	ofi->closing = true;
	complete(ofi, READS);
	tap_ok(fabric.posted == READS, "a close posts no reads that wait");
	ofi_cancel_rest(ofi);
	tap_ok(done == 100, "it ends them");
	endpoint_close(ofi);
}

/* The peer dies while some of a payload has not been asked for. */
static void
test_reads_lost(void)
{
	struct ofi *ofi = endpoint_open();
	int done = 0;

	pull_large(ofi, &done);
	ofi_peer_del(&ofi->base, PEER);
	tap_ok(done == 100, "if the peer dies, all reads end");
	complete(ofi, READS);
	tap_ok(done == 100 && LIST_EMPTY(&ofi->abandoned),
	       "their late completions end nothing twice");
	endpoint_close(ofi);
}

/* The peer dies before inline messages to it have left. */
static void
test_inlined_lost(void)
{
	struct ofi *ofi = endpoint_open();

	send_one(ofi);
	send_one(ofi);
	complete(ofi, 1);
	tap_ok(ofi->inlined_out == 1, "an inline message has not left");
	ofi_peer_del(&ofi->base, PEER);
	tap_ok(!ofi->inlined_out,
	       "if the peer dies, a close won't wait for it");
	complete(ofi, 1);
	tap_ok(!ofi->inlined_out && !ofi->peers[PEER].inlined_out,
	       "its late completion isn't counted again");
	endpoint_close(ofi);
}

/* The numbers of messages, of which some find no room at first. */
static void
test_numbers(void)
{
	struct ofi *ofi = endpoint_open();
	bool inlined, waited;

	send_one(ofi);
	inlined = fabric.wire.number == 0;
	fabric.full = true;
	send_one(ofi);
	send_one(ofi);
	fabric.full = false;
	complete(ofi, 0);
	waited = fabric.posted == 3 && fabric.wire.number == 2;
	send_one(ofi);
	tap_ok(inlined && waited && fabric.wire.number == 3,
	       "messages are numbered in the order in which they leave");
	endpoint_close(ofi);
}

/* The peer closes before this endpoint. */
static void
test_heartbeats_closing(void)
{
	struct ofi *ofi = endpoint_open();

	fabric.full = true;
	ofi_send(&ofi->base, PEER, STN_PEERS_HEARTBEAT, "", 1, NULL, 0, NULL,
		 NULL);
	tap_ok(ofi_waits(&ofi->base) && !ofi_busy(ofi),
	       "a close doesn't wait for heartbeats");
	send_one(ofi);
	tap_ok(ofi_busy(ofi), "it waits for messages behind them");
	endpoint_close(ofi);
}

static void
take(void *arg, const struct stn_message *message)
{
	*(int *)arg += message->kind == 1;
}

/* Receives a message with this number. */
static void
receive(struct ofi *ofi, uint32_t number)
{
	struct ofi_wire wire = {
		.cookie = ofi->cookie,
		.number = number,
		.packet = stn_packet_make(PEER, STN_PACKET_EAGER, 1, 0, 0),
	};
	struct ofi_receive *into = fabric.receive;

	memcpy(into->bytes, &wire, sizeof(wire));
	into->context.completed(ofi, &into->context, sizeof(wire), 0);
}

/* A connection is reset between two living nodes, and made again. */
static void
test_gap(void)
{
	struct ofi *ofi = endpoint_open();
	int taken = 0;

	ofi->provider.traits = OFI_SOCKETS;
	ofi->base.opening.handler = take;
	ofi->base.opening.arg = &taken;
	ofi->receive_bytes = OFI_WIRE_BYTES;
	ofi->receives = calloc(OFI_RECEIVES, ofi_receive_stride(ofi));
	ofi_post_receives(ofi);
	receive(ofi, 0);
	receive(ofi, 1);
	tap_ok(taken == 2 && !ofi->peers[PEER].shut, "messages are taken");
	receive(ofi, 3);
	tap_ok(taken == 2 && ofi->peers[PEER].shut,
	       "if one is missing, the next is not, and the peer is lost");
	free(ofi->receives);
	endpoint_close(ofi);
}

int
main(void)
{
	tap_begin();
	test_reads();
	test_turns();
	test_shortage();
	test_reads_closing();
	test_reads_lost();
	test_inlined_lost();
	test_numbers();
	test_heartbeats_closing();
	test_gap();
	return tap_end();
}
