#include "transport/peers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TICK_NS 250000000ull
#define CALLS 1024 /* of progress between looks at the clock */
#define KIND_SIGN (STN_KINDS + 1)

enum sign { PING, PONG };

/* Written into addresses; two with equal host and space share a kernel. */
struct identity {
	unsigned char host[16]; /* of one boot */
	uint64_t space;		/* of process numbers */
	uint32_t process;
	uint32_t unused;
};

_Static_assert(sizeof(struct identity) == STN_IDENTITY_BYTES, "as promised");

struct peer {
	int process;	 /* a pidfd, or -1 */
	uint32_t asked;	 /* the tick of the first unanswered send; 0: none */
	const char *how; /* it was found dead, and is to be buried */
	bool known;
	enum stn_peer_state state;
};

struct stn_peers {
	struct stn_transport *transport;
	struct stn_opening opening; /* the caller's */
	uint32_t tick;		    /* counts from 1 */
	uint32_t patience;	    /* in ticks; 0: endless */
	uint32_t watched, lost;	    /* how many are */
	uint32_t calls;
	uint64_t next_tick_ns;
	bool due; /* look at the clock in the next progress */
	struct peer peers[];
};

static uint32_t
ticks(uint64_t ns)
{
	return (uint32_t)((ns + TICK_NS - 1) / TICK_NS);
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
	peers->patience = ticks(opening->silence_ns);
	peers->tick = 1;
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
tell(struct stn_peers *peers, uint32_t rank, enum stn_peer_state state,
     const char *how)
{
	peers->peers[rank].state = state;
	if (peers->opening.news)
		peers->opening.news(peers->opening.arg, rank, state, how);
}

static void
take_sign(struct stn_peers *peers, const struct stn_message *message)
{
	const unsigned char *sign = message->header;
	struct stn_message malformed = { .from = message->from };

	if (message->header_bytes != 1 || *sign > PONG ||
	    message->payload_bytes)
		peers->opening.handler(peers->opening.arg, &malformed);
	else if (*sign == PING)
		send_sign(peers, message->from, PONG);
}

/* The handler that backends are given. */
static void
deliver(void *arg, const struct stn_message *message)
{
	struct stn_peers *peers = arg;
	struct peer *peer = &peers->peers[message->from];

	if (peer->state == STN_PEER_DEAD) {
		stn_transport_refuse(peers->transport, message);
		return;
	}
	peer->asked = 0;
	if (peer->state == STN_PEER_SUSPECT)
		tell(peers, message->from, STN_PEER_UP, "it was heard again");
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

static void
read_boot(unsigned char host[16])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char text[37] = "";

	if (fd < 0)
		return;
	if (read(fd, text, 36) == 36)
		for (int from = 0, to = 0; to < 16; from += 2, to++) {
			char digits[3] = "";

			from += text[from] == '-';
			memcpy(digits, text + from, 2);
			host[to] = (unsigned char)strtoul(digits, NULL, 16);
		}
	close(fd);
}

void
stn_peers_identity(unsigned char bytes[STN_IDENTITY_BYTES])
{
	struct identity identity = { .process = (uint32_t)getpid() };
	struct stat space;

	read_boot(identity.host);
	if (!stat("/proc/self/ns/pid", &space))
		identity.space = space.st_ino;
	memcpy(bytes, &identity, sizeof(identity));
}

void
stn_peers_meet(struct stn_peers *peers, uint32_t rank,
	       const unsigned char bytes[STN_IDENTITY_BYTES])
{
	struct peer *peer = &peers->peers[rank];
	struct identity mine, theirs;

	stn_peers_identity((unsigned char *)&mine);
	memcpy(&theirs, bytes, sizeof(theirs));
	unwatch(peers, peer);
	peer->known = rank != peers->opening.rank;
	if (memcmp(mine.host, theirs.host, sizeof(mine.host)) ||
	    mine.space != theirs.space)
		return;
	if (mine.process == theirs.process) {
		peer->known = false; /* it dies with us: not to be asked */
		return;
	}
	peer->process = (int)syscall(SYS_pidfd_open, (pid_t)theirs.process, 0u);
	if (peer->process >= 0)
		peers->watched++;
	else if (errno == ESRCH)
		stn_peers_lost(peers->transport, rank, "its process has ended");
}

bool
stn_peers_sending(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];

	if (!peer->asked)
		peer->asked = peers->tick;
	return peer->state != STN_PEER_DEAD;
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

void
stn_peers_bury(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];

	if (peer->state == STN_PEER_DEAD)
		return;
	peer->state = STN_PEER_DEAD;
	unwatch(peers, peer);
	peers->transport->ops->peer_del(peers->transport, rank);
}

/* First the ends of what was under way, then the news. */
static void
bury_lost(struct stn_peers *peers)
{
	for (uint32_t i = 0; peers->lost; i++) {
		struct peer *peer = &peers->peers[i];
		const char *how = peer->how;

		if (!how)
			continue;
		peers->lost--;
		peer->how = NULL;
		if (peer->state == STN_PEER_DEAD)
			continue;
		stn_peers_bury(peers, i);
		tell(peers, i, STN_PEER_DEAD, how);
	}
}

static bool
has_ended(int process)
{
	struct pollfd fd = { process, POLLIN, 0 };

	return poll(&fd, 1, 0) > 0;
}

/* A peer whose process can't be watched: has it kept silent for too long? */
static void
listen_for(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];
	uint32_t next =
		(peers->opening.rank + 1) % peers->opening.topology->nodes;
	uint32_t silent;

	if (!peer->asked && rank != next)
		return;
	if (!peer->asked)
		peer->asked = peers->tick;
	silent = peers->tick - peer->asked;
	if (silent >= peers->patience) {
		stn_peers_lost(peers->transport, rank,
			       "it has not answered for too long");
		return;
	}
	if (silent >= peers->patience / 2 && peer->state == STN_PEER_UP)
		tell(peers, rank, STN_PEER_SUSPECT, "it does not answer");
	send_sign(peers, rank, PING);
}

static void
look_after(struct stn_peers *peers, uint32_t rank)
{
	struct peer *peer = &peers->peers[rank];

	if (!peer->known || peer->state == STN_PEER_DEAD)
		return;
	if (peer->process >= 0) {
		if (has_ended(peer->process))
			stn_peers_lost(peers->transport, rank,
				       "its process has ended");
		return;
	}
	if (peers->patience)
		listen_for(peers, rank);
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

	peers->due = false;
	if (now < peers->next_tick_ns)
		return;
	peers->next_tick_ns = now + TICK_NS;
	peers->tick++;
	for (uint32_t i = 0; i < peers->opening.topology->nodes; i++)
		look_after(peers, i);
}

void
stn_peers_progress(struct stn_peers *peers)
{
	if (watches(peers) && (peers->due || !(++peers->calls % CALLS)))
		look_at_clock(peers);
	if (peers->lost)
		bury_lost(peers);
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
