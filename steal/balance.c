#include "steal/balance.h"

#include <assert.h>

struct stn_moves
stn_moves_none(void)
{
	return (struct stn_moves){ .push_to = STN_NOBODY, .tell = STN_NOBODY };
}

void
stn_moves_ask(struct stn_moves *moves, uint32_t victim, bool asynchronous)
{
	assert(moves->ask_count < STN_ASKS);
	moves->asks[moves->ask_count++] =
		(struct stn_ask){ .victim = victim,
				  .asynchronous = asynchronous };
}

uint32_t
stn_choose_other(const struct stn_snapshot *snapshot)
{
	uint32_t choice;

	do {
		choice = stn_random_below(snapshot->random,
					  snapshot->topology->nodes - 1);
		choice += choice >= snapshot->rank;
	} while (!stn_members_has(snapshot->members, choice));
	return choice;
}

uint32_t
stn_choose_member(const struct stn_snapshot *snapshot, uint32_t cluster)
{
	const struct stn_topology *topology = snapshot->topology;
	uint32_t size = stn_cluster_size(topology, cluster), choice;
	uint32_t number = stn_cluster_number(topology, snapshot->rank);
	bool mine = stn_cluster_of(topology, snapshot->rank) == cluster;

	do {
		choice = stn_random_below(snapshot->random, size - mine);
		choice += mine && choice >= number;
		choice = stn_cluster_rank(topology, cluster, choice);
	} while (!stn_members_has(snapshot->members, choice));
	return choice;
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
	} while (!stn_members_in(snapshot->members, cluster));
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
