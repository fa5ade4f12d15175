#include "transport/peers_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/memory.h"

/*
 * The most calls of the backend's progress before a peer whose process has
 * ended is deleted. The ring of a peer in shared memory holds at most 2048
 * messages, and each call takes up to 16 of them.
 */
#define LAST_CALLS 256

/* An operation that waits for a peer. */
struct tracked {
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
	peers->ends = -1;
	stn_identity_write(peers->identity);
	peers->joined =
		!stn_topology_reserved(opening->topology, opening->rank);
	peers_set_silence(peers, opening->silence_ns);
	for (uint32_t i = 0; i < nodes; i++)
		peers->peers[i].pidfd = -1;
	return peers;
}

void
stn_peers_destroy(struct stn_peers *peers)
{
	if (!peers)
		return;
	for (uint32_t i = 0; i < peers->opening.topology->nodes; i++)
		peers_unwatch(peers, i);
	if (peers->ends >= 0)
		close(peers->ends);
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
	   const char *reason)
{
	set_state(peers, &peers->peers[rank], state);
	if (peers->opening.peer_event)
		peers->opening.peer_event(peers->opening.arg, rank, state,
					  reason);
}

static void
peers_hear(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];

	peer->heard_ns = peers->clock_ns;
	if (peer->state == STN_PEER_SUSPECT)
		peers_tell(peers, rank, STN_PEER_UP, "it was heard again");
}

/* The handler that the backend calls. */
static void
deliver(void *arg, const struct stn_message *message)
{
	struct stn_peers *peers = arg;

	if (!stn_peers_alive(peers, message->from)) {
		stn_arrival_refuse(peers->transport, message);
		return;
	}
	/* The sender's rank in a malformed message can't be trusted. */
	if (message->kind)
		peers_hear(peers, message->from);
	if (message->kind == STN_PEERS_HEARTBEAT)
		peers_take_heartbeat(peers, message);
	else
		peers->opening.handler(peers->opening.arg, message);
}

struct stn_opening
stn_peers_opening(struct stn_peers *peers)
{
	struct stn_opening opening = peers->opening;

	opening.handler = deliver;
	opening.peer_event = NULL;
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
stn_peers_check(const struct stn_peers *peers, uint32_t rank,
		struct stn_why *why)
{
	uint32_t nodes = peers->opening.topology->nodes;

	if (rank >= nodes)
		return stn_because(why, STN_INVALID,
				   "there is no node %u among %u", rank, nodes);
	if (!stn_peers_alive(peers, rank))
		return stn_because(why, STN_LOST,
				   "node %u is dead; a node that replaces it "
				   "needs another rank",
				   rank);
	return STN_OK;
}

void
stn_peers_connect(struct stn_peers *peers, uint32_t rank,
		  const unsigned char identity[STN_IDENTITY_BYTES])
{
	struct peer *peer = &peers->peers[rank];
	enum stn_process_kind kind;
	int pidfd;

	peers_unwatch(peers, rank);
	memcpy(peer->identity, identity, sizeof(peer->identity));
	kind = stn_identity_resolve(peers->identity, identity, &pidfd);
	peer->connected = true;
	/* Nodes of one process die together, so they don't ping each other. */
	peer->pingable =
		rank != peers->opening.rank && kind != STN_PROCESS_SELF;
	if (kind == STN_PROCESS_LOCAL)
		peers_watch(peers, rank, pidfd);
	else if (kind == STN_PROCESS_ENDED)
		peers_end(peers, rank);
	for (; peer->pingable && peer->pongs_owed; peer->pongs_owed--)
		peers_send_pong(peers, rank);
	peer->pongs_owed = 0;
}

void
stn_peers_joined(struct stn_peers *peers)
{
	peers->joined = true;
}

bool
stn_peers_connected(const struct stn_peers *peers, uint32_t rank)
{
	return peers->peers[rank].connected;
}

bool
stn_peers_same_host(const struct stn_peers *peers, uint32_t rank)
{
	return peers->peers[rank].connected &&
	       stn_identity_same_host(peers->identity,
				      peers->peers[rank].identity);
}

/* Asking the kernel takes a tenth of the time for reading 20 KB from a peer. */
bool
stn_peers_ended(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];
	uint64_t now = peers->transport->ops->now(peers->transport);

	if (now < peer->number_ns)
		return false;
	if (stn_process_ended(peer->pidfd))
		return true;
	peer->number_ns = now + PEERS_NUMBER_NS;
	return false;
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
tracked_end(void *arg, enum stn_err err)
{
	struct tracked tracked = *(struct tracked *)arg;

	free(arg);
	tracked.peer->operations--;
	tracked.done(tracked.arg, err);
}

void
stn_peers_track(struct stn_peers *peers, uint32_t rank, stn_done **done_p,
		void **arg_p)
{
	struct tracked *tracked = stn_or_abort(malloc(sizeof(*tracked)));

	*tracked = (struct tracked){ &peers->peers[rank], *done_p, *arg_p };
	tracked->peer->operations++;
	*done_p = tracked_end;
	*arg_p = tracked;
}

void
stn_peers_lost(struct stn_transport *transport, uint32_t rank,
	       const char *reason)
{
	struct stn_peers *peers = transport->peers;
	struct peer *peer;

	if (!peers)
		return; /* the endpoint is still being opened */
	peer = &peers->peers[rank];
	if (peer->state == STN_PEER_DEAD || peer->reason)
		return;
	peer->reason = reason;
	peers->lost++;
}

/*
 * Begins with the outermost transport, because a wrapper has operations of its
 * own to complete. It calls the transport inside it.
 */
static void
del_peer(struct stn_peers *peers, uint32_t rank)
{
	struct stn_transport *transport = peers->transport;
	struct peer *peer = &peers->peers[rank];

	set_state(peers, peer, STN_PEER_DEAD);
	peers_unwatch(peers, rank);
	while (transport->outer)
		transport = transport->outer;
	transport->ops->peer_del(transport, rank);
}

void
stn_peers_del(struct stn_peers *peers, uint32_t rank)
{
	assert(!peers->in_callbacks);
	if (!stn_peers_alive(peers, rank))
		return;
	peers->in_callbacks = true;
	del_peer(peers, rank);
	peers->in_callbacks = false;
}

/*
 * Completes a lost peer's operations, then reports the peer event. Both call
 * back, and a callback may send and so find that another peer, of any rank, is
 * lost. The loop goes round until no lost peer is left. If this node is lost
 * itself, because it has lost the network, it is told so first.
 */
static void
del_lost(struct stn_peers *peers)
{
	uint32_t nodes = peers->opening.topology->nodes;
	uint32_t own = peers->opening.rank;

	for (uint32_t i = peers->peers[own].reason ? own : 0; peers->lost;
	     i = (i + 1) % nodes) {
		struct peer *peer = &peers->peers[i];
		const char *reason = peer->reason;

		if (!reason)
			continue;
		peers->lost--;
		peer->reason = NULL;
		if (!stn_peers_alive(peers, i))
			continue;
		del_peer(peers, i);
		peers_tell(peers, i, STN_PEER_DEAD, reason);
	}
}

/*
 * Handles what peers sent before their processes ended: it all arrives before
 * the kernel reports the end, but one call of the backend's progress handles
 * only some of it. Peers that live may send all the time, so the number of
 * calls has a limit.
 */
static unsigned
receive_last(struct stn_peers *peers)
{
	struct stn_transport *transport = peers->transport;
	unsigned sum = 0;

	for (unsigned i = 0; i < LAST_CALLS; i++) {
		unsigned did = transport->ops->progress(transport);

		if (!did)
			break;
		sum += did;
	}
	peers->ended = false;
	return sum;
}

bool
stn_peers_is_due(const struct stn_peers *peers)
{
	return peers->due && peers_watches_any(peers);
}

bool
stn_peers_waits(const struct stn_peers *peers)
{
	return peers->lost;
}

unsigned
stn_peers_progress(struct stn_peers *peers)
{
	unsigned did;

	if (peers->slept)
		peers_read_clock(peers); /* messages may come now */
	peers->in_callbacks = true;
	did = peers->transport->ops->progress(peers->transport);
	peers->steps +=
		1 + did; /* a large payload takes as long as many calls */
	if (peers_check_due(peers))
		peers_check_all(peers);
	if (peers->ended)
		did += receive_last(peers);
	if (peers->lost)
		del_lost(peers);
	peers->in_callbacks = false;
	return did;
}
