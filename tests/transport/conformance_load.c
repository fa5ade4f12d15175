#include "tests/transport/conformance_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KIND 77
#define SLOTS 256	     /* most under way from one node */
#define PAYLOAD_BYTES 300000 /* most per message */

#if defined(STN_ASAN) || defined(STN_TSAN)
#define GROWTH_BYTES ((size_t)600 << 20) /* they keep freed memory */
#else
#define GROWTH_BYTES ((size_t)8 << 20)
#endif

/* A message's header: its number, and a text computed from the number. */
struct label {
	uint32_t number;
	unsigned char text[60];
};

/* A message under way whose end is reported. */
struct slot {
	struct slot *next;
	uint32_t from;
	struct label label;
};

static struct load {
	unsigned posted, done, arrived; /* of all nodes */
	unsigned wrong, taken, payloads;
	uint32_t next[NET_NODES], expected[NET_NODES]; /* by sender */
	unsigned under_way[NET_NODES];
	struct slot *free;
	struct slot slots[NET_NODES * SLOTS];
	unsigned char sent[PAYLOAD_BYTES], received[PAYLOAD_BYTES];
} load;

static void
write_label(struct label *label, uint32_t number)
{
	label->number = number;
	for (size_t i = 0; i < sizeof(label->text); i++)
		label->text[i] = (unsigned char)(number * 7 + i);
}

static void
taken(void *arg, enum stn_err err)
{
	(void)arg;
	load.wrong += err != STN_OK;
	load.taken++;
}

static void
handle_label(struct net_node *node, const struct stn_message *message)
{
	struct iovec piece = { load.received, message->payload_bytes };
	struct label label;

	load.arrived++;
	write_label(&label, load.expected[message->from]++);
	if (message->kind != KIND || message->header_bytes > sizeof(label) ||
	    message->payload_bytes > PAYLOAD_BYTES ||
	    memcmp(message->header, &label, message->header_bytes)) {
		load.wrong++;
		stn_transport_refuse(node->transport, message);
	} else if (message->payload_bytes) {
		load.payloads++;
		stn_transport_take(node->transport, message, &piece, 1, taken,
				   NULL);
	}
}

static void
load_begin(struct net *net)
{
	memset(&load, 0, sizeof(load));
	for (size_t i = 0; i < NET_NODES * SLOTS; i++) {
		load.slots[i].next = load.free;
		load.free = &load.slots[i];
	}
	net->handler = handle_label;
}

static void
sent(void *arg, enum stn_err err)
{
	struct slot *slot = arg;

	memset(&slot->label, 0xee, sizeof(slot->label));
	load.wrong += err != STN_OK;
	load.done++;
	load.under_way[slot->from]--;
	slot->next = load.free;
	load.free = slot;
}

static void
post(struct net *net, uint32_t from, uint32_t to, size_t header_bytes,
     size_t payload_bytes, size_t count)
{
	struct slot *slot = load.free;
	struct iovec pieces[STN_HEADER_BYTES];

	load.free = slot->next;
	slot->from = from;
	write_label(&slot->label, load.next[from]++);
	for (size_t i = 0; i < count; i++)
		pieces[i] =
			(struct iovec){ load.sent + i * (payload_bytes / count),
					payload_bytes / count };
	load.posted++;
	load.under_way[from]++;
	stn_transport_send(net->nodes[from].transport, to, KIND, &slot->label,
			   header_bytes, pieces, count, sent, slot);
}

/* Sends a header without done, and overwrites it when the call returns. */
static void
post_without_done(struct net *net, uint32_t from, uint32_t to,
		  size_t header_bytes)
{
	struct label label;

	write_label(&label, load.next[from]++);
	load.posted++;
	load.done++;
	stn_transport_send(net->nodes[from].transport, to, KIND, &label,
			   header_bytes, NULL, 0, NULL, NULL);
	memset(&label, 0xdd, sizeof(label));
}

static bool
settle(struct net *net)
{
	bool right = net_until(net, &load.arrived, load.posted) &&
		     net_until(net, &load.done, load.posted) &&
		     net_until(net, &load.taken, load.payloads);

	net_spin(net, 100);
	right = right && load.arrived == load.posted && !load.wrong;
	if (!right)
		printf("# %u posted, %u done, %u arrived, %u wrong\n",
		       load.posted, load.done, load.arrived, load.wrong);
	if (load.done < load.posted || load.taken < load.payloads) {
		printf("Bail out! Some messages never ended.\n");
		exit(EXIT_FAILURE);
	}
	return right;
}

static size_t
resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * Fills up the messages under way from node @from; every fourth has a payload.
 */
static void
post_some(struct net *net, uint32_t from, uint32_t to, unsigned count)
{
	for (unsigned i = 0; i < SLOTS && load.under_way[from] < SLOTS &&
			     load.next[from] < count;
	     i++)
		if (load.next[from] % 4 == 3)
			post(net, from, to, 32, 24, 1);
		else
			post(net, from, to, 32, 0, 0);
}

bool
load_flood(struct net *net, unsigned count)
{
	size_t before = 0, after;
	uint64_t progress = net_now();
	unsigned seen = 0;

	load_begin(net);
	while (load.arrived < 2 * count &&
	       net_now() - progress < tap_patience_ns()) {
		post_some(net, 0, 2, count);
		post_some(net, 2, 0, count);
		net_progress(net);
		if (load.arrived > seen)
			progress = net_now();
		seen = load.arrived;
		if (!before && seen > count / 5)
			before = resident_bytes();
	}
	after = resident_bytes();
	if (after > before + GROWTH_BYTES)
		printf("# memory grew from %zu to %zu KB\n", before / 1024,
		       after / 1024);
	return settle(net) && load.posted == 2 * count &&
	       after <= before + GROWTH_BYTES;
}

bool
load_congested(struct net *net)
{
	const struct stn_limits *limits =
		stn_transport_limits(net->nodes[0].transport);

	size_t bytes = limits->eager_bytes - 64;

	if (bytes > PAYLOAD_BYTES)
		bytes = PAYLOAD_BYTES;
	load_begin(net);
	for (unsigned round = 0; round < 4; round++) {
		for (unsigned i = 0; i < NET_NODES * SLOTS / 4; i++)
			post(net, 0, 1, 64, bytes, 1);
		for (unsigned i = 0; i < 100; i++)
			post_without_done(net, 0, 1, 4 + i % 61);
	}
	return settle(net);
}

static uint64_t
copied(const struct net *net)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < NET_NODES; i++)
		sum += stn_transport_traffic(net->nodes[i].transport)
			       .bytes_copied;
	return sum;
}

static bool
copied_at_most(const struct net *net, uint64_t before, uint64_t most)
{
	uint64_t bytes = copied(net) - before;

	if (bytes > most)
		printf("# %llu bytes were copied, not %llu at most\n",
		       (unsigned long long)bytes, (unsigned long long)most);
	return bytes <= most;
}

bool
load_copies_headers(struct net *net)
{
	const struct stn_limits *limits =
		stn_transport_limits(net->nodes[0].transport);
	uint64_t before = copied(net);
	bool right = true;

	load_begin(net);
	for (size_t bytes = 4; bytes <= 64; bytes += 4) {
		post(net, 0, 1, bytes, 0, 0);
		if (bytes <= limits->inline_bytes)
			post_without_done(net, 0, 1, bytes);
		right = right && settle(net);
	}
	return right && copied_at_most(net, before, 0);
}

bool
load_copies_payloads(struct net *net)
{
	const struct stn_limits *limits =
		stn_transport_limits(net->nodes[0].transport);
	size_t count = limits->pieces < 4 ? limits->pieces : 4;
	uint64_t before = copied(net);
	bool right = true;

	load_begin(net);
	for (size_t bytes = limits->eager_bytes + 4; bytes <= PAYLOAD_BYTES;
	     bytes += 50000) {
		post(net, 0, 1, 32, bytes, 1);
		post(net, 0, 1, 32, bytes, count);
		right = right && settle(net);
	}
	return right && copied_at_most(net, before, load.posted * 32);
}
