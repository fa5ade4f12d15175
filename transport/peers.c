#include "transport/peers_own.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An operation that is followed. */
struct followed {
	struct peer *peer;
	stn_done *done;
	void *arg;
};

struct stn_peers *
stn_peers_create(const struct stn_opening *opening)
{
	uint32_t nodes = opening->topology->nodes;
	struct stn_peers *peers;

	peers = calloc(1, sizeof(*peers) + nodes * sizeof(peers->peers[0]));
	if (!peers)
		return NULL;
	peers->opening = *opening;
	stn_identity_write(peers->identity);
	peers_set_patience(peers, opening->silence_ns);
	for (uint32_t i = 0; i < nodes; i++)
		peers->peers[i].process = -1;
	return peers;
}

static void
unwatch(struct stn_peers *peers, struct peer *peer)
{
	if (peer->process < 0)
		return;
	close(peer->process);
	peer->process = -1;
	peers->watched--;
}

void
stn_peers_destroy(struct stn_peers *peers)
{
	if (!peers)
		return;
	for (uint32_t i = 0; i < peers->opening.topology->nodes; i++)
		unwatch(peers, &peers->peers[i]);
	free(peers);
}

static void
set_state(struct stn_peers *peers, struct peer *peer, enum stn_peer_state state)
{
	peers->suspects -= peer->state == STN_PEER_SUSPECT;
	peer->state = state;
	peers->suspects += peer->state == STN_PEER_SUSPECT;
}

void
peers_tell(struct stn_peers *peers, uint32_t rank, enum stn_peer_state state,
	   const char *how)
{
	set_state(peers, &peers->peers[rank], state);
	if (peers->opening.news)
		peers->opening.news(peers->opening.arg, rank, state, how);
}

static void
hear(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];

	peer->heard = peers->tick;
	if (peer->state == STN_PEER_SUSPECT)
		peers_tell(peers, rank, STN_PEER_UP, "it was heard again");
}

/* The handler that backends are given. */
static void
deliver(void *arg, const struct stn_message *message)
{
	struct stn_peers *peers = arg;

	if (!stn_peers_alive(peers, message->from)) {
		stn_transport_refuse(peers->transport, message);
		return;
	}
	/* Who sent what is malformed is anybody's guess. */
	if (message->kind)
		hear(peers, message->from);
	if (message->kind == PEERS_KIND_SIGN)
		peers_take_sign(peers, message);
	else
		peers->opening.handler(peers->opening.arg, message);
}

struct stn_opening
stn_peers_opening(struct stn_peers *peers)
{
	struct stn_opening opening = peers->opening;

	opening.handler = deliver;
	opening.news = NULL;
	opening.arg = peers;
	return opening;
}

void
stn_peers_attach(struct stn_peers *peers, struct stn_transport *transport)
{
	peers->transport = transport;
	transport->peers = peers;
}

enum stn_err
stn_peers_admit(const struct stn_peers *peers, uint32_t rank,
		struct stn_why *why)
{
	uint32_t nodes = peers->opening.topology->nodes;

	if (rank >= nodes)
		return stn_because(why, STN_INVALID,
				   "there is no node %u among %u", rank, nodes);
	if (!stn_peers_alive(peers, rank))
		return stn_because(why, STN_LOST,
				   "node %u is dead; who comes in its place "
				   "needs another rank",
				   rank);
	return STN_OK;
}

void
stn_peers_meet(struct stn_peers *peers, uint32_t rank,
	       const unsigned char identity[STN_IDENTITY_BYTES])
{
	struct peer *peer = &peers->peers[rank];
	enum stn_kinship kinship;

	unwatch(peers, peer);
	memcpy(peer->identity, identity, sizeof(peer->identity));
	kinship = stn_identity_meet(peers->identity, identity, &peer->process);
	peer->met = true;
	/* What dies with us is not to be asked. */
	peer->known = rank != peers->opening.rank && kinship != STN_SELF;
	if (kinship == STN_NEIGHBOUR)
		peers->watched++;
	else if (kinship == STN_DEPARTED)
		stn_peers_lost(peers->transport, rank, PEERS_ENDED);
	if (peer->known && peer->owed)
		peers_answer(peers, rank);
	peer->owed = false;
}

bool
stn_peers_met(const struct stn_peers *peers, uint32_t rank)
{
	return peers->peers[rank].met;
}

bool
stn_peers_alive(const struct stn_peers *peers, uint32_t rank)
{
	return peers->peers[rank].state != STN_PEER_DEAD;
}

bool
stn_peers_sending(struct stn_peers *peers, uint32_t rank)
{
	peers->peers[rank].sent = true;
	return stn_peers_alive(peers, rank);
}

static void
followed_end(void *arg, enum stn_err err)
{
	struct followed followed = *(struct followed *)arg;

	free(arg);
	followed.peer->follow--;
	followed.done(followed.arg, err);
}

void
stn_peers_follow(struct stn_peers *peers, uint32_t rank, stn_done **done_p,
		 void **arg_p)
{
	struct followed *followed = malloc(sizeof(*followed));

	if (!followed)
		abort();
	*followed = (struct followed){ &peers->peers[rank], *done_p, *arg_p };
	followed->peer->follow++;
	*done_p = followed_end;
	*arg_p = followed;
}

void
stn_peers_lost(struct stn_transport *transport, uint32_t rank, const char *how)
{
	struct stn_peers *peers = transport->peers;
	struct peer *peer;

	if (!peers)
		return; /* it is being opened */
	peer = &peers->peers[rank];
	if (peer->state == STN_PEER_DEAD || peer->how)
		return;
	peer->how = how;
	peers->lost++;
}

/* A transport around the backend's has something to end, too. */
static void
bury(struct stn_peers *peers, uint32_t rank)
{
	struct stn_transport *transport = peers->transport;
	struct peer *peer = &peers->peers[rank];

	set_state(peers, peer, STN_PEER_DEAD);
	unwatch(peers, peer);
	while (transport->outer)
		transport = transport->outer;
	transport->ops->peer_del(transport, rank);
}

void
stn_peers_bury(struct stn_peers *peers, uint32_t rank)
{
	assert(!peers->inside);
	if (!stn_peers_alive(peers, rank))
		return;
	peers->inside = true;
	bury(peers, rank);
	peers->inside = false;
}

/*
 * First the ends of what was under way, then the news. Both may send, and so
 * find that others are lost, of any rank: hence round and round.
 */
static void
bury_lost(struct stn_peers *peers)
{
	uint32_t nodes = peers->opening.topology->nodes;

	for (uint32_t i = 0; peers->lost; i = (i + 1) % nodes) {
		struct peer *peer = &peers->peers[i];
		const char *how = peer->how;

		if (!how)
			continue;
		peers->lost--;
		peer->how = NULL;
		if (!stn_peers_alive(peers, i))
			continue;
		bury(peers, i);
		peers_tell(peers, i, STN_PEER_DEAD, how);
	}
}

unsigned
stn_peers_progress(struct stn_peers *peers)
{
	unsigned did;

	peers->inside = true;
	did = peers->transport->ops->progress(peers->transport);
	peers->steps += 1 + did; /* each may take a while: payloads are large */
	peers_look(peers);
	if (peers->lost)
		bury_lost(peers);
	peers->inside = false;
	return did;
}
