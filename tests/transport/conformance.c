/* conformance.c: the suite that every transport must pass: messages. */
#include <stdlib.h>

#include "tests/transport/conformance_endpoints.h"
#include "tests/transport/conformance_load.h"
#include "tests/transport/conformance_mail.h"
#include "tests/tap.h"

#define MIB ((size_t)1 << 20)

/* The last message that a handler saw. */
static struct stn_message seen;
static unsigned seen_count;
static unsigned char seen_header[STN_HEADER_BYTES], seen_payload[8];

static void
seen_taken(void *arg, enum stn_err err)
{
	(void)arg;
	mail.wrong += err != STN_OK;
	mail.taken++;
}

static void
handle_seen(struct net_node *node, const struct stn_message *message)
{
	struct iovec piece = { seen_payload, message->payload_bytes };

	seen = *message;
	seen_count++;
	if (message->header_bytes)
		memcpy(seen_header, message->header, message->header_bytes);
	stn_transport_take(node->transport, message, &piece, 1, seen_taken,
			   NULL);
}

static unsigned char
header_byte(size_t at)
{
	return (unsigned char)('a' + at % 23);
}

/*
 * Sends a message of this shape; does it arrive once, unchanged? The payload
 * consists of 'p'.
 */
static bool
arrives(struct net *net, uint32_t from, uint32_t to, uint8_t kind,
	size_t header_bytes, size_t payload_bytes)
{
	unsigned char header[STN_HEADER_BYTES], payload[8];
	struct iovec piece = { payload, payload_bytes };
	struct stn_transport *transport = net->nodes[from].transport;
	bool right = true;

	for (size_t i = 0; i < sizeof(header); i++)
		header[i] = header_byte(i);
	memset(payload, 'p', sizeof(payload));
	memset(seen_header, 0, sizeof(seen_header));
	memset(seen_payload, 0, sizeof(seen_payload));
	seen_count = 0;
	stn_transport_send(transport, to, kind, header_bytes ? header : NULL,
			   header_bytes, payload_bytes ? &piece : NULL,
			   payload_bytes ? 1 : 0,
			   payload_bytes ? seen_taken : NULL, NULL);
	if (!payload_bytes)
		/* without done the transport has copied it */
		memset(header, 'x', sizeof(header));
	right = net_until(net, &seen_count, 1) &&
		(!payload_bytes || net_until(net, &mail.taken, 2));
	mail.taken = 0;
	net_spin(net, 100);
	for (size_t i = 0; i < header_bytes; i++)
		right = right && seen_header[i] == header_byte(i);
	for (size_t i = 0; i < payload_bytes; i++)
		right = right && seen_payload[i] == 'p';
	return right && seen_count == 1 && seen.from == from &&
	       seen.kind == kind && seen.header_bytes == header_bytes &&
	       seen.payload_bytes == payload_bytes && !mail.wrong;
}

static void
test_shapes(struct net *net)
{
	bool right = true;

	net->handler = handle_seen;
	tap_ok(arrives(net, 0, 1, 7, 24, 8),
	       "a message arrives once, with its kind, sender, copied header "
	       "and payload");
	tap_ok(arrives(net, 2, 1, STN_KINDS, 16, 0), "a header alone arrives");
	tap_ok(arrives(net, 1, 2, 1, 0, 5), "a payload alone arrives");
	tap_ok(arrives(net, 1, 0, 3, 0, 0), "an empty message arrives");
	tap_ok(arrives(net, 0, 2, 9, STN_HEADER_BYTES, 8),
	       "a header of the greatest length arrives");
	for (size_t bytes = 0; bytes <= STN_HEADER_BYTES; bytes++)
		right = right && arrives(net, 0, 1, 5, bytes, 0);
	tap_ok(right, "a header of any length arrives alone");
	mail_forget();
	net->handler = mail_take;
}

/*
 * Posts payloads of one byte less than @middle to one byte more, to a near
 * node, and if they are small also over the slow link.
 */
static void
post_sizes(struct net *net, size_t middle)
{
	for (size_t bytes = middle ? middle - 1 : 0; bytes <= middle + 1;
	     bytes++) {
		mail_post(net, 0, 1, bytes, 1);
		if (bytes <= MIB)
			mail_post(net, 1, 2, bytes, 3);
	}
}

static void
test_sizes(struct net *net)
{
	const struct stn_limits *limits =
		stn_transport_limits(net->nodes[0].transport);
	const size_t switches[] = { limits->inline_bytes, limits->eager_bytes };
	size_t most = getenv("STN_SLOW") ? 8 * MIB : NET_MOST_BYTES;

	for (size_t i = 0; i < 2; i++) {
		size_t switched = switches[i];

		post_sizes(net, switched);
		if (switched >= MAIL_HEADER_BYTES)
			post_sizes(net, switched - MAIL_HEADER_BYTES);
		tap_ok(mail_settle(net),
		       "payloads around the %s limit of %zu bytes arrive",
		       i ? "eager" : "inline", switched);
	}
	for (size_t bytes = 1; bytes <= most; bytes *= 2) {
		post_sizes(net, bytes);
		tap_ok(mail_settle(net),
		       "payloads of %zu bytes, one less and one more arrive, "
		       "every byte in its place",
		       bytes);
	}
}

/*
 * Every number of pieces, for payloads that are sent inline, eagerly and by
 * rendezvous.
 */
static void
test_gathers(struct net *net)
{
	const struct stn_limits *limits =
		stn_transport_limits(net->nodes[0].transport);
	const size_t sizes[] = { 0,
				 40,
				 limits->eager_bytes / 8,
				 limits->eager_bytes - 100,
				 2 * limits->eager_bytes,
				 300000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t count = 1; count <= MAIL_PIECES; count++)
			mail_post(net, 0, 1 + count % 2, sizes[i] + count / 8,
				  count);
		tap_ok(mail_settle(net),
		       "%zu bytes are gathered from 1 to %d pieces, some of "
		       "them empty",
		       sizes[i], MAIL_PIECES);
	}
}

/* A size for message @i: mostly small, some eager, and a few offered. */
static size_t
mixed_size(const struct net *net, unsigned i)
{
	const struct stn_limits *limits =
		stn_transport_limits(net->nodes[0].transport);

	if (i % 16 == 7)
		return limits->eager_bytes - 192 + i % 6000;
	if (i % 5 == 3)
		return limits->eager_bytes < 8192 ? limits->eager_bytes / 2
						  : 4096;
	return i % 11 == 5 ? limits->inline_bytes % 4096 : i % 90;
}

/* Posts message @i; the receiver refuses some of each size. */
static void
post_mixed(struct net *net, uint32_t from, uint32_t to, unsigned i)
{
	if ((i % 16 == 7 && i % 3 == 1) || i % 35 == 8)
		mail_post_unwanted(net, from, to, mixed_size(net, i),
				   1 + i % 4);
	else
		mail_post(net, from, to, mixed_size(net, i), 1 + i % 4);
}

static void
test_order(struct net *net)
{
	for (unsigned i = 0; i < 4000; i++)
		post_mixed(net, 0, 1, i);
	tap_ok(mail_settle(net), "4000 messages of mixed sizes, some of them "
				 "refused, are handled in the order sent");
	/*
	 * When room appears, a later message mustn't take it before an earlier
	 * one.
	 */
	for (unsigned i = 0; i < 4000; i++) {
		post_mixed(net, 0, 2, i);
		if (i > 2500)
			stn_transport_progress(net->nodes[2].transport);
	}
	tap_ok(mail_settle(net), "4000 messages sent while the receiver makes "
				 "room are handled in order, too");
}

static void
test_crossfire(struct net *net)
{
	for (unsigned i = 0; i < 2000; i++)
		for (uint32_t from = 0; from < NET_NODES; from++)
			for (uint32_t to = 0; to < NET_NODES; to++)
				if (from != to)
					post_mixed(net, from, to, i);
	tap_ok(mail_settle(net),
	       "all nodes can send 2000 messages to each other at once");
}

static void
test_done(struct net *net)
{
	mail_post(net, 0, 1, MIB, 1);
	for (unsigned i = 0; i < 2000; i++)
		stn_transport_progress(net->nodes[0].transport);
	tap_ok(!mail.done,
	       "a large send isn't done while its receiver makes no progress");
	net_until(net, &mail.done, 1);
	tap_ok(mail.sends[0].taken_before == 1,
	       "a large send is done when the receiver has taken the payload");
	mail_settle(net);
}

static void
test_refuse(struct net *net)
{
	const struct stn_limits *limits =
		stn_transport_limits(net->nodes[0].transport);
	size_t eager = limits->eager_bytes;

	net->handler = mail_refuse;
	for (unsigned i = 0; i < 50; i++) {
		mail_post(net, 0, 1, net_large(net), 2);
		mail_post(net, 2, 1, eager + 1, 20);
	}
	net_until(net, &mail.done, mail.sent);
	net_spin(net, 100);
	tap_ok(mail_done_once() && mail_ended(STN_REFUSED) && !mail.wrong &&
		       mail.handled == mail.sent,
	       "the sender of a large payload learns that it was refused");
	mail_forget();
	for (unsigned i = 0; i < 50; i++)
		mail_post(net, 0, 1, i, 1);
	net_until(net, &mail.handled, mail.sent);
	net_until(net, &mail.done, mail.sent);
	tap_ok(mail_done_once() && mail_ended(STN_OK) && !mail.wrong,
	       "a sender doesn't notice that a small payload is refused");
	mail_forget();
	net->handler = mail_take;
	mail_post(net, 0, 1, net_large(net), 2);
	mail_post(net, 2, 1, 100, 1);
	tap_ok(mail_settle(net), "after refusals messages arrive as before");
}

/* Sends a message one byte shorter back, from inside the handler. */
static void
handle_return(struct net_node *node, const struct stn_message *message)
{
	uint32_t from = message->from;
	size_t bytes = message->payload_bytes;

	mail_take(node, message);
	if (bytes)
		mail_post(node->net, node->rank, from, bytes - 1, 1);
}

static void
test_handlers(struct net *net)
{
	unsigned rounds = net->topology.wan.latency_ns ? 100 : 1000;

	net->handler = handle_return;
	mail_post(net, 0, 2, rounds - 1, 1);
	net_until(net, &mail.taken, rounds);
	tap_ok(mail_settle(net),
	       "handlers may send: %u messages back and forth", rounds);
	net->handler = mail_take;
}

static void
test_sleep(struct net *net, const struct plan *plan)
{
	bool tells = !strcmp(plan->transport, "shm");
	unsigned rounds = net->topology.wan.latency_ns ? 20 : 100;

	for (uint32_t i = 0; i < NET_NODES; i++)
		tap_ok(life_can_sleep(net->nodes[i].transport),
		       "node %u can sleep when nothing is under way", i);
	tap_ok(life_arms_quietly(net, 0, 1, 100) &&
		       life_arms_quietly(net, 1, 2, net_large(net)),
	       "arming handles no message");
	tap_ok(life_wakes(net, 0, 1, 100) && life_wakes(net, 2, 1, 0),
	       "a message wakes a node that was armed before it was sent");
	tap_ok(life_wakes(net, 1, 0, net_large(net)) &&
		       life_wakes(net, 1, 2, 9000),
	       "a large payload wakes a node, too");
	tap_ok(life_tells_news(net, 0, 2, 100, tells) &&
		       life_tells_news(net, 1, 2, net_large(net), tells),
	       "a node can tell without progress that a message has come");
	net->handler = handle_return;
	mail_post(net, 1, 2, rounds - 1, 1);
	net_sleep_until(net, &mail.taken, rounds);
	tap_ok(mail.taken == rounds && mail_settle(net),
	       "messages wake endpoints that sleep: %u back and forth", rounds);
	net->handler = mail_take;
	for (unsigned i = 0; i < 20; i++)
		mail_post(net, 0, 1 + i % 2, net_large(net), 3);
	tap_ok(net_sleep_until(net, &mail.done, 20) && mail_settle(net),
	       "large payloads and their completions wake endpoints, too");
}

static void
test_load(struct net *net, const struct plan *plan)
{
	bool longer = getenv("STN_LONG"), slow = getenv("STN_SLOW");
	unsigned count = longer ? 10000000 : slow ? 10000 : 100000;

	if (longer)
		alarm(3600);
	tap_ok(load_flood(net, count),
	       "two nodes can send without a pause, %u messages each, in "
	       "bounded memory",
	       count);
	tap_ok(load_congested(net), "headers sent without done are copied, "
				    "also behind 768 other messages");
	if (!plan->counts) {
		tap_skip("copies", "this transport copies by design");
		return;
	}
	tap_ok(load_copies_headers(net), "short messages are not copied");
	tap_ok(load_copies_payloads(net), "large payloads are not copied");
}

static void
test_messages(struct net *net, const struct plan *plan)
{
	net->handler = mail_take;
	test_shapes(net);
	test_sizes(net);
	test_gathers(net);
	test_order(net);
	test_crossfire(net);
	test_done(net);
	test_refuse(net);
	test_handlers(net);
	test_sleep(net, plan);
	test_load(net, plan);
}

/* What the tests must know about a transport and its provider. */
static struct plan
make_plan(const char *transport, const char *provider)
{
	bool ofi = !strcmp(transport, "ofi");
	bool shm = ofi && !strcmp(provider, "shm");
	bool verbs = ofi && !strcmp(provider, "verbs");
	bool several = strchr(transport, '+');
	bool tcp = provider && !strcmp(provider, "tcp") && !several;

	return (struct plan){
		.transport = transport,
		.provider = provider,
		.clusters = 1,
		.port = (ofi && !shm && !verbs) || tcp,
		.fragile = shm,
		.counts = strcmp(transport, "loop") &&
			  strcmp(transport, "shm") &&
			  strcmp(transport, "far") && !several,
	};
}

static int
run(const struct plan *plan)
{
	static struct net net;
	const char *transport = plan->transport;
	struct stn_why why = { "" };
	enum stn_err err;

	tap_begin();
	if (!stn_transport_known(transport)) {
		tap_skip(transport, "this build has no such transport");
		return tap_end();
	}
	err = net_open(&net, plan, &why);
	if (err == STN_MISSING) {
		tap_skip(transport, why.text);
		return tap_end();
	}
	if (tap_ok(!err, "the endpoints open and connect to each other %s",
		   why.text)) {
		tap_ok(life_can_sleep(net.nodes[0].transport),
		       "a node that has not received any message yet can "
		       "sleep");
		test_messages(&net, plan);
		net_close(&net);
		conformance_endpoints(&net, plan);
	}
	return tap_end();
}

int
conformance(const char *transport, const char *provider,
	    const struct stn_link *wan)
{
	struct plan plan = make_plan(transport, provider);

	plan.clusters = wan ? 2 : 1;
	plan.wan = wan;
	return run(&plan);
}

int
conformance_at(const char *transport, const char *provider,
	       const char *const *places)
{
	struct plan plan = make_plan(transport, provider);

	plan.places = places;
	return run(&plan);
}
