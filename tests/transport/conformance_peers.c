#include "tests/transport/conformance_peers.h"

#include <stdio.h>

#include "tests/transport/conformance_life.h"
#include "tests/transport/conformance_mail.h"

#define DEAD 2

static bool
connect_nodes(struct net *net, uint32_t from, uint32_t to)
{
	struct stn_why why;

	if (!net_connect(net, from, to, &why))
		return true;
	printf("# node %u can't meet node %u: %s\n", from, to, why.text);
	return false;
}

static void
post_all_kinds(struct net *net, uint32_t from, uint32_t to)
{
	for (unsigned i = 0; i < 20; i++)
		mail_post(net, from, to, i % 4 ? 50 * i : net_large(net),
			  1 + i % 3);
}

bool
peers_later(struct net *net)
{
	bool right = connect_nodes(net, 1, 0);

	net->handler = mail_take;
	for (unsigned i = 0; i < 50; i++)
		mail_post(net, 1, 0, 20 * i, 1);
	right = mail_settle(net) && right && connect_nodes(net, 0, 1);
	post_all_kinds(net, 0, 1);
	post_all_kinds(net, 1, 0);
	right = mail_settle(net) && right && connect_nodes(net, 0, 2);
	/* Node 0 sends before node 2 knows it or makes progress. */
	post_all_kinds(net, 0, 2);
	for (unsigned i = 0; i < 100; i++)
		stn_transport_progress(net->nodes[0].transport);
	right = connect_nodes(net, 2, 0) && right;
	right = mail_settle(net) && right;
	net_close(net);
	return right;
}

static void
handle_every_second(struct net_node *node, const struct stn_message *message)
{
	if (mail.handled % 2)
		mail_refuse(node, message);
	else
		mail_take(node, message);
}

bool
peers_offered(struct net *net)
{
	bool right = connect_nodes(net, 1, 0);

	net->handler = handle_every_second;
	for (unsigned i = 0; i < 4; i++)
		mail_post(net, 1, 0, net_large(net), 1);
	right = net_until(net, &mail.handled, 4) && right;
	net_spin(net, 1000);
	net_close(net);
	right = right && mail_done_once() && mail_taken_once();
	if (!right)
		printf("# %u sent, %u done, %u handled, %u taken\n", mail.sent,
		       mail.done, mail.handled, mail.taken);
	mail_forget();
	return right;
}

static unsigned heard; /* messages from the dead node that node 0 has handled */

static void
handle_dead(struct net_node *node, const struct stn_message *message)
{
	heard += message->from == DEAD && node->rank == 0;
	mail_take(node, message);
}

/* Every operation of node 0 ends, although the dead node makes no progress. */
static bool
all_end(struct net *net)
{
	uint64_t end = net_now() + tap_patience_ns();

	while ((mail_under_way(0, DEAD) || mail_under_way(0, 1)) &&
	       net_now() < end) {
		stn_transport_progress(net->nodes[0].transport);
		stn_transport_progress(net->nodes[1].transport);
	}
	if (!mail_under_way(0, DEAD) && !mail_under_way(0, 1))
		return true;
	printf("# %u sends to the dead don't end, nor %u to others\n",
	       mail_under_way(0, DEAD), mail_under_way(0, 1));
	return false;
}

/* A send to the dead node ends at once with STN_LOST, whatever its size. */
static bool
is_refused(struct net *net, size_t bytes)
{
	const struct mail_sent *sent = &mail.sends[mail.sent];

	mail_post(net, 0, DEAD, bytes, 1);
	return sent->done == 1 && sent->err == STN_LOST;
}

/*
 * Sends to the dead node may have succeeded in time; sends to others must have.
 * With @pulling the dead node may also have read a large payload without taking
 * it.
 */
static bool
ended_right(bool pulling, size_t large)
{
	bool right = mail_done_once() && mail_taken_once();
	unsigned pulled = 0;

	for (unsigned i = 0; i < mail.sent; i++) {
		const struct mail_sent *sent = &mail.sends[i];

		if (sent->from != 0)
			continue;
		if (sent->to == 1 || sent->err)
			right = right &&
				sent->err ==
					(sent->to == 1 ? STN_OK : STN_LOST);
		else
			pulled += sent->bytes >= large;
	}
	return right && (pulling || pulled <= mail_taken_whole(0, DEAD, large));
}

static void
progress_node(struct net *net, uint32_t rank)
{
	for (unsigned i = 0; i < 200; i++)
		stn_transport_progress(net->nodes[rank].transport);
}

bool
peers_declared(struct net *net, bool pulling)
{
	struct stn_transport *transport = net->nodes[0].transport;
	bool right = life_introduce(net);
	size_t large = net_large(net);
	unsigned before;

	heard = 0;
	net->handler = handle_dead;
	post_all_kinds(net, 0, DEAD);
	post_all_kinds(net, DEAD, 0);
	post_all_kinds(net, 0, 1);
	if (pulling)
		right = net_until(net, &heard, 5) && right;
	else
		progress_node(net, DEAD);
	before = heard;
	stn_transport_peer_del(transport, DEAD);
	stn_transport_peer_del(transport, DEAD);
	/* Sends that a slow link has not carried yet end at once. */
	if (!pulling && net->topology.wan.latency_ns)
		right = !mail_under_way(0, DEAD) && right;
	right = is_refused(net, 10) && is_refused(net, net_large(net)) && right;
	right = all_end(net) && right;
	/* The dead node doesn't know that it is dead, and goes on sending. */
	post_all_kinds(net, DEAD, 0);
	post_all_kinds(net, DEAD, 1);
	post_all_kinds(net, 1, 0);
	net_spin(net, 2000);
	right = right && heard == before &&
		net_connect(net, 0, DEAD, NULL) == STN_LOST;
	net_close(net);
	right = right && ended_right(pulling, large);
	mail_forget();
	return right;
}
