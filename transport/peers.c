#include "transport/peers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_MOST_NS 250000000ull
#define TICK_LEAST_NS 1000000ull
#define PATIENCE_LEAST 8 /* ticks, each with a ping, before a peer is dead */
#define CALLS 64	 /* of progress between looks at the clock */
#define KIND_SIGN (STN_KINDS + 1)
#define ENDED "its process has ended"

enum sign { PING, PONG };

struct peer {
	unsigned char identity[STN_IDENTITY_BYTES];
	int process;	 /* a pidfd, or -1 */
	uint32_t heard;	 /* the tick; counts only while it is pinged */
	uint32_t pings;	 /* unanswered */
	uint32_t follow; /* how many offers to it and pulls from it there are */
	const char *how; /* it was found dead, and is to be buried */
	bool sent;	 /* something, since the last ping */
	bool met;	 /* it can be sent to */
	bool known;	 /* it can be asked: it is in another process */
	bool owed;	 /* it asked before it was known */
	enum stn_peer_state state;
};

/* An operation that is followed. */
struct followed {
	struct peer *peer;
	stn_done *done;
	void *arg;
};

struct stn_peers {
	struct stn_transport *transport;
	struct stn_opening opening; /* the caller's */
	unsigned char identity[STN_IDENTITY_BYTES];
	uint64_t tick_ns, next_tick_ns;
	uint32_t tick;
	uint32_t patience;		  /* in ticks; 0: endless */
	uint32_t watched, suspects, lost; /* how many are */
	uint32_t calls;
	bool due;    /* look at the clock in the next progress */
	bool inside; /* a call that runs handlers, ends and news */
	struct peer peers[];
};

/* As many ticks as make @silence_ns, but enough of them to ask in. */
static void
set_patience(struct stn_peers *peers, uint64_t silence_ns)
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
	set_patience(peers, opening->silence_ns);
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
send_sign(struct stn_peers *peers, uint32_t rank, enum sign sign)
{
	struct stn_transport *transport = peers->transport;
	unsigned char header = (unsigned char)sign;

	transport->ops->send(transport, rank, KIND_SIGN, &header, 1, NULL, 0,
			     NULL, NULL);
}

static void
set_state(struct stn_peers *peers, struct peer *peer, enum stn_peer_state state)
{
	peers->suspects -= peer->state == STN_PEER_SUSPECT;
	peer->state = state;
	peers->suspects += peer->state == STN_PEER_SUSPECT;
}

static void
tell(struct stn_peers *peers, uint32_t rank, enum stn_peer_state state,
     const char *how)
{
	set_state(peers, &peers->peers[rank], state);
	if (peers->opening.news)
		peers->opening.news(peers->opening.arg, rank, state, how);
}

static void
take_sign(struct stn_peers *peers, const struct stn_message *message)
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
		send_sign(peers, message->from, PONG);
	} else {
		peer->owed = true;
	}
}

static void
hear(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];

	peer->heard = peers->tick;
	if (peer->state == STN_PEER_SUSPECT)
		tell(peers, rank, STN_PEER_UP, "it was heard again");
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
	if (message->kind == KIND_SIGN)
		take_sign(peers, message);
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
		stn_peers_lost(peers->transport, rank, ENDED);
	if (peer->known && peer->owed)
		send_sign(peers, rank, PONG);
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
		tell(peers, i, STN_PEER_DEAD, how);
	}
}

/* Hosts vanish whole: is one on this peer's host suspect? */
static bool
has_suspect_mate(const struct stn_peers *peers, const struct peer *peer)
{
	if (!peers->suspects)
		return false;
	for (uint32_t i = 0; i < peers->opening.topology->nodes; i++)
		if (peers->peers[i].state == STN_PEER_SUSPECT &&
		    stn_identity_same_host(peers->peers[i].identity,
					   peer->identity))
			return true;
	return false;
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
	    !has_suspect_mate(peers, peer))
		return;
	silent = peer->pings ? peers->tick - peer->heard : 0;
	if (silent > peers->patience) {
		stn_peers_lost(peers->transport, rank,
			       "it has not answered for too long");
		return;
	}
	if (silent > peers->patience / 2 && peer->state == STN_PEER_UP)
		tell(peers, rank, STN_PEER_SUSPECT, "it does not answer");
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
		stn_peers_lost(peers->transport, rank, ENDED);
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
	if (now < peers->next_tick_ns)
		return;
	peers->next_tick_ns = now + peers->tick_ns;
	peers->tick++;
	ward = find_ward(peers);
	for (uint32_t i = 0; i < peers->opening.topology->nodes; i++)
		look_after(peers, i, i == ward);
}

unsigned
stn_peers_progress(struct stn_peers *peers)
{
	unsigned did;

	peers->inside = true;
	did = peers->transport->ops->progress(peers->transport);
	if (watches(peers) && (peers->due || !(++peers->calls % CALLS)))
		look_at_clock(peers);
	if (peers->lost)
		bury_lost(peers);
	peers->inside = false;
	return did;
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
