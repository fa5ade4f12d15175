#include "transport/queues.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "transport/identity.h"
#include "transport/ops.h"

/* What a node shows: where its queues are, if they are to be used. */
struct offer {
	unsigned char identity[STN_IDENTITY_BYTES];
	uint64_t begin_ns;
	uint32_t process;
	int32_t fd;
};

/* Can we map what that node has? Also our own. */
static bool
of_this_host(const struct offer *mine, const struct offer *theirs)
{
	int pidfd;

	switch (stn_identity_meet(mine->identity, theirs->identity, &pidfd)) {
	case STN_SELF:
		return true;
	case STN_NEIGHBOUR:
		close(pidfd);
		return true;
	default:
		return false;
	}
}

/* Everybody makes them, as nobody knows yet who is the lowest of its host. */
static enum stn_err
make_offer(struct offer *offer, size_t bytes, struct stn_why *why)
{
	memset(offer, 0, sizeof(*offer));
	stn_identity_write(offer->identity);
	offer->begin_ns = stn_machine_now(NULL);
	offer->process = (uint32_t)getpid();
	offer->fd = memfd_create("sateen-links", MFD_CLOEXEC);
	if (offer->fd >= 0 && !ftruncate(offer->fd, (off_t)bytes))
		return STN_OK;
	return stn_because(why, STN_IO, "can't make the links' state: %s",
			   strerror(errno));
}

static enum stn_err
map(const struct offer *offer, struct stn_topology *topology,
    struct stn_why *why)
{
	size_t bytes = stn_topology_queue_bytes(topology);
	void *memory = MAP_FAILED;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%" PRId32,
		 offer->process, offer->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			      fd, 0);
		close(fd);
	}
	if (memory == MAP_FAILED)
		return stn_because(why, STN_IO,
				   "can't map the links' state, %s: %s", path,
				   strerror(errno));
	topology->queues = memory;
	topology->begin_ns = offer->begin_ns;
	return STN_OK;
}

/* The lowest rank of this host; and the host's share of our links. */
static enum stn_err
choose(const struct stn_card *cards, uint32_t rank, const struct offer *mine,
       struct stn_topology *topology, struct offer *lowest, struct stn_why *why)
{
	uint32_t cluster = stn_cluster_of(topology, rank);
	bool found = false;

	topology->share = 0;
	topology->shares = stn_cluster_size(topology, cluster);
	for (uint32_t i = 0; i < topology->nodes; i++) {
		struct offer theirs;

		if (cards[i].size != sizeof(theirs))
			return stn_because(why, STN_MALFORMED,
					   "node %" PRIu32 " is of another "
					   "version of Sateen; rebuild it",
					   i);
		memcpy(&theirs, cards[i].bytes, sizeof(theirs));
		if (i != rank && !of_this_host(mine, &theirs))
			continue;
		if (!found)
			*lowest = theirs;
		found = true;
		topology->share += stn_cluster_of(topology, i) == cluster;
	}
	return STN_OK;
}

enum stn_err
stn_queues_share(struct stn_wireup *wireup, uint32_t rank,
		 struct stn_topology *topology, struct stn_why *why)
{
	struct stn_card *cards = calloc(topology->nodes, sizeof(cards[0]));
	struct offer mine, lowest;
	enum stn_err err;

	if (!cards)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = make_offer(&mine, stn_topology_queue_bytes(topology), why);
	if (!err)
		err = stn_wireup_exchange(wireup, rank, &mine, sizeof(mine),
					  cards, why);
	if (!err)
		err = choose(cards, rank, &mine, topology, &lowest, why);
	if (!err)
		err = map(&lowest, topology, why);
	/* Others may still come for the lowest's, whenever they get to it. */
	if (!err && memcmp(&lowest, &mine, sizeof(mine)))
		close(mine.fd);
	free(cards);
	return err;
}
