/*
 * bare_shm.c: memory that both nodes map. The smallest messages use a cell,
 * whose data lies next to the counter that announces it. Larger messages use a
 * ring of slots: the receiver copies slots out while the sender copies more in.
 *
 * The path "cache lines" is the shortest round trip: only cells, and only whole
 * lines are copied, whose number is known to the compiler. One line has room
 * for the counter and LINE_BYTES of data, and two adjacent ones for TWO_BYTES.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/fabric/bare.h"

#define CELL_BYTES 256
#define LINE_BYTES 56
#define TWO_BYTES 120
#define SLOT_BYTES 16384
#define SLOTS 32

/* One message. A node writes the next one only after the other has answered. */
struct cell {
	_Alignas(128) _Atomic uint64_t turn; /* number of messages sent */
	char data[CELL_BYTES];
};

/* At position p of the ring, turn is p while free, and p + 1 while full. */
struct slot {
	_Alignas(128) _Atomic uint64_t turn;
	_Alignas(64) char data[SLOT_BYTES];
};

/* One direction, from one node to the other. */
struct lane {
	struct cell cell;
	struct slot slots[SLOTS];
};

struct shm_address {
	uint64_t process, fd;
};

struct shm {
	struct path base;
	int fd;
	struct lane *lanes;	 /* both directions; by the sender's rank */
	uint64_t cells, answers; /* messages sent and received by cell */
	uint64_t put, got;	 /* next positions in the rings */
};

static struct shm *
shm_of(struct path *path)
{
	return (struct shm *)path;
}

static void
shm_close(struct path *path)
{
	struct shm *shm = shm_of(path);

	if (shm->lanes)
		munmap(shm->lanes, 2 * sizeof(struct lane));
	if (shm->fd >= 0)
		close(shm->fd);
}

static bool
map(struct shm *shm, int fd)
{
	void *memory =
		mmap(NULL, 2 * sizeof(struct lane), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_POPULATE, fd, 0);

	if (memory == MAP_FAILED)
		return false;
	shm->lanes = memory;
	return true;
}

static bool
make_lanes(struct shm *shm)
{
	shm->fd = memfd_create("sateen-bench", MFD_CLOEXEC);
	if (shm->fd < 0 || ftruncate(shm->fd, 2 * sizeof(struct lane)) ||
	    !map(shm, shm->fd))
		return false;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned j = 0; j < SLOTS; j++)
			shm->lanes[i].slots[j].turn = j;
	return true;
}

static enum stn_err
shm_open_path(struct path *path, const struct path_opening *opening,
	      struct stn_why *why)
{
	struct shm *shm = shm_of(path);

	shm->fd = -1;
	if (!opening->rank && !make_lanes(shm))
		return stn_because(why, STN_IO, "can't make shared memory");
	return STN_OK;
}

static size_t
shm_address(struct path *path, unsigned char address[PATH_ADDRESS_BYTES])
{
	const struct shm_address mine = { (uint64_t)getpid(),
					  (uint64_t)shm_of(path)->fd };

	memcpy(address, &mine, sizeof(mine));
	return sizeof(mine);
}

/* Node 1 maps node 0's memfd through /proc, so no file is left behind. */
static enum stn_err
shm_connect(struct path *path, const unsigned char *address, size_t bytes,
	    struct stn_why *why)
{
	struct shm *shm = shm_of(path);
	struct shm_address theirs;
	char name[64];

	if (!path->rank)
		return STN_OK;
	memcpy(&theirs, address, bytes);
	snprintf(name, sizeof(name), "/proc/%llu/fd/%llu",
		 (unsigned long long)theirs.process,
		 (unsigned long long)theirs.fd);
	shm->fd = open(name, O_RDWR | O_CLOEXEC);
	if (shm->fd < 0 || !map(shm, shm->fd))
		return stn_because(why, STN_IO,
				   "node 0's memory can't be mapped; are both "
				   "nodes on one host?");
	return STN_OK;
}

static struct lane *
lane_out(struct path *path)
{
	return &shm_of(path)->lanes[path->rank];
}

static struct lane *
lane_in(struct path *path)
{
	return &shm_of(path)->lanes[!path->rank];
}

static void
await(struct path *path, _Atomic uint64_t *word, uint64_t value)
{
	/* Pairs with the releases in announce_cell, put_slot and get_slot. */
	while (atomic_load_explicit(word, memory_order_acquire) != value)
		path_spin(path);
	path_advance(path);
}

/* Announces the data in this node's cell. */
static void
announce_cell(struct path *path)
{
	/* Pairs with the acquire in await, called by await_cell. */
	atomic_store_explicit(&lane_out(path)->cell.turn,
			      ++shm_of(path)->cells, memory_order_release);
}

/* Waits for the next data in the other node's cell. Returns their address. */
static const char *
await_cell(struct path *path)
{
	struct cell *cell = &lane_in(path)->cell;

	await(path, &cell->turn, ++shm_of(path)->answers);
	return cell->data;
}

static void
put_cell(struct path *path, size_t bytes)
{
	memcpy(lane_out(path)->cell.data, path->out, bytes);
	announce_cell(path);
}

static void
get_cell(struct path *path, size_t bytes)
{
	memcpy(path->in, await_cell(path), bytes);
}

static void
copy_lines(char *to, const char *from, size_t bytes)
{
	if (bytes <= LINE_BYTES)
		memcpy(to, from, LINE_BYTES);
	else
		memcpy(to, from, TWO_BYTES);
}

static void
put_lines(struct path *path, size_t bytes)
{
	copy_lines(lane_out(path)->cell.data, path->out, bytes);
	announce_cell(path);
}

static void
get_lines(struct path *path, size_t bytes)
{
	copy_lines(path->in, await_cell(path), bytes);
}

static void
put_slot(struct path *path, size_t offset, size_t bytes)
{
	uint64_t at = shm_of(path)->put++;
	struct slot *slot = &lane_out(path)->slots[at % SLOTS];

	await(path, &slot->turn, at);
	memcpy(slot->data, path->out + offset, bytes);
	/* Pairs with the acquire in await, called by get_slot. */
	atomic_store_explicit(&slot->turn, at + 1, memory_order_release);
}

static void
get_slot(struct path *path, size_t offset, size_t bytes)
{
	uint64_t at = shm_of(path)->got++;
	struct slot *slot = &lane_in(path)->slots[at % SLOTS];

	await(path, &slot->turn, at + 1);
	memcpy(path->in + offset, slot->data, bytes);
	/* Pairs with the acquire in await, called by put_slot. */
	atomic_store_explicit(&slot->turn, at + SLOTS, memory_order_release);
}

/* Calls @move for each slot's worth of a message. */
static void
each_slot(struct path *path, size_t bytes,
	  void (*move)(struct path *path, size_t offset, size_t bytes))
{
	for (size_t at = 0; at < bytes; at += SLOT_BYTES)
		move(path, at,
		     bytes - at < SLOT_BYTES ? bytes - at : SLOT_BYTES);
}

static void
shm_ping(struct path *path, size_t bytes)
{
	if (bytes <= CELL_BYTES) {
		put_cell(path, bytes);
		get_cell(path, bytes);
	} else {
		each_slot(path, bytes, put_slot);
		each_slot(path, bytes, get_slot);
	}
}

static void
shm_pong(struct path *path, size_t bytes)
{
	if (bytes <= CELL_BYTES) {
		get_cell(path, bytes);
		put_cell(path, bytes);
	} else {
		each_slot(path, bytes, get_slot);
		each_slot(path, bytes, put_slot);
	}
}

static void
lines_ping(struct path *path, size_t bytes)
{
	put_lines(path, bytes);
	get_lines(path, bytes);
}

static void
lines_pong(struct path *path, size_t bytes)
{
	get_lines(path, bytes);
	put_lines(path, bytes);
}

static void
shm_stream(struct path *path, size_t bytes, size_t count)
{
	while (count--)
		each_slot(path, bytes, put_slot);
	each_slot(path, 1, get_slot);
}

static void
shm_drain(struct path *path, size_t bytes, size_t count)
{
	while (count--)
		each_slot(path, bytes, get_slot);
	each_slot(path, 1, put_slot);
}

const struct path_ops bare_shm = {
	.name = "shared memory",
	.messages = true,
	.payloads = true,
	.bytes = sizeof(struct shm),
	.open = shm_open_path,
	.close = shm_close,
	.address = shm_address,
	.address_bytes = sizeof(struct shm_address),
	.connect = shm_connect,
	.ping = shm_ping,
	.pong = shm_pong,
	.stream = shm_stream,
	.drain = shm_drain,
};

const struct path_ops bare_lines = {
	.name = "cache lines",
	.messages = true,
	.longest = TWO_BYTES,
	.bytes = sizeof(struct shm),
	.open = shm_open_path,
	.close = shm_close,
	.address = shm_address,
	.address_bytes = sizeof(struct shm_address),
	.connect = shm_connect,
	.ping = lines_ping,
	.pong = lines_pong,
};
