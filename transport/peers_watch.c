/*
 * peers_watch.c: whether peers live: those of this host by the kernel, others
 * by signs of life.
 */
#include <string.h>

#include "transport/peers_own.h"

#define TICK_MOST_NS 250000000ull
#define TICK_LEAST_NS 1000000ull
#define PATIENCE_LEAST 8 /* ticks, each with a ping, before a peer is dead */
#define STEPS 64	 /* of progress between looks at the clock */

enum sign { PING, PONG };

/* As many ticks as make @silence_ns, but enough of them to ask in. */
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
}

static void
send_sign(struct stn_peers *peers, uint32_t rank, enum sign sign)
{
	struct stn_transport *transport = peers->transport;
	unsigned char header = (unsigned char)sign;

	transport->ops->send(transport, rank, PEERS_KIND_SIGN, &header, 1, NULL,
			     0, NULL, NULL);
}

void
peers_answer(struct stn_peers *peers, uint32_t rank)
{
	send_sign(peers, rank, PONG);
}

void
peers_take_sign(struct stn_peers *peers, const struct stn_message *message)
{
	const unsigned char *sign = message->header;
	struct peer *peer = &peers->peers[message->from];
	struct stn_arrival malformed = { .message.from = message->from };

	if (message->header_bytes != 1 || *sign > PONG ||
	    message->payload_bytes) {
		stn_transport_refuse(peers->transport, message);
		peers->opening.handler(peers->opening.arg, &malformed.message);
	} else if (*sign == PONG) {
		peer->pings -= peer->pings > 0;
	} else if (peer->known) {
		peers_answer(peers, message->from);
	} else {
		peer->owed = true;
	}
}

/* Hosts vanish whole: who is on one with a suspect is doubtful, too. */
static void
find_doubtful(struct stn_peers *peers)
{
	uint32_t nodes = peers->opening.topology->nodes;

	for (uint32_t i = 0; i < nodes; i++)
		peers->peers[i].doubtful = false;
	for (uint32_t i = 0; peers->suspects && i < nodes; i++) {
		const struct peer *suspect = &peers->peers[i];

		if (suspect->state != STN_PEER_SUSPECT || suspect->doubtful)
			continue;
		for (uint32_t j = 0; j < nodes; j++)
			if (stn_identity_same_host(suspect->identity,
						   peers->peers[j].identity))
				peers->peers[j].doubtful = true;
	}
}

static void
ask(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];

	if (!peer->pings)
		peer->heard = peers->tick;
	peer->sent = false;
	peer->pings++;
	send_sign(peers, rank, PING);
}

/*
 * A peer whose process can't be watched: has it kept silent for too long? Only
 * a pong says that all which was sent before its ping has arrived; anything
 * else, just that the peer was alive.
 * @ward  it is ours to ask, whether we have to do with it or not
 */
static void
listen_for(struct stn_peers *peers, uint32_t rank, bool ward)
{
	struct peer *peer = &peers->peers[rank];
	uint32_t silent;

	if (!ward && !peer->sent && !peer->follow && !peer->pings &&
	    !peer->doubtful)
		return;
	silent = peer->pings ? peers->tick - peer->heard : 0;
	if (silent > peers->patience) {
		stn_peers_lost(peers->transport, rank,
			       "it has not answered for too long");
		return;
	}
	if (silent > peers->patience / 2 && peer->state == STN_PEER_UP)
		peers_tell(peers, rank, STN_PEER_SUSPECT, "it does not answer");
	ask(peers, rank);
}

bool
stn_peers_settle(struct stn_peers *peers)
{
	bool settled = true;

	for (uint32_t i = 0; i < peers->opening.topology->nodes; i++) {
		struct peer *peer = &peers->peers[i];

		if (!peer->known || peer->state == STN_PEER_DEAD)
			continue;
		if (peer->sent)
			ask(peers, i);
		settled = settled && !peer->pings;
	}
	return settled;
}

static void
look_after(struct stn_peers *peers, uint32_t rank, bool ward)
{
	struct peer *peer = &peers->peers[rank];

	if (!peer->known || peer->state == STN_PEER_DEAD)
		return;
	if (peer->process < 0 && peers->patience)
		listen_for(peers, rank, ward);
	else if (peer->process >= 0 && stn_identity_has_ended(peer->process))
		stn_peers_lost(peers->transport, rank, PEERS_ENDED);
}

/* The next node by rank that lives; each dead one's ward is inherited. */
static uint32_t
find_ward(const struct stn_peers *peers)
{
	uint32_t nodes = peers->opening.topology->nodes;
	uint32_t rank = peers->opening.rank;

	do
		rank = (rank + 1) % nodes;
	while (rank != peers->opening.rank &&
	       (!peers->peers[rank].known || !stn_peers_alive(peers, rank)));
	return rank;
}

static bool
watches(const struct stn_peers *peers)
{
	return peers->watched || peers->patience;
}

/* One tick for each look, however long ago the last was: we may have slept. */
static void
look_at_clock(struct stn_peers *peers)
{
	uint64_t now = stn_transport_now(peers->transport);
	uint32_t ward;

	peers->due = false;
	peers->steps = 0;
	if (now < peers->next_tick_ns)
		return;
	peers->next_tick_ns = now + peers->tick_ns;
	peers->tick++;
	ward = find_ward(peers);
	find_doubtful(peers);
	for (uint32_t i = 0; i < peers->opening.topology->nodes; i++)
		look_after(peers, i, i == ward);
}

void
peers_look(struct stn_peers *peers)
{
	if (watches(peers) && (peers->due || peers->steps >= STEPS))
		look_at_clock(peers);
}

uint64_t
stn_peers_arm(struct stn_peers *peers, uint64_t sleep_ns)
{
	uint64_t now;

	if (peers->lost)
		return STN_NOT_NOW;
	if (!watches(peers) || sleep_ns == STN_NOT_NOW)
		return sleep_ns;
	now = stn_transport_now(peers->transport);
	if (now >= peers->next_tick_ns) {
		peers->due = true;
		return STN_NOT_NOW;
	}
	if (sleep_ns > peers->next_tick_ns - now)
		sleep_ns = peers->next_tick_ns - now;
	return sleep_ns;
}
