/*
 * sim_create.c: makes and destroys a simulation: its shares of the clusters,
 * and the nodes with their stacks.
 */
#include "emul/sim_private.h"

#include <stdlib.h>

#include "emul/sim_end.h"
#include "emul/sim_stacks.h"

static void
sim_node_main(void *arg)
{
	struct sim_node *node = arg;
	struct stn_sim *sim;

	node->sim->current = node;
	node->main(node->main_arg);
	sim = node->sim; /* read now, so that it took no stack */
	node->ended = true;
	sim->alive--;
	sim->ended_ns = sim->now;
	sim->current = NULL;
	stn_fiber_leave(&node->fiber, &sim->scheduler);
}

enum stn_err
stn_sim_start(struct stn_sim *sim, uint32_t rank, stn_sim_main *main, void *arg)
{
	struct sim_node *node = &sim->nodes[rank];
	enum stn_err err = sim_stack_begin(sim, rank, sim_node_main);

	if (err)
		return err;
	sim = node->sim;
	node->main = main;
	node->main_arg = arg;
	node->run = sim_add(sim, sim->now, rank, SIM_RUN, NULL);
	sim->alive++;
	return STN_OK;
}

/* A link that is "none" is as slow as the network inside a cluster. */
static uint64_t
lesser_latency(const struct stn_sim_model *model, const struct stn_link *link,
	       uint64_t least)
{
	uint64_t latency =
		stn_link_none(link) ? model->lan.latency_ns : link->latency_ns;

	return latency < least ? latency : least;
}

/*
 * The least latency between two clusters, at any time; 0 if there is one
 * cluster. The links are filled (stn_links_fill): a link that is "none" is so
 * at all times.
 */
static uint64_t
find_lookahead(const struct stn_sim_model *model)
{
	const struct stn_topology *topology = model->topology;
	uint32_t clusters = topology->clusters;
	size_t pairs = (size_t)clusters * clusters;
	uint64_t least = UINT64_MAX;

	if (clusters == 1)
		return 0;
	if (!topology->links)
		return lesser_latency(model, &topology->wan, least);
	for (size_t i = 0; i < topology->sections * pairs; i++)
		if (i % pairs % (clusters + 1)) /* not inside a cluster */
			least = lesser_latency(model, &topology->links[i],
					       least);
	return least;
}

static uint32_t
count_shares(const struct stn_sim_model *model, uint64_t lookahead_ns)
{
	uint32_t count = model->threads;

	if (!lookahead_ns || !count)
		return 1;
	if (count > SIM_SHARES)
		count = SIM_SHARES;
	return count < model->topology->clusters ? count
						 : model->topology->clusters;
}

/*
 * Shares of about as many nodes: a cluster is in the share in which its first
 * node would be if shares could divide clusters. So node 0 is in share 0.
 */
static void
share_out(const struct sim_world *world, const struct stn_topology *topology)
{
	uint64_t before = 0;

	for (uint32_t i = 0; i < topology->clusters; i++) {
		uint32_t size = stn_cluster_size(topology, i);
		uint64_t share = before * world->share_count / topology->nodes;

		for (uint32_t j = 0; j < size; j++) {
			struct sim_node *node =
				&world->nodes[stn_cluster_rank(topology, i, j)];

			node->sim = world->shares[share];
			node->cluster = i;
			node->look_ns = STN_FOREVER;
		}
		before += size;
	}
}

/*
 * Messages between shares would carry memory from one pool to another, without
 * limit if more go one way than the other. And in a pool, AddressSanitizer sees
 * no access to a message that is gone.
 */
static bool
scatters(const struct sim_world *world)
{
#if defined(STN_ASAN)
	return world->share_count > 0;
#else
	return world->share_count > 1;
#endif
}

static struct stn_sim *
new_share(const struct stn_sim_model *model, struct sim_world *world,
	  uint32_t number)
{
	struct stn_sim *sim = aligned_alloc(
		SIM_LINE, (sizeof(*sim) + SIM_LINE - 1) & ~(SIM_LINE - 1ul));

	world->shares[number] = sim;
	if (!sim)
		return NULL;
	*sim = (struct stn_sim){ .model = *model,
				 .world = world,
				 .nodes = world->nodes,
				 .count = model->topology->nodes,
				 .number = number,
				 .pool.unused = scatters(world) };
	for (int i = 0; i < 2; i++)
		sim->outboxes[i] =
			calloc(world->share_count, sizeof(sim->outboxes[i][0]));
	return sim->outboxes[0] && sim->outboxes[1] ? sim : NULL;
}

static bool
fill_world(struct sim_world *world, const struct stn_sim_model *model)
{
	if (!sim_stacks_map(world, model))
		return false;
	world->nodes = calloc(model->topology->nodes, sizeof(world->nodes[0]));
	for (uint32_t i = 0; i < world->share_count; i++)
		if (!world->nodes || !new_share(model, world, i))
			return false;
	share_out(world, model->topology);
	return true;
}

static void
free_event(struct stn_sim *sim, const struct stn_event *event)
{
	if (event->what == SIM_CALL)
		free(event->call);
	else if (event->parcel)
		sim_parcel_free(sim, event->parcel);
}

static void
free_outboxes(struct stn_sim *sim, struct stn_event_list *boxes, uint32_t count)
{
	for (uint32_t i = 0; boxes && i < count; i++) {
		for (size_t j = 0; j < boxes[i].count; j++)
			free_event(sim, &boxes[i].events[j]);
		free(boxes[i].events);
	}
	free(boxes);
}

static void
free_share(struct stn_sim *sim)
{
	struct stn_event event;

	if (!sim)
		return;
	while (stn_events_take(&sim->events, &event))
		free_event(sim, &event);
	stn_events_fini(&sim->events);
	for (int i = 0; i < 2; i++)
		free_outboxes(sim, sim->outboxes[i], sim->world->share_count);
	sim_pool_fini(&sim->pool);
	free(sim);
}

static void
free_world(struct sim_world *world)
{
	for (uint32_t i = 0; i < world->share_count; i++)
		free_share(world->shares[i]);
	pthread_barrier_destroy(&world->windows);
	sim_stacks_unmap(world);
	free(world->nodes);
	free(world);
}

struct stn_sim *
stn_sim_create(const struct stn_sim_model *model)
{
	uint64_t lookahead_ns = find_lookahead(model);
	uint32_t shares = count_shares(model, lookahead_ns);
	struct sim_world *world =
		calloc(1, sizeof(*world) + shares * sizeof(world->shares[0]));

	if (!world)
		return NULL;
	world->lookahead_ns = lookahead_ns;
	world->share_count = shares;
	if (pthread_barrier_init(&world->windows, NULL, shares)) {
		free(world);
		return NULL;
	}
	if (!fill_world(world, model)) {
		free_world(world);
		return NULL;
	}
	return world->shares[0];
}

static void
node_fini(struct sim_node *node)
{
	if (node->main && node->ended && !node->killed)
		stn_fiber_end(&node->fiber);
	else if (node->main)
		stn_fiber_abandon(&node->fiber);
	sim_free_dropped(node);
}

void
stn_sim_destroy(struct stn_sim *sim)
{
	if (!sim)
		return;
	for (uint32_t i = 0; i < sim->count; i++)
		node_fini(&sim->nodes[i]);
	free_world(sim->world);
}

struct stn_sim *
stn_sim_of(const struct stn_sim *sim, uint32_t rank)
{
	return sim->nodes[rank].sim;
}

bool
stn_sim_leads(const struct stn_sim *sim, uint32_t rank)
{
	return !rank || sim->nodes[rank - 1].sim != sim->nodes[rank].sim;
}

struct stn_sim_account
stn_sim_account(const struct stn_sim *sim)
{
	const struct sim_world *world = sim->world;
	struct stn_sim_account sum = { .took_ns = world->took_ns,
				       .signal = world->signal };

	for (uint32_t i = 0; i < world->share_count; i++) {
		const struct stn_sim *share = world->shares[i];
		uint64_t now = share->alive ? share->now : share->ended_ns;

		if (now > sum.now_ns)
			sum.now_ns = now;
		sum.events += share->events_run;
		sum.messages += share->messages;
	}
	return sum;
}
