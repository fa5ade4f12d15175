/*
 * balance_world.h: a world for a balancer, in which no time passes and nothing
 * is sent: it is asked, and told what came of it.
 */
#ifndef TESTS_BALANCE_WORLD_H
#define TESTS_BALANCE_WORLD_H

#include <string.h>

#include "steal/balance.h"
#include "steal/config.h"

#define MOST_NODES 64

struct world {
	const struct stn_balancer *balancer;
	struct stn_config config;
	struct stn_topology topology;
	struct stn_random random;
	struct stn_view view;
	struct stn_held held[MOST_NODES];
	struct stn_moves moves; /* those of the last call */
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
	world->view.topology = &world->topology;
	world->view.config = &world->config;
	world->view.held = world->held;
	world->view.rank = rank;
	world->view.random = &world->random;
}

/* A worker of this node is idle; how many the balancer asks. */
static inline unsigned
idle(struct world *world)
{
	world->moves = stn_moves_none();
	world->view.idle = true;
	world->balancer->idle(world->state, &world->view, &world->moves);
	return world->moves.ask_count;
}

static inline bool
refuse(struct world *world, const struct stn_ask *ask)
{
	return world->balancer->refused(world->state, &world->view, ask, false);
}

static inline bool
grant(struct world *world, const struct stn_ask *ask)
{
	return world->balancer->granted(world->state, &world->view, ask);
}

#endif
