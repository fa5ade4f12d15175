/*
 * peers_watch.c: finds out whether peers live: from the kernel for peers of
 * this host, by heartbeats for all others.
 */
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "transport/peers_private.h"

#define TICK_MOST_NS 250000000ull
#define TICK_LEAST_NS 1000000ull
#define TICKS 8	       /* of a silence, at least; one ping each */
#define ENDS_AT_ONCE 8 /* ended processes that one call finds */

enum heartbeat { PING, PONG };

void
peers_set_silence(struct stn_peers *peers, uint64_t silence_ns)
{
	uint64_t tick_ns = silence_ns / TICKS;

	if (tick_ns < TICK_LEAST_NS)
		tick_ns = TICK_LEAST_NS;
	if (!silence_ns || tick_ns > TICK_MOST_NS)
		tick_ns = TICK_MOST_NS;
	if (silence_ns && silence_ns < TICKS * tick_ns)
		silence_ns = TICKS * tick_ns;
	peers->tick_ns = tick_ns;
	peers->silence_ns = silence_ns;
	snprintf(peers->silent, sizeof(peers->silent),
		 STN_PEERS_SILENT "%.1f s", (double)silence_ns / 1e9);
}

/*
 * If there is no descriptor for the epoll, the peer is watched like one of
 * another host.
 */
void
peers_watch(struct stn_peers *peers, uint32_t rank, int pidfd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = rank };

	if (peers->ends < 0)
		peers->ends = epoll_create1(EPOLL_CLOEXEC);
	peers->transport->ends = peers->ends;
	if (epoll_ctl(peers->ends, EPOLL_CTL_ADD, pidfd, &event)) {
		close(pidfd);
		return;
	}
	peers->peers[rank].pidfd = pidfd;
	peers->watched++;
}

/* Another process may have inherited the descriptor, so closing is not enough.
 */
void
peers_unwatch(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];

	if (peer->pidfd < 0)
		return;
	epoll_ctl(peers->ends, EPOLL_CTL_DEL, peer->pidfd, NULL);
	close(peer->pidfd);
	peer->pidfd = -1;
	peers->watched--;
}

void
peers_end(struct stn_peers *peers, uint32_t rank)
{
	stn_peers_lost(peers->transport, rank, "its process has ended");
	peers->ended = true;
}

static void
find_ended(struct stn_peers *peers)
{
	struct epoll_event events[ENDS_AT_ONCE];
	int count = epoll_wait(peers->ends, events, ENDS_AT_ONCE, 0);

	for (int i = 0; i < count; i++)
		peers_end(peers, events[i].data.u32);
}

/*
 * A long time without a look counts as one tick. Otherwise, after this process
 * was stopped, all peers would seem to have been silent.
 */
uint64_t
peers_read_clock(struct stn_peers *peers)
{
	uint64_t now = peers->transport->ops->now(peers->transport);
	uint64_t passed = now - peers->read_ns;

	peers->slept = false;
	peers->clock_ns +=
		passed > 2 * peers->tick_ns ? peers->tick_ns : passed;
	peers->read_ns = now;
	return now;
}

static void
send_heartbeat(struct stn_peers *peers, uint32_t rank, enum heartbeat heartbeat)
{
	struct stn_transport *transport = peers->transport;
	unsigned char header = (unsigned char)heartbeat;

	transport->ops->send(transport, rank, STN_PEERS_HEARTBEAT, &header, 1,
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
		peer->pongs_owed++;
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

/*
 * The silence before a first ping counts, but at most one tick of it: the peer
 * may have had no reason to send anything.
 */
static void
send_ping(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];

	if (!peer->pings && peer->heard_ns + peers->tick_ns < peers->clock_ns)
		peer->heard_ns = peers->clock_ns - peers->tick_ns;
	peer->sent = false;
	peer->pings++;
	send_heartbeat(peers, rank, PING);
}

/* How long has an answer of the peer been missing? */
static uint64_t
silence_of(const struct stn_peers *peers, const struct peer *peer)
{
	return peer->pings ? peers->clock_ns - peer->heard_ns : 0;
}

/* The next look comes when the silence of a peer with this silence is over. */
static void
look_at_end(struct stn_peers *peers, uint64_t silent)
{
	uint64_t left = peers->silence_ns - silent;

	if (left < peers->next_look_ns - peers->read_ns)
		peers->next_look_ns = peers->read_ns + left;
}

/*
 * Has a peer whose process can't be watched been silent for too long? Any
 * message shows that the peer was alive. Only a pong shows that all messages
 * sent before its ping have arrived, so pings continue until then.
 * @tick  a ping is due, if the peer must be pinged at all
 * @successor  the peer is this node's successor, which is always pinged
 */
static void
check_silence(struct stn_peers *peers, uint32_t rank, bool tick, bool successor)
{
	struct peer *peer = &peers->peers[rank];
	uint64_t silent = silence_of(peers, peer);

	if (silent >= peers->silence_ns) {
		stn_peers_lost(peers->transport, rank, peers->silent);
		return;
	}
	if (silent > peers->silence_ns / 2 && peer->state == STN_PEER_UP)
		peers_tell(peers, rank, STN_PEER_SUSPECT, "it does not answer");
	if (tick && (successor || peer->sent || peer->operations ||
		     peer->pings || peer->host_suspect))
		send_ping(peers, rank);
	if (peer->pings)
		look_at_end(peers, silence_of(peers, peer));
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

/* Ticks keep their rhythm when a look comes late, by less than a tick. */
static void
check_silences(struct stn_peers *peers)
{
	uint32_t successor = peers->opening.rank;
	bool tick = peers->read_ns >= peers->next_tick_ns;

	if (tick) {
		peers->next_tick_ns += peers->tick_ns;
		if (peers->next_tick_ns <= peers->read_ns)
			peers->next_tick_ns = peers->read_ns + peers->tick_ns;
		successor = find_successor(peers);
		mark_suspect_hosts(peers);
	}
	peers->next_look_ns = peers->next_tick_ns;
	if (!peers->joined)
		return;
	for (uint32_t i = 0; i < peers->opening.topology->nodes; i++) {
		const struct peer *peer = &peers->peers[i];

		if (peer->pingable && peer->pidfd < 0 &&
		    peer->state != STN_PEER_DEAD)
			check_silence(peers, i, tick, i == successor);
	}
}

void
peers_check_all(struct stn_peers *peers)
{
	uint64_t now = peers_read_clock(peers);

	if (peers->watched && (peers->due || now >= peers->next_ends_ns)) {
		peers->next_ends_ns = now + PEERS_ENDS_NS;
		find_ended(peers);
	}
	if (peers->silence_ns && now >= peers->next_look_ns)
		check_silences(peers);
	peers->due = false;
	peers->steps = 0;
}

void
stn_peers_look(struct stn_peers *peers)
{
	peers->due = true;
}

/*
 * A caller that doesn't sleep on stn_transport_ends must learn of ended
 * processes, too; so no sleep is longer than a tick.
 */
uint64_t
stn_peers_arm(struct stn_peers *peers, uint64_t sleep_ns)
{
	uint64_t now, left = peers->tick_ns;

	if (peers->lost)
		return STN_NOT_NOW;
	if (!peers_watches_any(peers) || sleep_ns == STN_NOT_NOW)
		return sleep_ns;
	now = peers_read_clock(peers);
	peers->slept = true;
	if ((peers->silence_ns && now >= peers->next_look_ns) ||
	    (peers->watched && now >= peers->next_ends_ns)) {
		peers->due = true;
		return STN_NOT_NOW;
	}
	if (peers->silence_ns)
		left = peers->next_look_ns - now;
	return sleep_ns < left ? sleep_ns : left;
}
