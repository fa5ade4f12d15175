/*
 * shm_read.c: payloads in one piece that the receiver of an offer reads from
 * the sender's memory, without any work by the sender. A large payload is read
 * in several calls of progress. If the kernel forbids such reads, or one fails,
 * the sender streams the payload instead (shm_stream.c).
 *
 * A stream is faster for payloads larger than the caches if both processors
 * share a cache, and much slower if they do not (bench/README.md).
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "transport/memory.h"
#include "transport/peers.h"
#include "transport/shm/shm.h"
#include "transport/shm/shm_send.h"
#include "transport/shm/shm_stream.h"

/*
 * Reads from a peer's memory. If the peer has closed its endpoint meanwhile,
 * the memory may have been reused, so the read does not count: the fence, which
 * pairs with shm_close's release of SHM_CLOSED, keeps the load behind the read.
 * Nor does it count if the peer's process has ended: its number may be another
 * process's, whose memory was read.
 */
static bool
read_from(struct shm *shm, const struct shm_peer *peer,
	  const struct iovec *pieces, size_t count, struct iovec there)
{
	ssize_t got =
		process_vm_readv(peer->process, pieces, count, &there, 1, 0);

	if (got < 0 && (errno == EPERM || errno == ENOSYS))
		shm->unreadable = true;
	atomic_thread_fence(memory_order_acquire);
	return got == (ssize_t)there.iov_len &&
	       !stn_peers_ended(shm->base.peers,
				(uint32_t)(peer - shm->peers)) &&
	       !(atomic_load_explicit(&peer->segment->state,
				      memory_order_relaxed) &
		 SHM_CLOSED);
}

static struct shm_pull *
make_pull(const struct shm_arrival *arrival, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	size_t bytes = count * sizeof(pieces[0]);
	struct shm_pull *pull =
		stn_or_abort(calloc(1, sizeof(*pull) + bytes));

	pull->token = arrival->token;
	pull->done = done;
	pull->arg = arg;
	pull->left = arrival->arrival.message.payload_bytes;
	pull->there = (struct iovec){ (void *)(uintptr_t)arrival->address,
				      pull->left };
	stn_append(pull->pieces, pieces, bytes);
	pull->walk = (struct stn_pieces_walk){ pull->pieces, &pull->there, 0,
					       0 };
	return pull;
}

void
shm_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	 const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	const struct shm_arrival *offered = (const struct shm_arrival *)arrival;
	struct shm *shm = shm_of(transport);
	uint32_t from = arrival->message.from;
	struct shm_peer *peer = &shm->peers[from];
	struct iovec there = { (void *)(uintptr_t)offered->address,
			       arrival->message.payload_bytes };
	bool readable = offered->address && !shm->unreadable;
	struct shm_pull *pull;

	if (!peer->open) {
		done(arg, shm->closing ? STN_CANCELLED : STN_LOST);
		return;
	}
	if (readable && there.iov_len <= SHM_SHORT_BYTES && count <= IOV_MAX &&
	    read_from(shm, peer, pieces, count, there)) {
		shm_answer(shm, from, offered->token, false);
		done(arg, STN_OK);
		return;
	}
	pull = make_pull(offered, pieces, count, done, arg);
	shm_began(shm, peer);
	if (readable && there.iov_len > SHM_SHORT_BYTES)
		STAILQ_INSERT_TAIL(&peer->reads, pull, link);
	else
		shm_stream_ask(shm, from, pull);
}

/* Lets the peer stream a payload that can't be read to its end. */
static void
stream_instead(struct shm *shm, uint32_t from)
{
	struct shm_peer *peer = &shm->peers[from];
	struct shm_pull *pull = STAILQ_FIRST(&peer->reads);

	STAILQ_REMOVE_HEAD(&peer->reads, link);
	pull->left = pull->there.iov_len;
	pull->walk = (struct stn_pieces_walk){ .to = pull->pieces };
	shm_stream_ask(shm, from, pull);
}

unsigned
shm_read(struct shm *shm, uint32_t from)
{
	struct shm_peer *peer = &shm->peers[from];
	struct shm_pull *pull = STAILQ_FIRST(&peer->reads);
	struct iovec to, there;
	size_t most;
	char *at_to, *at_there;

	if (!pull)
		return 0;
	most = pull->left < SHM_READ_BYTES ? pull->left : SHM_READ_BYTES;
	to.iov_len = there.iov_len =
		stn_pieces_step(&pull->walk, most, &at_to, &at_there);
	to.iov_base = at_to;
	there.iov_base = at_there;
	if (!read_from(shm, peer, &to, 1, there)) {
		stream_instead(shm, from);
		return 1;
	}
	pull->left -= to.iov_len;
	if (!pull->left) {
		shm_answer(shm, from, pull->token, false);
		shm_pull_end(shm, peer, &peer->reads, STN_OK);
	}
	return (unsigned)(to.iov_len / SHM_PART_MOST + 1);
}
