/*
 * conformance_endpoints.c: how endpoints begin and end, and with whom.
 */
#include "tests/conformance_endpoints.h"

#include "tests/conformance_mail.h"
#include "tests/conformance_peers.h"
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
	       "a transport that isn't there is refused by name: %s", why.text);
	if (named) {
		bad = *plan;
		bad.provider = "pigeons";
		tap_ok(net_open(net, &bad, &why) &&
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
		if (fresh(net, plan))
			tap_ok(life_close_stage(net, i / 2, i % 2,
						plan->fragile),
			       "closing node %u ends all large payloads, once, "
			       "that are %s",
			       i % 2, stages[i / 2]);
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
	/* What UCX has listened on can't be opened again for a minute. */
	if (plan->port && strcmp(plan->transport, "ucx"))
		tap_ok(life_stranger(plan),
		       "and they are not for whoever gets its port");
}

/* Opens a net of strangers for one test, which fails if that does. */
static bool
strangers(struct net *net, const struct plan *plan)
{
	struct stn_why why;

	if (!net_open_strangers(net, plan, &why))
		return true;
	return tap_ok(false, "the endpoints open again: %s", why.text);
}

static void
test_peers(struct net *net, const struct plan *plan)
{
	if (strangers(net, plan))
		tap_ok(peers_later(net),
		       "strangers are heard; who is met later can be sent to");
	if (strangers(net, plan))
		tap_ok(peers_offered(net),
		       "what a stranger offers is taken or refused, and ends");
	if (fresh(net, plan))
		tap_ok(peers_declared(net, false),
		       "what a node declared dead has to do with us ends; "
		       "others go on");
	if (fresh(net, plan))
		tap_ok(peers_declared(net, true),
		       "so it does in the middle of pulls");
}

static void
test_side_by_side(struct net *net, const struct plan *plan)
{
	static const struct plan loop = { .transport = "loop", .clusters = 1 };
	const struct plan *others[] = { &loop, plan };
	static struct net other;

	for (unsigned i = 0; i < 2; i++) {
		if (!fresh(net, plan))
			return;
		if (fresh(&other, others[i])) {
			net->handler = other.handler = mail_take;
			tap_ok(life_side_by_side(net, &other),
			       "%s transport works beside it in one process",
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
	       "an address of nonsense is refused: %s", why.text);
	mail_post(net, 0, 1, 100, 1);
	tap_ok(mail_settle(net), "which leaves the old one as it was");
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
	if (!fresh(net, plan))
		return;
	net->handler = mail_take;
	test_addresses(net);
	net_close(net);
}
