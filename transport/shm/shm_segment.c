/*
 * shm_segment.c: the memory of endpoints. A segment is a memfd. It has no name,
 * so it vanishes however its process ends. It is sealed against shrinking, so
 * that a peer can't cause a bus error in its readers. The kernel allocates its
 * pages when they are first touched. A sender allocates those of its ring
 * beforehand, because memory may run out later.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/shm/shm.h"

#define MAGIC 0x6d68736e7473ull /* "stnshm" */
#define VERSION 2
#define RING SHM_RING_BYTES

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14 */
#endif

_Static_assert(sizeof(struct shm_address) <=
		       STN_ADDRESS_BYTES - STN_IDENTITY_BYTES,
	       "the identity goes before it");

/* The size of a segment without its rings, in whole pages. */
static size_t
segment_bytes(uint32_t nodes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes =
		sizeof(struct shm_segment) + nodes * sizeof(struct shm_lane);

	return (bytes + page - 1) / page * page;
}

static void *
shm_map(int fd, void *at, size_t bytes, size_t offset)
{
	void *memory = mmap(at, bytes, PROT_READ | PROT_WRITE,
			    at ? MAP_SHARED | MAP_FIXED : MAP_SHARED, fd,
			    (off_t)offset);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Maps the ring of node @rank twice in a row. */
static unsigned char *
map_ring(int fd, uint32_t nodes, uint32_t rank)
{
	size_t offset = segment_bytes(nodes) + rank * RING;
	unsigned char *bytes = mmap(NULL, 2 * RING, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED)
		return NULL;
	if (shm_map(fd, bytes, RING, offset) &&
	    shm_map(fd, bytes + RING, RING, offset))
		return bytes;
	munmap(bytes, 2 * RING);
	return NULL;
}

static void
unmap_ring(unsigned char *bytes)
{
	if (bytes)
		munmap(bytes, 2 * RING);
}

static enum stn_err
shm_failed(struct stn_why *why, const char *what)
{
	const char *hint = errno == EFBIG ? "raise `ulimit -f`"
					  : "are memory, open files or maps "
					    "limited?";

	return stn_because(why, STN_IO, "shared memory: %s: %s; %s", what,
			   strerror(errno), hint);
}

static enum stn_err
make_memory(struct shm *shm, struct stn_why *why)
{
	uint32_t nodes = shm->base.nodes;
	size_t first = segment_bytes(nodes);

	shm->memory = memfd_create("sateen", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (shm->memory < 0)
		return shm_failed(why, "memfd_create");
	if (ftruncate(shm->memory, (off_t)(first + nodes * RING)) ||
	    fallocate(shm->memory, 0, 0, (off_t)first))
		return shm_failed(why, "no room for a segment");
	if (fcntl(shm->memory, F_ADD_SEALS,
		  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return shm_failed(why, "sealing");
	shm->segment = shm_map(shm->memory, NULL, first, 0);
	return shm->segment ? STN_OK : shm_failed(why, "mmap");
}

static enum stn_err
map_rings(struct shm *shm, struct stn_why *why)
{
	uint32_t nodes = shm->base.nodes;

	for (uint32_t i = 0; i < nodes; i++) {
		unsigned char *bytes = map_ring(shm->memory, nodes, i);

		if (!bytes)
			return shm_failed(why, "mapping rings");
		shm_consumer_init(&shm->peers[i].in, bytes,
				  &shm->segment->lanes[i].tail);
	}
	return STN_OK;
}

enum stn_err
shm_segment_make(struct shm *shm, struct stn_why *why)
{
	enum stn_err err = make_memory(shm, why);
	int pipe_ends[2];

	if (!err)
		err = map_rings(shm, why);
	if (err)
		return err;
	if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK))
		return shm_failed(why, "no pipe for a doorbell");
	shm->bell = pipe_ends[0];
	shm->ringer = pipe_ends[1];
	shm->segment->magic = MAGIC;
	shm->segment->version = VERSION;
	shm->segment->nodes = shm->base.nodes;
	shm->segment->ring_bytes = RING;
	if (getrandom(shm->segment->token, sizeof(shm->segment->token), 0) < 0)
		return shm_failed(why, "getrandom");
	return STN_OK;
}

static void
shm_close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void
shm_segment_free(struct shm *shm)
{
	uint32_t nodes = shm->base.nodes;

	for (uint32_t i = 0; i < nodes; i++) {
		shm_segment_drop(shm, i);
		unmap_ring(shm->peers[i].in.bytes);
	}
	if (shm->segment)
		munmap(shm->segment, segment_bytes(nodes));
	shm_close_fd(shm->ringer);
	shm_close_fd(shm->bell);
	shm_close_fd(shm->memory);
}

size_t
shm_address(struct stn_transport *transport,
	    unsigned char address[STN_ADDRESS_BYTES])
{
	struct shm *shm = shm_of(transport);
	struct shm_address mine = {
		.magic = MAGIC,
		.process = getpid(),
		.memory = shm->memory,
		.bell = shm->bell,
		.nodes = shm->base.nodes,
	};

	memcpy(mine.token, shm->segment->token, sizeof(mine.token));
	stn_identity_write(mine.identity);
	memcpy(address, &mine, sizeof(mine));
	return sizeof(mine);
}

/*
 * Opens a descriptor of another process. It must have this type: the process
 * may have closed the descriptor and reused its number.
 */
static int
open_peer_fd(int32_t process, int32_t number, mode_t type)
{
	struct stat status;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", process, number);
	if (stat(path, &status))
		return -1;
	errno = ENOENT;
	if ((status.st_mode & S_IFMT) != type)
		return -1;
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 &&
	    (fstat(fd, &status) || (status.st_mode & S_IFMT) != type)) {
		close(fd);
		errno = ENOENT;
		fd = -1;
	}
	return fd;
}

/* Is this a complete segment, with the token of the address? */
static bool
is_segment(int fd, const struct shm_segment *segment, uint32_t nodes,
	   const struct shm_address *address)
{
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && seals & F_SEAL_SHRINK && !fstat(fd, &status) &&
	       (size_t)status.st_size == segment_bytes(nodes) + nodes * RING &&
	       segment->magic == MAGIC && segment->version == VERSION &&
	       segment->nodes == nodes && segment->ring_bytes == RING &&
	       !memcmp(segment->token, address->token, sizeof(address->token));
}

/* Maps the peer's segment, and this node's ring in it. */
static bool
map_peer(struct shm *shm, struct shm_peer *peer, int fd,
	 const struct shm_address *address)
{
	uint32_t nodes = shm->base.nodes;
	size_t bytes = segment_bytes(nodes);
	struct shm_segment *segment;
	unsigned char *ring;
	struct stat status;

	/* Reading behind the end of the file would be a bus error. */
	errno = ENOENT;
	if (fstat(fd, &status) || (size_t)status.st_size < bytes)
		return false;
	segment = shm_map(fd, NULL, bytes, 0);
	if (!segment)
		return false;
	errno = ENOENT;
	if (!is_segment(fd, segment, nodes, address))
		goto unmap;
	ring = map_ring(fd, nodes, shm->base.opening.rank);
	if (!ring)
		goto unmap;
	peer->segment = segment;
	shm_producer_init(&peer->out, ring,
			  &segment->lanes[shm->base.opening.rank].tail);
	return true;
unmap:
	munmap(segment, bytes);
	return false;
}

static bool
open_peer(struct shm *shm, struct shm_peer *peer,
	  const struct shm_address *address)
{
	int fd = open_peer_fd(address->process, address->memory, S_IFREG);
	bool found;

	if (fd < 0)
		return false;
	found = map_peer(shm, peer, fd, address);
	close(fd);
	if (!found)
		return false;
	peer->bell = open_peer_fd(address->process, address->bell, S_IFIFO);
	return peer->bell >= 0;
}

static bool
is_same(const struct shm_peer *peer, const struct shm_address *address)
{
	return !memcmp(peer->segment->token, address->token,
		       sizeof(address->token));
}

/*
 * If this process lacks descriptors or memory, the peer may still be able to
 * open this node's memory. So this is another error than one that both have.
 */
static enum stn_err
cant_open(uint32_t rank, int32_t process, int err, struct stn_why *why)
{
	const char *hint = "";

	if (err == EPERM || err == EACCES)
		hint = "; do both run as the same user?";
	else if (err == EMFILE)
		hint = "; raise `ulimit -n`";
	return stn_because(why, stn_is_shortage(err) ? STN_NO_MEMORY : STN_IO,
			   "can't open the memory of node %u, process %d: %s%s",
			   rank, process, strerror(err), hint);
}

/*
 * If the peer's process has ended, connect succeeds, and the first send fails.
 */
static enum stn_err
connect_new(struct shm *shm, uint32_t rank, const struct shm_address *address,
	    struct stn_why *why)
{
	struct shm_peer *peer = &shm->peers[rank];
	int err;

	peer->process = address->process;
	peer->open = open_peer(shm, peer, address);
	if (peer->open)
		return STN_OK;
	err = errno;
	shm_segment_drop(shm, rank);
	if (err == ENOENT || err == ESRCH || err == ENXIO)
		return STN_OK;
	return cant_open(rank, address->process, err, why);
}

/* A process id is valid only in the same host and process namespace. */
static enum stn_err
connect_neighbour(struct shm *shm, uint32_t rank,
		  const struct shm_address *address, struct stn_why *why)
{
	enum stn_err err = STN_OK;
	int watched = -1;

	switch (stn_identity_resolve(shm->base.identity, address->identity,
				     &watched)) {
	case STN_PROCESS_SELF:
	case STN_PROCESS_LOCAL:
		err = connect_new(shm, rank, address, why);
		/* Its descriptors may have been another process's. */
		if (!err && stn_process_ended(watched))
			shm_segment_drop(shm, rank);
		break;
	case STN_PROCESS_ENDED:
		break;
	case STN_PROCESS_UNSEEN:
		err = cant_open(rank, address->process, errno, why);
		break;
	case STN_PROCESS_REMOTE:
		err = stn_because(why, STN_INVALID,
				  "the shm transport can't reach node %u: it "
				  "is on another host, or in another "
				  "container, or the system call pidfd_open is "
				  "missing here (Linux 5.3, or a container's "
				  "filter)",
				  rank);
	}
	shm_close_fd(watched);
	return err;
}

enum stn_err
shm_connect(struct stn_transport *transport, uint32_t rank,
	    const unsigned char *address, size_t bytes, struct stn_why *why)
{
	struct shm *shm = shm_of(transport);
	struct shm_address theirs;

	memcpy(&theirs, address, bytes);
	if (theirs.magic != MAGIC || theirs.process <= 0)
		return stn_because(why, STN_INVALID,
				   "node %u's address is none of the shm "
				   "transport; use one transport on all nodes",
				   rank);
	if (theirs.nodes != shm->base.nodes)
		return stn_because(why, STN_INVALID,
				   "node %u is one of %u nodes, not of %u; is "
				   "it of another run?",
				   rank, theirs.nodes, shm->base.nodes);
	if (!shm->peers[rank].segment)
		return connect_neighbour(shm, rank, &theirs, why);
	if (is_same(&shm->peers[rank], &theirs))
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "node %u has another address already", rank);
}

bool
shm_segment_join(struct shm *shm, uint32_t to, const char **how_p)
{
	struct shm_peer *peer = &shm->peers[to];
	struct shm_segment *segment = peer->segment;
	struct shm_lane *lane = &segment->lanes[shm->base.opening.rank];

	/* Kernels before 5.14 don't know this advice, and return EINVAL. */
	if (madvise(peer->out.bytes, 2 * RING, MADV_POPULATE_WRITE) &&
	    errno != EINVAL) {
		*how_p = STN_PEERS_NO_MEMORY;
		return false;
	}
	if (atomic_exchange_explicit(&lane->joined, 1, memory_order_release)) {
		*how_p = "somebody else sends to it as this node";
		return false;
	}
	atomic_fetch_add_explicit(&segment->joined, 1, memory_order_release);
	peer->joined = true;
	return true;
}

void
shm_segment_drop(struct shm *shm, uint32_t rank)
{
	struct shm_peer *peer = &shm->peers[rank];

	peer->open = false;
	unmap_ring(peer->out.bytes);
	peer->out.bytes = NULL;
	if (peer->segment)
		munmap(peer->segment, segment_bytes(shm->base.nodes));
	peer->segment = NULL;
	shm_close_fd(peer->bell);
	peer->bell = -1;
}

void
shm_segment_punch(struct shm *shm, uint32_t rank)
{
	size_t first = segment_bytes(shm->base.nodes);

	if (fallocate(shm->memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)(first + rank * RING), (off_t)RING))
		/* The memory stays until the endpoint closes. */
		return;
}
