/*
 * balance_world.h: a balancer without a node: a test makes its snapshot, calls
 * it, and looks at its moves. No time passes and nothing is sent.
 */
#ifndef TESTS_STEAL_BALANCE_WORLD_H
#define TESTS_STEAL_BALANCE_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "launch/settings.h"
#include "node/setting.h"
#include "steal/balancers.h"

#define MOST_NODES 64

struct world {
	const struct stn_balancer *balancer;
	struct stn_config config;
	struct stn_topology topology;
	struct stn_members members; /* all live */
	uint32_t in_cluster[MOST_NODES];
	uint64_t gone[MOST_NODES / 64 + 1], leaving[MOST_NODES / 64 + 1];
	struct stn_random random;
	struct stn_snapshot snapshot;
	struct stn_parked parked[MOST_NODES];
	struct stn_moves moves; /* of the last call */
	uint64_t state[256];
};

static inline void
init(struct world *world, const char *name, uint32_t nodes, uint32_t clusters,
     uint32_t rank)
{
	memset(world, 0, sizeof(*world));
	world->balancer = stn_balancer_find(name);
	stn_config_defaults(&world->config);
	world->topology.nodes = nodes;
	world->topology.clusters = clusters;
	stn_random_seed(&world->random, 42, rank);
	if (world->balancer->settings)
		world->snapshot.settings = stn_config_own(
			&world->config, world->balancer->settings);
	world->members = (struct stn_members){
		.topology = &world->topology,
		.living = nodes,
		.clusters = clusters,
		.in_cluster = world->in_cluster,
		.gone = world->gone,
		.absent = world->gone,
		.leaving = world->leaving,
	};
	for (uint32_t i = 0; i < clusters; i++)
		world->in_cluster[i] = stn_cluster_size(&world->topology, i);
	world->snapshot.topology = &world->topology;
	world->snapshot.members = &world->members;
	world->snapshot.parked = world->parked;
	world->snapshot.rank = rank;
	world->snapshot.random = &world->random;
}

/* Sets one of the balancer's settings. */
static inline void
set(struct world *world, const char *option, const char *value)
{
	char *words[] = { (char *)option, (char *)value, NULL };
	int next;

	if (stn_config_options(&world->config, 2, words, &next, NULL))
		abort();
}

/* A worker of this node is idle; returns how many nodes the balancer asks. */
static inline unsigned
idle(struct world *world)
{
	world->moves = stn_moves_none();
	world->snapshot.idle = true;
	world->balancer->idle(world->state, &world->snapshot, &world->moves);
	return world->moves.ask_count;
}

static inline bool
refuse(struct world *world, const struct stn_ask *ask)
{
	return world->balancer->refused(world->state, &world->snapshot, ask,
					false);
}

static inline bool
grant(struct world *world, const struct stn_ask *ask)
{
	return world->balancer->granted(world->state, &world->snapshot, ask);
}

/* Lets the balancer search on; returns how many nodes it asks. */
static inline unsigned
search_on(struct world *world)
{
	world->moves = stn_moves_none();
	world->balancer->idle(world->state, &world->snapshot, &world->moves);
	return world->moves.ask_count;
}

/* The one node that the balancer asks and waits for; else STN_NOBODY. */
static inline uint32_t
asked(const struct world *world)
{
	return world->moves.ask_count == 1 && !world->moves.asks[0].asynchronous
		       ? world->moves.asks[0].victim
		       : STN_NOBODY;
}

static inline void
tick(struct world *world, uint32_t load)
{
	world->moves = stn_moves_none();
	world->snapshot.load = load;
	world->balancer->tick(world->state, &world->snapshot, &world->moves);
}

static inline bool
tell(struct world *world, uint32_t from, uint32_t load)
{
	world->moves = stn_moves_none();
	return world->balancer->told(world->state, &world->snapshot, from, load,
				     &world->moves);
}

#endif
