#include "steal/balance.h"

struct stn_moves
stn_moves_none(void)
{
	return (struct stn_moves){ .push_to = STN_NOBODY, .tell = STN_NOBODY };
}

void
stn_moves_ask(struct stn_moves *moves, uint32_t victim, bool asynchronous)
{
	moves->asks[moves->ask_count++] =
		(struct stn_ask){ .victim = victim,
				  .asynchronous = asynchronous };
}

/* A random living node of the @size nodes from @first on, except this node. */
static uint32_t
balance_choose(const struct stn_snapshot *snapshot, uint32_t first,
	       uint32_t size)
{
	bool mine = snapshot->rank >= first && snapshot->rank < first + size;
	uint32_t choice;

	do {
		choice =
			first + stn_random_below(snapshot->random, size - mine);
		choice += mine && choice >= snapshot->rank;
	} while (!stn_members_has(snapshot->members, choice));
	return choice;
}

uint32_t
stn_choose_other(const struct stn_snapshot *snapshot)
{
	return balance_choose(snapshot, 0, snapshot->topology->nodes);
}

uint32_t
stn_choose_member(const struct stn_snapshot *snapshot, uint32_t cluster)
{
	return balance_choose(snapshot,
			      stn_cluster_first(snapshot->topology, cluster),
			      stn_cluster_size(snapshot->topology, cluster));
}

uint32_t
stn_choose_remote(const struct stn_snapshot *snapshot)
{
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);
	uint32_t cluster;

	do {
		cluster = stn_random_below(snapshot->random,
					   snapshot->topology->clusters - 1);
		cluster += cluster >= mine;
	} while (!snapshot->members->in_cluster[cluster]);
	return stn_choose_member(snapshot, cluster);
}

bool
stn_granted_here(void *state, const struct stn_snapshot *snapshot,
		 const struct stn_ask *ask)
{
	(void)state;
	(void)snapshot;
	(void)ask;
	return true;
}

bool
stn_refused_in_vain(void *state, const struct stn_snapshot *snapshot,
		    const struct stn_ask *ask, bool cancelled)
{
	(void)state;
	(void)snapshot;
	(void)ask;
	(void)cancelled;
	return false;
}
