#include "launch/link_queues.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch/join.h"
#include "transport/clock.h"
#include "transport/identity.h"
#include "transport/units.h"

/* A node's card: the memory that it created for link queues. */
struct queue_card {
	unsigned char identity[STN_IDENTITY_BYTES];
	uint32_t process;
	int32_t fd;
};

/* Can this node map the memory of that node? True for its own, too. */
static bool
is_on_this_host(const struct queue_card *mine, const struct queue_card *theirs)
{
	int pidfd;

	switch (stn_identity_resolve(mine->identity, theirs->identity,
				     &pidfd)) {
	case STN_PROCESS_SELF:
		return true;
	case STN_PROCESS_LOCAL:
		close(pidfd);
		return true;
	case STN_PROCESS_UNSEEN:
		return true; /* queues_map fails, and names the shortage */
	default:
		return false;
	}
}

/*
 * Every node creates the memory, since no node knows yet which is the lowest
 * rank of its host. The topology's begin_ns follows the queues.
 */
static enum stn_err
create_queues(struct queue_card *card, size_t bytes, struct stn_why *why)
{
	uint64_t begin_ns = stn_machine_now(NULL);

	memset(card, 0, sizeof(*card));
	stn_identity_write(card->identity);
	card->process = (uint32_t)getpid();
	card->fd = memfd_create("sateen-links", MFD_CLOEXEC);
	if (card->fd >= 0 && pwrite(card->fd, &begin_ns, sizeof(begin_ns),
				    (off_t)bytes) == sizeof(begin_ns))
		return STN_OK;
	return stn_because(why, STN_IO,
			   "can't make the memory of the emulated links: %s",
			   strerror(errno));
}

static enum stn_err
queues_map_fd(int fd, struct stn_topology *topology)
{
	size_t bytes = stn_topology_queue_bytes(topology);
	void *memory;

	if (pread(fd, &topology->begin_ns, sizeof(topology->begin_ns),
		  (off_t)bytes) != sizeof(topology->begin_ns))
		return STN_IO;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return STN_IO;
	topology->queues = memory;
	return STN_OK;
}

/*
 * Maps the memory of @card, and gives @own, the descriptor on this node's card,
 * to it: a node that joins after the lowest rank has died finds the memory by
 * the card of another node.
 */
static enum stn_err
queues_map(const struct queue_card *card, int own,
	   struct stn_topology *topology, struct stn_why *why)
{
	enum stn_err err = STN_IO;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%" PRId32,
		 card->process, card->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && dup3(fd, own, O_CLOEXEC) == own)
		err = queues_map_fd(fd, topology);
	if (err)
		err = stn_because(
			why, err,
			"can't map the memory of the emulated links, %s: %s",
			path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

/*
 * Finds the lowest rank of this host, and this host's part of the links'
 * bandwidth. Nodes that join later do not change the parts of others.
 */
static enum stn_err
queues_choose(const struct stn_card *cards, uint32_t count, uint32_t self,
	      uint32_t rank, struct stn_topology *topology,
	      struct queue_card *lowest, struct stn_why *why)
{
	uint32_t cluster = stn_cluster_of(topology, rank);
	struct queue_card mine;
	bool found = false;

	memcpy(&mine, cards[self].bytes, sizeof(mine));
	*lowest = mine;
	topology->share = topology->shares = 0;
	for (uint32_t i = 0; i < count; i++) {
		bool here = i == self || stn_cluster_of(topology, i) == cluster;
		struct queue_card theirs;

		if (cards[i].size != sizeof(theirs))
			return stn_because(why, STN_MALFORMED,
					   "node %" PRIu32
					   " was built with another "
					   "version of Sateen; rebuild it",
					   i);
		memcpy(&theirs, cards[i].bytes, sizeof(theirs));
		topology->shares += here;
		if (i != self && !is_on_this_host(&mine, &theirs))
			continue;
		if (!found)
			*lowest = theirs;
		found = true;
		topology->share += here;
	}
	return STN_OK;
}

enum stn_err
stn_link_queues_map(struct stn_wireup *wireup, uint32_t rank,
		    struct stn_topology *topology, struct stn_why *why)
{
	uint32_t count = stn_wireup_nodes(wireup);
	struct stn_card *cards = calloc(count, sizeof(cards[0]));
	struct queue_card mine, lowest;
	enum stn_err err;

	if (!cards)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = create_queues(&mine, stn_topology_queue_bytes(topology), why);
	if (!err)
		err = stn_wireup_exchange(wireup, rank, &mine, sizeof(mine),
					  cards, why);
	if (!err)
		err = queues_choose(cards, count,
				    stn_wireup_number(wireup, rank), rank,
				    topology, &lowest, why);
	if (!err)
		err = queues_map(&lowest, mine.fd, topology, why);
	free(cards);
	return err;
}

enum stn_err
stn_link_queues_inherit(struct stn_topology *topology, struct stn_why *why)
{
	const char *begin = getenv(STN_JOIN_BEGIN);
	const char *text = getenv(STN_JOIN_LINKS);
	uint64_t fd;
	void *memory;

	if (!text || stn_parse_count(text, 0, INT32_MAX, &fd) || !begin ||
	    stn_parse_count(begin, 0, INT64_MAX, &topology->begin_ns))
		return stn_because(why, STN_INVALID,
				   "%s or %s is not what a launcher sets",
				   STN_JOIN_LINKS, STN_JOIN_BEGIN);
	memory = mmap(NULL, stn_topology_queue_bytes(topology),
		      PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	close((int)fd);
	if (memory == MAP_FAILED)
		return stn_because(why, STN_IO, "can't map the links' state");
	topology->queues = memory;
	return STN_OK;
}
