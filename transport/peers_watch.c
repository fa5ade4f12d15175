/*
 * peers_watch.c: finds out whether peers live: from the kernel for peers of
 * this host, by heartbeats for all others.
 */
#include <stdio.h>
#include <string.h>

#include "transport/peers_private.h"

#define TICK_MOST_NS 250000000ull
#define TICK_LEAST_NS 1000000ull
#define PATIENCE_LEAST 8  /* ticks, and pings, before a peer is dead */

enum heartbeat { PING, PONG };

/* Divides @silence_ns into ticks, at least PATIENCE_LEAST of them. */
void
peers_set_patience(struct stn_peers *peers, uint64_t silence_ns)
{
	uint64_t tick_ns = silence_ns / PATIENCE_LEAST, ticks;

	if (tick_ns < TICK_LEAST_NS)
		tick_ns = TICK_LEAST_NS;
	if (!silence_ns || tick_ns > TICK_MOST_NS)
		tick_ns = TICK_MOST_NS;
	ticks = silence_ns / tick_ns;
	if (silence_ns && ticks < PATIENCE_LEAST)
		ticks = PATIENCE_LEAST;
	peers->tick_ns = tick_ns;
	peers->patience = ticks < INT32_MAX ? (uint32_t)ticks : INT32_MAX;
	snprintf(peers->silent, sizeof(peers->silent),
		 STN_PEERS_SILENT "%.1f s",
		 (double)tick_ns * peers->patience / 1e9);
}

static void
send_heartbeat(struct stn_peers *peers, uint32_t rank, enum heartbeat heartbeat)
{
	struct stn_transport *transport = peers->transport;
	unsigned char header = (unsigned char)heartbeat;

	transport->ops->send(transport, rank, PEERS_KIND_HEARTBEAT, &header, 1,
			     NULL, 0, NULL, NULL);
}

void
peers_send_pong(struct stn_peers *peers, uint32_t rank)
{
	send_heartbeat(peers, rank, PONG);
}

void
peers_take_heartbeat(struct stn_peers *peers, const struct stn_message *message)
{
	const unsigned char *heartbeat = message->header;
	struct peer *peer = &peers->peers[message->from];
	struct stn_arrival malformed = { .message.from = message->from };

	if (message->header_bytes != 1 || *heartbeat > PONG ||
	    message->payload_bytes) {
		stn_arrival_refuse(peers->transport, message);
		peers->opening.handler(peers->opening.arg, &malformed.message);
	} else if (*heartbeat == PONG) {
		peer->pings -= peer->pings > 0;
	} else if (peer->pingable) {
		peers_send_pong(peers, message->from);
	} else {
		peer->pong_owed = true;
	}
}

/* A host often fails as a whole, so every peer on a suspect host is pinged. */
static void
mark_suspect_hosts(struct stn_peers *peers)
{
	uint32_t nodes = peers->opening.topology->nodes;

	for (uint32_t i = 0; i < nodes; i++)
		peers->peers[i].host_suspect = false;
	for (uint32_t i = 0; peers->suspects && i < nodes; i++) {
		const struct peer *suspect = &peers->peers[i];

		if (suspect->state != STN_PEER_SUSPECT || suspect->host_suspect)
			continue;
		for (uint32_t j = 0; j < nodes; j++)
			if (stn_identity_same_host(suspect->identity,
						   peers->peers[j].identity))
				peers->peers[j].host_suspect = true;
	}
}

static void
send_ping(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];

	if (!peer->pings)
		peer->heard = peers->tick;
	peer->sent = false;
	peer->pings++;
	send_heartbeat(peers, rank, PING);
}

/*
 * Has a peer whose process can't be watched been silent for too long? Any
 * message shows that the peer was alive. Only a pong shows that all messages
 * sent before its ping have arrived, so pings continue until then.
 * @successor  the peer is this node's successor, which is always pinged
 */
static void
check_silence(struct stn_peers *peers, uint32_t rank, bool successor)
{
	struct peer *peer = &peers->peers[rank];
	uint32_t silent;

	if (!successor && !peer->sent && !peer->operations && !peer->pings &&
	    !peer->host_suspect)
		return;
	silent = peer->pings ? peers->tick - peer->heard : 0;
	if (silent > peers->patience) {
		stn_peers_lost(peers->transport, rank, peers->silent);
		return;
	}
	if (silent > peers->patience / 2 && peer->state == STN_PEER_UP)
		peers_tell(peers, rank, STN_PEER_SUSPECT, "it does not answer");
	send_ping(peers, rank);
}

bool
stn_peers_settle(struct stn_peers *peers)
{
	bool settled = true;

	for (uint32_t i = 0; i < peers->opening.topology->nodes; i++) {
		struct peer *peer = &peers->peers[i];

		if (!peer->pingable || peer->state == STN_PEER_DEAD)
			continue;
		if (peer->sent)
			send_ping(peers, i);
		settled = settled && !peer->pings;
	}
	return settled;
}

static void
check_peer(struct stn_peers *peers, uint32_t rank, bool successor)
{
	struct peer *peer = &peers->peers[rank];

	if (!peer->pingable || peer->state == STN_PEER_DEAD)
		return;
	if (peer->pidfd < 0 && peers->patience)
		check_silence(peers, rank, successor);
	else if (peer->pidfd >= 0 && stn_identity_has_ended(peer->pidfd))
		stn_peers_lost(peers->transport, rank, PEERS_ENDED);
}

/* The next living node by rank. If it dies, the node after it takes over. */
static uint32_t
find_successor(const struct stn_peers *peers)
{
	uint32_t nodes = peers->opening.topology->nodes;
	uint32_t rank = peers->opening.rank;

	do
		rank = (rank + 1) % nodes;
	while (rank != peers->opening.rank &&
	       (!peers->peers[rank].pingable || !stn_peers_alive(peers, rank)));
	return rank;
}

static uint64_t
peers_now(const struct stn_peers *peers)
{
	return peers->transport->ops->now(peers->transport);
}

/*
 * A look counts as one tick however long ago the last one was. Otherwise, after
 * this process was stopped, all peers would seem to have been silent.
 */
void
peers_check_all(struct stn_peers *peers)
{
	uint64_t now = peers_now(peers);
	uint32_t successor;

	peers->due = false;
	peers->steps = 0;
	if (now < peers->next_tick_ns)
		return;
	peers->next_tick_ns = now + peers->tick_ns;
	peers->tick++;
	successor = find_successor(peers);
	mark_suspect_hosts(peers);
	for (uint32_t i = 0; i < peers->opening.topology->nodes; i++)
		check_peer(peers, i, i == successor);
}

uint64_t
stn_peers_arm(struct stn_peers *peers, uint64_t sleep_ns)
{
	uint64_t now;

	if (peers->lost)
		return STN_NOT_NOW;
	if (!peers_watches_any(peers) || sleep_ns == STN_NOT_NOW)
		return sleep_ns;
	now = peers_now(peers);
	if (now >= peers->next_tick_ns) {
		peers->due = true;
		return STN_NOT_NOW;
	}
	if (sleep_ns > peers->next_tick_ns - now)
		sleep_ns = peers->next_tick_ns - now;
	return sleep_ns;
}
