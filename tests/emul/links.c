/*
 * links.c: the emulated links. Computed arrival times must equal arithmetic.
 * Over the delaying transport no message may arrive early by the transport's
 * own clock; on a busy machine messages may arrive late.
 */
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "emul/link.h"
#include "tests/transport/conformance.h"
#include "tests/tap.h"

#define MS 1000000ull
#define US 1000ull

static const struct stn_link slow = { .latency_ns = 100 * MS,
				      .bytes_per_s = 100000 };

/* Gives a message to a link that never changes. */
static uint64_t
link_send(const struct stn_link *link, struct stn_link_queue *queue,
	  size_t bytes, uint64_t now)
{
	const struct stn_profile profile = { .links = link, .count = 1 };

	return stn_link_send(&profile, queue, bytes, now);
}

static void
test_idle(void)
{
	struct stn_link_queue queue = { 0 };
	const struct stn_link free = { .latency_ns = 7 * MS };
	uint64_t now = 5 * STN_SECOND_NS;

	tap_ok(link_send(&slow, &queue, 1000, now) == now + 110 * MS,
	       "1000 bytes at 100 KB/s and 100 ms arrive after 110 ms");
	now += STN_SECOND_NS;
	tap_ok(link_send(&slow, &queue, 1, now) == now + 100 * MS + 10 * US,
	       "a message gains nothing from idle time before it");
	tap_ok(link_send(&slow, &queue, 0, now + MS) == now + 101 * MS,
	       "an empty message still takes the latency");
	tap_ok(queue.busy_ns == now + MS,
	       "the link is busy until its last message has left");
	queue.busy_ns = 0;
	tap_ok(link_send(&free, &queue, SIZE_MAX, now) == now + 7 * MS,
	       "with unlimited bandwidth a message of any size takes the "
	       "latency alone");
}

static void
test_burst(void)
{
	struct stn_link_queue queue = { 0 };
	uint64_t now = 3 * STN_SECOND_NS;
	bool right = true;

	for (unsigned i = 1; i <= 100; i++)
		right = right && link_send(&slow, &queue, 500, now + i) ==
					 now + 1 + i * 5 * MS + 100 * MS;
	tap_ok(right,
	       "a hundred messages at once arrive in order, at the bandwidth");
}

static void
test_huge(void)
{
	const struct stn_link trickle = { .latency_ns = STN_SECOND_NS,
					  .bytes_per_s = 1 };
	struct stn_link_queue queue = { 0 };
	uint64_t now = 9 * STN_SECOND_NS, due, before = 0;
	bool rises = true;

	due = link_send(&slow, &queue, 1ull << 40, now);
	tap_ok(due - now == 10995116277760000ull + 100 * MS,
	       "a terabyte at 100 KB/s takes 127 days");
	queue.busy_ns = 0;
	tap_ok(link_send(&trickle, &queue, 18446744074, now) >= 1ull << 62,
	       "18 GB on the slowest link take at least 2^62 ns: their time "
	       "doesn't wrap around");
	queue.busy_ns = 0;
	for (unsigned i = 0; i < 8; i++) {
		due = link_send(&trickle, &queue, 5000000000u, now);
		rises = rises && due >= before;
		before = due;
	}
	tap_ok(rises,
	       "the time of many large messages doesn't wrap around either");
}

/* Threads that send on one link at once; each notes its messages' arrivals. */
#define THREADS 4
#define TURNS 20000

static struct stn_link_queue shared;
static uint64_t turns[THREADS][TURNS];

static void *
send_many(void *arg)
{
	const struct stn_link link = { .bytes_per_s = STN_SECOND_NS };
	uint64_t *mine = arg;

	for (unsigned i = 0; i < TURNS; i++)
		mine[i] = link_send(&link, &shared, 10, 1000);
	return NULL;
}

static void
test_threads(void)
{
	static bool taken[THREADS * TURNS];
	pthread_t threads[THREADS];
	bool alone = true, ordered = true;

	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, send_many, turns[i]))
			abort();
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < THREADS; i++) {
		for (unsigned j = 0; j < TURNS; j++) {
			uint64_t turn = (turns[i][j] - 1000) / 10 - 1;

			alone = alone && turn < THREADS * TURNS && !taken[turn];
			if (turn < THREADS * TURNS)
				taken[turn] = true;
			ordered = ordered &&
				  (!j || turns[i][j] > turns[i][j - 1]);
		}
	}
	tap_ok(alone && ordered,
	       "threads that share a link take turns, which never overlap");
	tap_ok(shared.busy_ns == 1000 + 10ull * THREADS * TURNS,
	       "the link is busy for the sum of all turns");
}

/* Messages over the delaying transport: when each was sent and arrived. */
#define MESSAGES 300

struct note {
	uint32_t number;
	unsigned char rest[STN_HEADER_BYTES - 4];
};

static uint64_t sent_at[MESSAGES], arrived_at[MESSAGES], taken_at[MESSAGES];
static uint32_t order[MESSAGES];
/* headers, which must stay in place until their sends are done */
static struct note notes[MESSAGES];
static unsigned arrived, taken, done;
static char payload[100000], room[MESSAGES][8];
static char large_room[sizeof(payload)];

static void
note_taken(void *arg, enum stn_err err)
{
	uint64_t *at = arg;

	*at = err ? 0 : net_now();
	taken++;
}

static void
note(struct net_node *node, const struct stn_message *message)
{
	struct note got;
	struct iovec piece = { large_room, message->payload_bytes };

	memcpy(&got, message->header, sizeof(got));
	if (message->payload_bytes <= sizeof(room[0]))
		piece.iov_base = room[got.number];
	arrived_at[got.number] = stn_transport_now(node->transport);
	order[arrived++] = got.number;
	stn_transport_take(node->transport, message, &piece, 1, note_taken,
			   &taken_at[got.number]);
}

static void
note_done(void *arg, enum stn_err err)
{
	(void)arg;
	done += !err;
}

/* Sends a header of 128 bytes and a payload of @bytes. */
static void
send_note(struct net *net, uint32_t from, uint32_t to, uint32_t number,
	  size_t bytes)
{
	struct iovec piece = { payload, bytes };
	struct stn_transport *transport = net->nodes[from].transport;

	sent_at[number] = stn_transport_now(transport);
	notes[number].number = number;
	stn_transport_send(transport, to, 1, &notes[number],
			   sizeof(notes[number]), &piece, 1, note_done, NULL);
}

/* Waits for @count messages and no more; resets the counters. */
static bool
wait_notes(struct net *net, unsigned count)
{
	bool all =
		net_until(net, &taken, count) && net_until(net, &done, count);

	net_spin(net, 100);
	all = all && arrived == count && done == count && taken == count;
	arrived = done = taken = 0;
	return all;
}

static void
open_net(struct net *net, uint32_t clusters, uint64_t latency, uint64_t rate)
{
	const struct stn_link wan = { .latency_ns = latency,
				      .bytes_per_s = rate };
	const struct plan plan = { .transport = "loop",
				   .clusters = clusters,
				   .wan = &wan };
	struct stn_why why;

	if (net_open(net, &plan, &why)) {
		printf("Bail out! %s\n", why.text);
		exit(EXIT_FAILURE);
	}
	net->handler = note;
}

/* 128 bytes of header and 872 of payload, at 1 MB/s, take 1 ms. */
static void
test_delay(struct net *net)
{
	struct stn_transport *sender;
	bool before, held;

	open_net(net, 2, 20 * MS, 1000000);
	sender = net->nodes[0].transport;
	before = stn_transport_settle(sender);
	send_note(net, 0, 2, 0, 8);
	held = !stn_transport_settle(sender);
	tap_ok(wait_notes(net, 1) &&
		       arrived_at[0] - sent_at[0] >= 20 * MS + 136 * US,
	       "a message between clusters takes at least the latency and the "
	       "time for its bytes");
	tap_ok(before && held && stn_transport_settle(sender),
	       "a message that is held has not arrived");
	send_note(net, 0, 2, 0, 99872);
	tap_ok(wait_notes(net, 1) && arrived_at[0] - sent_at[0] >= 120 * MS,
	       "all bytes of a large payload count: it crosses the link with "
	       "its offer");
	tap_ok(!memcmp(payload, large_room, 99872),
	       "the large payload arrives whole");
	send_note(net, 0, 2, 0, 99872);
	send_note(net, 0, 1, 1, 8);
	tap_ok(wait_notes(net, 2) && order[0] == 1,
	       "a message inside the cluster overtakes one to another cluster");
	send_note(net, 2, 0, 0, 99872);
	send_note(net, 1, 2, 1, 8);
	tap_ok(wait_notes(net, 2) && order[0] == 1,
	       "a message in one direction overtakes one in the other");
	net_close(net);
}

static void
test_burst_delay(struct net *net)
{
	bool ordered = true, late = true;

	open_net(net, 2, 5 * MS, 1000000);
	for (unsigned i = 0; i < 100; i++)
		send_note(net, 1, 2, i, 8 - i % 2);
	tap_ok(wait_notes(net, 100), "a hundred messages sent at once arrive");
	for (unsigned i = 0; i < 100; i++) {
		uint64_t bytes = (i + 1) * 136 - (i + 1) / 2;

		ordered = ordered && order[i] == i;
		late = late &&
		       arrived_at[i] - sent_at[0] >= 5 * MS + bytes * US;
	}
	tap_ok(ordered, "they arrive in the order in which they were sent");
	tap_ok(late, "none of them arrives before its turn");
	net_close(net);
}

/* Nodes 0 and 1 are one cluster, and node 2 the other. */
static void
test_shared(struct net *net)
{
	open_net(net, 2, 0, 1000000);
	send_note(net, 0, 2, 0, 49872);
	send_note(net, 1, 2, 1, 49872);
	tap_ok(wait_notes(net, 2) && arrived_at[0] - sent_at[0] >= 50 * MS &&
		       arrived_at[1] - sent_at[0] >= 100 * MS,
	       "the nodes of a cluster share its link: the second message "
	       "waits for the first");
	tap_ok(net->queues[1].busy_ns && !net->queues[2].busy_ns &&
		       !net->queues[0].busy_ns && !net->queues[3].busy_ns,
	       "they use no other link");
	memset(net->queues, 0, sizeof(net->queues));
	send_note(net, 2, 1, 0, 8);
	tap_ok(wait_notes(net, 1) && net->queues[2].busy_ns &&
		       !net->queues[1].busy_ns,
	       "the link in the other direction is a separate one");
	net_close(net);
}

static void
test_three(struct net *net)
{
	open_net(net, 3, 30 * MS, 1000000);
	send_note(net, 0, 2, 0, 99872);
	send_note(net, 0, 1, 1, 8);
	tap_ok(wait_notes(net, 2) && order[0] == 1 &&
		       arrived_at[1] - sent_at[1] >= 30 * MS &&
		       arrived_at[0] - sent_at[0] >= 130 * MS,
	       "links to different clusters are independent");
	net_close(net);
}

/* The link is slow until a time @change after the run's start. */
static void
test_schedule_delay(struct net *net)
{
	/* less than the uptime, in case the machine has just booted */
	const uint64_t change = net_now() / 2;
	uint64_t starts[2] = { 0, change };
	static struct stn_link links[2 * 4] = { [1] = { .latency_ns =
								40 * MS } };

	open_net(net, 2, MS, 0);
	net->topology.links = links;
	net->topology.starts_ns = starts;
	net->topology.sections = 2;
	net->topology.begin_ns = net_now();
	send_note(net, 0, 2, 0, 8);
	tap_ok(wait_notes(net, 1) && arrived_at[0] - sent_at[0] >= 40 * MS,
	       "the delaying transport follows a links file's sections");
	net->topology.begin_ns = net_now() - change;
	send_note(net, 0, 2, 0, 8);
	tap_ok(wait_notes(net, 1) &&
		       net->queues[1].arrived_ns == net->queues[1].busy_ns,
	       "a section starts at its time since the run's start");
	send_note(net, 0, 2, 0, 8);
	stn_transport_progress(net->nodes[2].transport);
	tap_ok(arrived == 1 && wait_notes(net, 1),
	       "on a link that takes no time, a message leaves at once");
	net_close(net);
}

/* The delay of the first message on a link that loses packets. */
static uint64_t
first_delay(const struct net *net, size_t bytes)
{
	struct stn_link_queue queue = { 0 };
	const struct stn_profile profile =
		stn_topology_profile(&net->topology, 1);

	return stn_link_send(&profile, &queue, bytes, 0);
}

static void
test_loss_delay(struct net *net)
{
	open_net(net, 2, 10 * MS, 0);
	net->topology.wan.loss_ppm = 500000;
	while (first_delay(net, 136) != 230 * MS)
		net->topology.seed++;
	send_note(net, 0, 2, 0, 8);
	tap_ok(wait_notes(net, 1) && arrived_at[0] - sent_at[0] >= 230 * MS,
	       "over the delaying transport a lost packet waits for a timeout");
	net_close(net);
}

/* When a send is cancelled, its done function sends to the other cluster. */
static struct net *again_net;
static unsigned again_sent, again_done;

static void
send_again(void *arg, enum stn_err err)
{
	uint32_t to = (uint32_t)(uintptr_t)arg ^ 2;
	struct iovec piece = { payload, 100 };

	again_done += err == STN_CANCELLED;
	if (again_sent >= 10)
		return;
	again_sent++;
	stn_transport_send(again_net->nodes[1].transport, to, 1, NULL, 0,
			   &piece, 1, send_again, (void *)(uintptr_t)to);
}

static void
test_close(struct net *net)
{
	open_net(net, 3, 3600 * STN_SECOND_NS, 0);
	again_net = net;
	send_again((void *)0, STN_OK);
	send_again((void *)2, STN_OK);
	stn_transport_close(net->nodes[1].transport, MS);
	net->nodes[1].transport = NULL;
	tap_ok(again_done == again_sent && again_sent == 10,
	       "closing cancels each held message once, also those sent by "
	       "done functions: %u of %u",
	       again_done, again_sent);
	net_close(net);
}

/* Opens an endpoint while only so many descriptors can be opened. */
static bool
opens_with(rlim_t descriptors, struct stn_why *why)
{
	const struct stn_topology topology = { .nodes = 2,
					       .clusters = 2,
					       .wan = slow };
	const struct stn_opening opening = { .topology = &topology };
	struct stn_transport *transport = NULL;
	struct rlimit before, few;
	int next = dup(STDOUT_FILENO);

	close(next);
	getrlimit(RLIMIT_NOFILE, &before);
	few = before;
	few.rlim_cur = (rlim_t)next + descriptors;
	setrlimit(RLIMIT_NOFILE, &few);
	if (stn_open_transport("loop", NULL, &opening, &transport, why))
		transport = NULL;
	setrlimit(RLIMIT_NOFILE, &before);
	stn_transport_close(transport, 0);
	return transport;
}

/*
 * The loop transport needs one descriptor; the links need a timer and an epoll.
 */
static void
test_descriptors(void)
{
	struct stn_why why = { "" };

	for (rlim_t few = 1; few < 3; few++)
		tap_ok(!opens_with(few, &why) &&
			       strstr(why.text, "Too many open files"),
		       "too few descriptors give an error: %s", why.text);
	tap_ok(opens_with(3, &why), "three descriptors are enough");
}

int
main(void)
{
	static struct net net;

	tap_begin();
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (char)(i * 31 + (i >> 9));
	test_idle();
	test_burst();
	test_huge();
	test_threads();
	test_delay(&net);
	test_burst_delay(&net);
	test_shared(&net);
	test_three(&net);
	test_schedule_delay(&net);
	test_loss_delay(&net);
	test_close(&net);
	test_descriptors();
	return tap_end();
}
