/*
 * conformance_endpoints.c: the suite's tests of how endpoints open, close and
 * connect.
 */
#include "tests/transport/conformance_endpoints.h"

#include "tests/transport/conformance_mail.h"
#include "tests/transport/conformance_peers.h"
#include "tests/tap.h"

static void
test_opening(struct net *net, const struct plan *plan)
{
	bool named = !strcmp(plan->transport, "ofi") ||
		     !strcmp(plan->transport, "ucx") ||
		     !strcmp(plan->transport, "verbs");
	struct stn_why why = { "" };
	struct plan bad = *plan;

	bad.transport = "carrier pigeon";
	tap_ok(net_open(net, &bad, &why) == STN_MISSING &&
		       strstr(why.text, bad.transport),
	       "a transport that doesn't exist is refused by name: %s",
	       why.text);
	if (named) {
		bad = *plan;
		bad.provider = "pigeons";
		tap_ok(net_open(net, &bad, &why) &&
			       strstr(why.text, bad.provider),
		       "a provider that doesn't exist is refused by name: %s",
		       why.text);
	}
	if (plan->port)
		tap_ok(life_port_in_use(plan, &why),
		       "a port in use is refused by number: %s", why.text);
}

/* Opens a net for one test; if that fails, the test fails. */
static bool
open_or_fail(struct net *net, const struct plan *plan)
{
	struct stn_why why;

	if (!net_open(net, plan, &why))
		return true;
	return tap_ok(false, "the endpoints open again: %s", why.text);
}

static const char *const stages[LIFE_STAGES] = {
	[LIFE_POSTED] = "just posted",
	[LIFE_LEFT] = "about to arrive",
	[LIFE_PULLING] = "being pulled",
	[LIFE_REFUSED] = "being refused",
};

static void
test_stages(struct net *net, const struct plan *plan)
{
	for (unsigned i = 0; i < 2 * LIFE_STAGES; i++)
		if (open_or_fail(net, plan))
			tap_ok(life_close_stage(net, i / 2, i % 2,
						plan->fragile),
			       "closing node %u ends all large payloads, once, "
			       "that are %s",
			       i % 2, stages[i / 2]);
}

static void
test_close(struct net *net, const struct plan *plan)
{
	if (open_or_fail(net, plan))
		tap_ok(life_close_sender(net, plan->fragile),
		       "closing a sender ends each of its sends once");
	if (open_or_fail(net, plan))
		tap_ok(life_close_receiver(net),
		       "closing a receiver ends each of its takes once");
	if (open_or_fail(net, plan))
		tap_ok(life_close_resend(net),
		       "a send made while its endpoint closes ends, too");
}

static void
test_gone(struct net *net, const struct plan *plan)
{
	if (plan->fragile) {
		tap_skip("sends to a closed node end",
			 "shm maps a region once in each process");
		return;
	}
	if (open_or_fail(net, plan))
		tap_ok(life_send_to_closed(net, 100, true),
		       "small sends to a closed node end once, also those made "
		       "by done functions");
	if (open_or_fail(net, plan))
		tap_ok(life_send_to_closed(net, 100000, true),
		       "large sends to a closed node end once, too");
	if (open_or_fail(net, plan))
		tap_ok(life_send_to_closed(net, 100, false),
		       "if the sender never reached the node, its sends end at "
		       "the latest when it closes");
	/*
	 * A port on which UCX has listened can't be opened again for a minute.
	 */
	if (plan->port && strcmp(plan->transport, "ucx"))
		tap_ok(life_port_reused(plan),
		       "a new endpoint on the closed node's port gets none of "
		       "its messages");
}

/*
 * Opens a net without connections for one test; if that fails, the test fails.
 */
static bool
open_unconnected_or_fail(struct net *net, const struct plan *plan)
{
	struct stn_why why;

	if (!net_open_unconnected(net, plan, &why))
		return true;
	return tap_ok(false, "the endpoints open again: %s", why.text);
}

static void
test_peers(struct net *net, const struct plan *plan)
{
	if (open_unconnected_or_fail(net, plan))
		tap_ok(peers_later(net),
		       "a message from an unknown node is handled; a node "
		       "connected later can be sent to");
	if (open_unconnected_or_fail(net, plan))
		tap_ok(peers_offered(net),
		       "an offer from an unknown node is taken or refused, and "
		       "its send ends");
	if (open_or_fail(net, plan))
		tap_ok(peers_declared(net, false),
		       "operations with a node declared dead end; those with "
		       "others go on");
	if (open_or_fail(net, plan))
		tap_ok(peers_declared(net, true),
		       "they end in the middle of pulls, too");
}

static void
test_side_by_side(struct net *net, const struct plan *plan)
{
	static const struct plan loop = { .transport = "loop", .clusters = 1 };
	const struct plan *others[] = { &loop, plan };
	static struct net other;

	for (unsigned i = 0; i < 2; i++) {
		if (!open_or_fail(net, plan))
			return;
		if (open_or_fail(&other, others[i])) {
			net->handler = other.handler = mail_take;
			tap_ok(life_side_by_side(net, &other),
			       "%s transport works beside this one in the same "
			       "process",
			       i ? "the same" : "another");
			net_close(&other);
		}
		net_close(net);
	}
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
	       "an address of random bytes is refused: %s", why.text);
	mail_post(net, 0, 1, 100, 1);
	tap_ok(mail_settle(net),
	       "a refused address leaves the old one in place");
}

void
conformance_endpoints(struct net *net, const struct plan *plan)
{
	test_opening(net, plan);
	test_close(net, plan);
	test_stages(net, plan);
	test_gone(net, plan);
	test_peers(net, plan);
	test_side_by_side(net, plan);
	if (!open_or_fail(net, plan))
		return;
	net->handler = mail_take;
	test_addresses(net);
	net_close(net);
}
