/*
 * conformance.c: what every transport must do, message by message, and how its
 * endpoints begin and end.
 */
#include <stdlib.h>

#include "tests/conformance_life.h"
#include "tests/conformance_mail.h"
#include "tests/tap.h"

#define MIB ((size_t)1 << 20)

/* What a message looks like to its handler. */
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
handle_see(struct net_node *node, const struct stn_message *message)
{
	struct iovec piece = { seen_payload, message->payload_bytes };

	seen = *message;
	seen_count++;
	if (message->header_bytes)
		memcpy(seen_header, message->header, message->header_bytes);
	stn_transport_take(node->transport, message, &piece, 1, seen_taken,
			   NULL);
}

/* Is what was seen of this shape, once? Headers hold 'h', payloads 'p'. */
static bool
see(struct net *net, uint32_t from, uint32_t to, uint8_t kind,
    size_t header_bytes, size_t payload_bytes)
{
	unsigned char header[STN_HEADER_BYTES], payload[8];
	struct iovec piece = { payload, payload_bytes };
	struct stn_transport *transport = net->nodes[from].transport;
	bool right = true;

	memset(header, 'h', sizeof(header));
	memset(payload, 'p', sizeof(payload));
	memset(seen_header, 0, sizeof(seen_header));
	memset(seen_payload, 0, sizeof(seen_payload));
	seen_count = 0;
	stn_transport_send(transport, to, kind, header_bytes ? header : NULL,
			   header_bytes, payload_bytes ? &piece : NULL,
			   payload_bytes ? 1 : 0,
			   payload_bytes ? seen_taken : NULL, NULL);
	if (!payload_bytes)
		memset(header, 'x', sizeof(header)); /* it was copied */
	right = net_until(net, &seen_count, 1) &&
		(!payload_bytes || net_until(net, &mail.taken, 2));
	mail.taken = 0;
	net_spin(net, 100);
	for (size_t i = 0; i < header_bytes; i++)
		right = right && seen_header[i] == 'h';
	for (size_t i = 0; i < payload_bytes; i++)
		right = right && seen_payload[i] == 'p';
	return right && seen_count == 1 && seen.from == from &&
	       seen.kind == kind && seen.header_bytes == header_bytes &&
	       seen.payload_bytes == payload_bytes && !mail.wrong;
}

static void
test_shapes(struct net *net)
{
	net->handler = handle_see;
	tap_ok(see(net, 0, 1, 7, 24, 8),
	       "a message arrives once, with its kind, sender, copied header "
	       "and payload");
	tap_ok(see(net, 2, 1, STN_KINDS, 16, 0), "a header alone arrives");
	tap_ok(see(net, 1, 2, 1, 0, 5), "a payload alone arrives");
	tap_ok(see(net, 1, 0, 3, 0, 0), "an empty message arrives");
	tap_ok(see(net, 0, 2, 9, STN_HEADER_BYTES, 8),
	       "the longest header there may be arrives");
	mail_forget();
	net->handler = mail_take;
}

static void
test_sizes(struct net *net)
{
	size_t eager =
		net->nodes[0].transport->limits.eager_bytes - MAIL_HEADER_BYTES;
	const size_t sizes[] = { 0,	    1,	   63,	 64,	    65,
				 4095,	    4096,  4097, eager - 1, eager,
				 eager + 1, 65536, MIB,	 8 * MIB };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		mail_post(net, 0, 1, sizes[i], 1);
		mail_post(net, 1, 2, sizes[i], 3);
		tap_ok(mail_settle(net),
		       "a payload of %zu bytes arrives, every byte in its "
		       "place",
		       sizes[i]);
	}
}

static void
test_gathers(struct net *net)
{
	for (size_t count = 1; count <= 64; count++)
		mail_post(net, count % 2, 2, 1000 + count, count);
	tap_ok(mail_settle(net),
	       "small payloads are gathered from 1 to 64 pieces, "
	       "some of them empty");
	for (size_t count = 1; count <= 64; count++)
		mail_post(net, 0, 1 + count % 2, 20000 + count, count);
	tap_ok(mail_settle(net), "and so are large ones");
	for (size_t count = 1; count <= 64; count++)
		mail_post(net, 0, 1 + count % 2, 0, count);
	tap_ok(mail_settle(net), "and none at all, from empty pieces only");
}

/* A few large ones among many small ones. */
static size_t
mixed(unsigned i)
{
	if (i % 16 == 7)
		return 8000 + i % 6000;
	return i % 5 == 3 ? 4000 : i % 90;
}

static void
test_order(struct net *net)
{
	for (unsigned i = 0; i < 4000; i++)
		mail_post(net, 0, 1, mixed(i), 1 + i % 4);
	tap_ok(mail_settle(net),
	       "4000 messages of mixed sizes arrive in the order sent");
	/* Where room appears, a later message mustn't take it first. */
	for (unsigned i = 0; i < 4000; i++) {
		mail_post(net, 0, 2, mixed(i), 1);
		if (i > 2500)
			stn_transport_progress(net->nodes[2].transport);
	}
	tap_ok(mail_settle(net),
	       "and so do those sent while the receiver makes room");
}

static void
test_crossfire(struct net *net)
{
	for (unsigned i = 0; i < 2000; i++)
		for (uint32_t from = 0; from < NET_NODES; from++)
			for (uint32_t to = 0; to < NET_NODES; to++)
				if (from != to)
					mail_post(net, from, to, mixed(i), 1);
	tap_ok(mail_settle(net),
	       "all nodes can send 2000 messages to each other at once");
}

static void
test_done(struct net *net)
{
	mail_post(net, 0, 1, MIB, 1);
	for (unsigned i = 0; i < 2000; i++)
		stn_transport_progress(net->nodes[0].transport);
	tap_ok(!mail.done, "a large send isn't done while its receiver does "
			   "nothing");
	net_until(net, &mail.done, 1);
	tap_ok(mail.sends[0].taken_before == 1,
	       "it is done when the receiver has taken it");
	mail_settle(net);
}

static void
test_refuse(struct net *net)
{
	net->handler = mail_refuse;
	for (unsigned i = 0; i < 50; i++) {
		mail_post(net, 0, 1, 100000, 2);
		mail_post(net, 2, 1, 9000, 20);
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
	       "refusing a small payload does no harm");
	mail_forget();
	net->handler = mail_take;
	mail_post(net, 0, 1, 100000, 2);
	mail_post(net, 2, 1, 100, 1);
	tap_ok(mail_settle(net), "and later messages arrive as ever");
}

/* Returns each message, one byte shorter, from inside the handler. */
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
	tap_ok(mail_settle(net), "handlers may send: %u messages to and fro",
	       rounds);
	net->handler = mail_take;
}

static void
test_sleep(struct net *net)
{
	unsigned rounds = net->topology.wan.latency_ns ? 20 : 100;

	for (uint32_t i = 0; i < NET_NODES; i++)
		tap_ok(life_can_sleep(net->nodes[i].transport),
		       "node %u can sleep when nothing is under way", i);
	tap_ok(life_wakes(net, 0, 1, 100) && life_wakes(net, 2, 1, 0),
	       "a message wakes a node that was armed before it was sent");
	tap_ok(life_wakes(net, 1, 0, 100000) && life_wakes(net, 1, 2, 9000),
	       "and so does a large payload");
	net->handler = handle_return;
	mail_post(net, 1, 2, rounds - 1, 1);
	net_sleep_until(net, &mail.taken, rounds);
	tap_ok(mail.taken == rounds && mail_settle(net),
	       "messages wake endpoints that sleep: %u to and fro", rounds);
	net->handler = mail_take;
	for (unsigned i = 0; i < 20; i++)
		mail_post(net, 0, 1 + i % 2, 100000, 3);
	tap_ok(net_sleep_until(net, &mail.done, 20) && mail_settle(net),
	       "and so do large payloads and their ends");
}

static void
test_messages(struct net *net)
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
	test_sleep(net);
}

static void
test_opening(struct net *net, const struct plan *plan)
{
	struct stn_why why = { "" };
	struct plan bad = *plan;

	bad.transport = "carrier pigeon";
	tap_ok(plan_open(&bad, net, &why) == STN_MISSING &&
		       strstr(why.text, bad.transport),
	       "a transport that isn't there is refused by name: %s", why.text);
	if (!strcmp(plan->transport, "ofi")) {
		bad = *plan;
		bad.provider = "pigeons";
		tap_ok(plan_open(&bad, net, &why) &&
			       strstr(why.text, bad.provider),
		       "and so is a provider: %s", why.text);
	}
	if (plan->port)
		tap_ok(life_port_in_use(plan, &why),
		       "a port in use is refused by number: %s", why.text);
}

/* Opens a net for one test, which fails if that does. */
static bool
fresh(struct net *net, const struct plan *plan)
{
	struct stn_why why;

	if (!plan_open(plan, net, &why))
		return true;
	return tap_ok(false, "the endpoints open again: %s", why.text);
}

static void
test_close(struct net *net, const struct plan *plan)
{
	if (fresh(net, plan))
		tap_ok(life_close_sender(net, plan->fragile),
		       "closing a sender ends each of its sends, once");
	if (fresh(net, plan))
		tap_ok(life_close_receiver(net),
		       "closing a receiver ends each of its takes, once");
	if (fresh(net, plan))
		tap_ok(life_close_resend(net),
		       "what is sent while an endpoint closes ends, too");
}

static void
test_gone(struct net *net, const struct plan *plan)
{
	if (plan->fragile) {
		tap_skip("sends to a node that is gone end",
			 "shm maps a region once in each process");
		return;
	}
	if (fresh(net, plan))
		tap_ok(life_gone(net, 100, true),
		       "small sends to a node that is gone end, once, also "
		       "those from inside an end");
	if (fresh(net, plan))
		tap_ok(life_gone(net, 100000, true), "and large ones, too");
	if (fresh(net, plan))
		tap_ok(life_gone(net, 100, false),
		       "if it was never reached before, at the latest when "
		       "the sender closes");
}

static void
test_side_by_side(struct net *net, const struct plan *plan)
{
	static struct net other;
	const struct plan loop = { "loop", NULL, 1, NULL, false, false };

	if (!fresh(net, plan))
		return;
	if (fresh(&other, &loop)) {
		net->handler = other.handler = mail_take;
		tap_ok(life_side_by_side(net, &other),
		       "another transport works beside it in one process");
		net_close(&other);
	}
	net_close(net);
}

static void
test_addresses(struct net *net)
{
	struct stn_transport *transport = net->nodes[0].transport;
	unsigned char address[STN_ADDRESS_BYTES + 1];
	size_t bytes = stn_transport_address(transport, address);
	struct stn_why why = { "" };

	tap_ok(bytes && bytes <= STN_ADDRESS_BYTES,
	       "an endpoint has an address, of %zu bytes", bytes);
	tap_ok(stn_transport_connect(transport, 1, address, 0, &why) &&
		       *why.text,
	       "an empty address is refused: %s", why.text);
	why.text[0] = '\0';
	tap_ok(stn_transport_connect(transport, 1, address,
				     STN_ADDRESS_BYTES + 1, &why) &&
		       *why.text,
	       "an address that is too long is refused: %s", why.text);
	memset(address, 0xff, sizeof(address));
	why.text[0] = '\0';
	tap_ok(stn_transport_connect(transport, 1, address, bytes, &why) &&
		       *why.text,
	       "an address of nonsense is refused: %s", why.text);
	mail_post(net, 0, 1, 100, 1);
	tap_ok(mail_settle(net), "which leaves the old one as it was");
}

int
conformance(const char *transport, const char *provider,
	    const struct stn_link *wan)
{
	static struct net net;
	bool shm = provider && !strcmp(provider, "shm");
	const struct plan plan = { transport, provider,		wan ? 2 : 1,
				   wan,	      provider && !shm, shm };
	struct stn_why why = { "" };
	enum stn_err err;

	tap_begin();
	if (!stn_transport_known(transport)) {
		tap_skip(transport, "this transport isn't built");
		return tap_end();
	}
	err = plan_open(&plan, &net, &why);
	if (err == STN_MISSING) {
		tap_skip(transport, why.text);
		return tap_end();
	}
	if (tap_ok(!err, "the endpoints open, and know each other %s",
		   why.text)) {
		tap_ok(life_can_sleep(net.nodes[0].transport),
		       "who has never heard of anybody can sleep, too");
		test_messages(&net);
		net_close(&net);
		test_opening(&net, &plan);
		test_close(&net, &plan);
		test_gone(&net, &plan);
		test_side_by_side(&net, &plan);
		if (fresh(&net, &plan)) {
			net.handler = mail_take;
			test_addresses(&net);
			net_close(&net);
		}
	}
	return tap_end();
}
