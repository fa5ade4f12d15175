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

/* The number of living nodes of a cluster, without this node. */
static uint32_t
others_in(const struct stn_snapshot *snapshot, uint32_t cluster)
{
	const struct stn_members *members = snapshot->members;
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);

	return stn_members_in(members, cluster) -
	       (cluster == mine && stn_members_has(members, snapshot->rank));
}

/* The living node of the cluster with this number, without this node. */
static uint32_t
other_at(const struct stn_snapshot *snapshot, uint32_t cluster, uint32_t number)
{
	const struct stn_members *members = snapshot->members;
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);

	if (cluster == mine && stn_members_has(members, snapshot->rank))
		number += number >= stn_members_number(members, snapshot->rank);
	return stn_members_at(members, cluster, number);
}

uint32_t
stn_choose_living(const struct stn_snapshot *snapshot, uint32_t except)
{
	uint32_t clusters = snapshot->topology->clusters;
	uint32_t all = 0, number, cluster = 0;

	for (uint32_t i = 0; i < clusters; i++)
		all += i == except ? 0 : others_in(snapshot, i);
	number = stn_random_below(snapshot->random, all);
	for (;; cluster++) {
		uint32_t count =
			cluster == except ? 0 : others_in(snapshot, cluster);

		if (number < count)
			return other_at(snapshot, cluster, number);
		number -= count;
	}
}

uint32_t
stn_choose_other(const struct stn_snapshot *snapshot)
{
	for (int i = 0; i < STN_DRAWS; i++) {
		uint32_t choice = stn_random_below(
			snapshot->random, snapshot->topology->nodes - 1);

		choice += choice >= snapshot->rank;
		if (stn_members_has(snapshot->members, choice))
			return choice;
	}
	return stn_choose_living(snapshot, STN_NOBODY);
}

uint32_t
stn_choose_member(const struct stn_snapshot *snapshot, uint32_t cluster)
{
	const struct stn_topology *topology = snapshot->topology;
	uint32_t size = stn_cluster_size(topology, cluster);
	uint32_t number = stn_cluster_number(topology, snapshot->rank);
	bool mine = stn_cluster_of(topology, snapshot->rank) == cluster;

	for (int i = 0; i < STN_DRAWS; i++) {
		uint32_t choice =
			stn_random_below(snapshot->random, size - mine);

		choice += mine && choice >= number;
		choice = stn_cluster_rank(topology, cluster, choice);
		if (stn_members_has(snapshot->members, choice))
			return choice;
	}
	return other_at(snapshot, cluster,
			stn_random_below(snapshot->random,
					 others_in(snapshot, cluster)));
}

uint32_t
stn_choose_cluster(const struct stn_snapshot *snapshot)
{
	const struct stn_members *members = snapshot->members;
	uint32_t mine = stn_cluster_of(snapshot->topology, snapshot->rank);
	uint32_t others = members->clusters - !!stn_members_in(members, mine);
	uint32_t number, cluster;

	for (int i = 0; i < STN_DRAWS; i++) {
		cluster = stn_random_below(snapshot->random,
					   snapshot->topology->clusters - 1);
		cluster += cluster >= mine;
		if (stn_members_in(members, cluster))
			return cluster;
	}
	number = stn_random_below(snapshot->random, others);
	for (cluster = 0;; cluster++)
		if (cluster != mine && stn_members_in(members, cluster) &&
		    !number--)
			return cluster;
}

uint32_t
stn_choose_remote(const struct stn_snapshot *snapshot)
{
	return stn_choose_member(snapshot, stn_choose_cluster(snapshot));
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
