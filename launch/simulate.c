#include "launch/simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/config_check.h"
#include "launch/end.h"
#include "launch/plan/survival.h"
#include "launch/services.h"
#include "launch/settings.h"
#include "launch/simulate_membership.h"
#include "node/node.h"
#include "steal/steal.h"
#include "emul/links.h"
#include "emul/sim_run.h"
#include "emul/speeds.h"
#include "launch/simulate_events.h"
#include "launch/wireup/wireup_sim.h"
#include "transport/transport.h"

/* One node of the simulation. */
struct life {
	stn_join_part *part;
	void *arg;
	struct stn_joined joined;
	int status;
};

/* Ends the process with all its nodes. */
static _Noreturn void
simulate_end(int status)
{
	fflush(NULL);
	stn_end_process(status);
}

static void
simulate_fail(const char *text)
{
	stn_sim_hide();
	fprintf(stderr, "sateen: %s\n", text);
	simulate_end(EXIT_FAILURE);
}

static void
simulate_live(void *arg)
{
	struct life *life = arg;

	if (life->part(life->arg, &life->joined, &life->status))
		simulate_end(EXIT_FAILURE); /* the node has told the user */
}

/* All nodes of the run, to count their tasks or to show their statistics. */
struct crowd {
	uint32_t count;
	struct stn_node **nodes; /* NULL: has not begun, or has ended */
};

static uint64_t
executed(const void *arg)
{
	const struct crowd *crowd = arg;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < crowd->count; i++) {
		const struct stn_node *node = crowd->nodes[i];

		if (node)
			sum += stn_steal_executed(node);
	}
	return sum;
}

static bool
has_events(const struct stn_config *config)
{
	return strcmp(stn_config_events(config), "none") != 0;
}

/*
 * Nodes that die, leave or join do so at the same moment for all others: such
 * runs have one thread.
 */
static uint32_t
count_threads(const struct stn_config *config)
{
	return has_events(config) ? 1 : (uint32_t)config->threads;
}

static struct stn_sim *
simulate_create(const struct stn_config *config, struct stn_topology *topology,
		const struct crowd *crowd)
{
	struct stn_sim_model model = {
		.topology = topology,
		.lan = config->lan,
		.overhead_ns = config->overhead_ns,
		.stack_bytes = config->stack_bytes & ~4095ull,
		.room_bytes = stn_deque_bytes(config->slots) +
			      stn_span_bytes(config, true),
		.fail = simulate_fail,
		.threads = count_threads(config),
		.tasks = executed,
		.arg = crowd,
	};

	stn_links_fill(topology, &config->lan);
	topology->queues = calloc(1, stn_topology_queue_bytes(topology));
	return topology->queues ? stn_sim_create(&model) : NULL;
}

/* Starts all nodes but those that join later. */
static enum stn_err
simulate_start(struct stn_sim *sim, const struct crowd *crowd,
	       const struct life *all, struct life *lives)
{
	enum stn_err err = STN_OK;

	for (uint32_t i = 0; !err && i < crowd->count; i++) {
		lives[i] = *all;
		lives[i].joined.rank = i;
		lives[i].joined.sim = stn_sim_of(sim, i);
		lives[i].joined.wireup =
			stn_wireup_sim_of(all->joined.wireup, i);
		lives[i].joined.nodes = crowd->nodes;
		if (stn_topology_reserved(all->joined.topology, i))
			stn_wireup_sim_absent(all->joined.wireup, i);
		else
			err = stn_sim_start(sim, i, simulate_live, &lives[i]);
	}
	return err;
}

/* Shows what the nodes have done so far. */
static void
show_interrupted(const struct crowd *crowd)
{
	for (size_t i = 0; stn_services[i]; i++)
		if (stn_services[i]->interrupted)
			stn_services[i]->interrupted(crowd->nodes,
						     crowd->count);
}

/* A simulation with all that belongs to it. */
struct simulation {
	struct crowd crowd;
	struct stn_sim *sim;
	struct stn_wireup *wireup;
	struct stn_simulate_events *events;
	struct stn_simulate_membership membership;
	struct stn_simulate_output output;
	struct stn_speeds speeds;
	struct life *lives;
};

static void
simulate_tell(const struct simulation *simulation,
	      const struct stn_config *config)
{
	struct stn_sim_account account = stn_sim_account(simulation->sim);
	uint64_t passed = stn_wireup_sim_passed(simulation->wireup);
	double seconds = (double)account.took_ns * 1e-9;

	fprintf(stderr,
		"sateen: simulated %" PRIu64 " nodes for %.6f s in %.2f s: "
		"%" PRIu64 " messages, %" PRIu64 " events, %.2f million a "
		"second\n",
		config->nodes,
		(double)(passed ? passed : account.now_ns) * 1e-9, seconds,
		account.messages, account.events,
		(double)account.events / seconds * 1e-6);
}

/*
 * Frees the nodes that were killed, or that wait forever. None of them runs:
 * the functions called here don't wait.
 */
static void
bury(const struct crowd *crowd)
{
	for (uint32_t i = 0; i < crowd->count; i++) {
		struct stn_node *node = crowd->nodes[i];

		if (!node)
			continue;
		stn_transport_close(node->transport, 0);
		stn_node_destroy(node);
	}
}

static void
simulate_start_joiner(void *arg, uint32_t rank)
{
	struct simulation *simulation = arg;

	if (stn_sim_start(simulation->sim, rank, simulate_live,
			  &simulation->lives[rank]))
		simulate_fail("no memory for a node that joins");
}

static enum stn_err
no_memory_for(uint32_t nodes, struct stn_why *why)
{
	return stn_because(why, STN_NO_MEMORY,
			   "no memory for %" PRIu32 " nodes; lower --nodes, "
			   "--stack or --slots",
			   nodes);
}

/* The speeds of all nodes: those of --speed, changed by --speeds. */
static enum stn_err
make_speeds(const struct stn_config *config,
	    const struct stn_topology *topology, struct stn_speeds *speeds,
	    struct stn_why *why)
{
	if (stn_speeds_init(speeds, topology->nodes))
		return no_memory_for(topology->nodes, why);
	for (uint32_t i = 0; i < topology->nodes; i++)
		stn_speeds_begin(
			speeds, i,
			stn_config_speed(config, stn_cluster_of(topology, i)));
	return stn_speeds_read(config->speeds, speeds, why);
}

/* @all  what all nodes of the run have in common */
static enum stn_err
simulate_prepare(struct simulation *simulation, const struct stn_config *config,
		 struct stn_topology *topology, struct life *all,
		 struct stn_why *why)
{
	uint32_t nodes = topology->nodes;
	struct crowd *crowd = &simulation->crowd;
	struct stn_simulate_run run = { config, topology, NULL, NULL,
					simulate_fail };
	enum stn_err err =
		make_speeds(config, topology, &simulation->speeds, why);

	if (err)
		return err;
	crowd->count = nodes;
	crowd->nodes = calloc(nodes, sizeof(crowd->nodes[0]));
	simulation->lives = calloc(nodes, sizeof(simulation->lives[0]));
	if (!crowd->nodes || !simulation->lives)
		return no_memory_for(nodes, why);
	run.sim = simulation->sim = simulate_create(config, topology, crowd);
	if (!run.sim)
		return no_memory_for(nodes, why);
	run.wireup = simulation->wireup =
		stn_wireup_sim(run.sim, nodes, simulate_fail);
	if (!run.wireup)
		return no_memory_for(nodes, why);
	err = stn_simulate_events_create(&run, &simulation->events, why);
	if (!err && stn_survival_wanted(config))
		err = stn_simulate_events_reserve(simulation->events, topology,
						  why);
	if (!err &&
	    stn_simulate_membership_init(&simulation->membership, &run,
					 crowd->nodes, simulation->events,
					 simulate_start_joiner, simulation))
		return no_memory_for(nodes, why);
	if (err)
		return err;
	simulation->membership.output = &simulation->output;
	if (stn_survival_wanted(config) && has_events(config) &&
	    stn_simulate_output_open(&simulation->output, simulation->sim))
		return no_memory_for(nodes, why);
	all->joined.wireup = run.wireup;
	all->joined.sim = run.sim;
	all->joined.speeds = &simulation->speeds;
	err = simulate_start(run.sim, crowd, all, simulation->lives);
	return err ? no_memory_for(nodes, why) : STN_OK;
}

static void
simulate_fini(struct simulation *simulation)
{
	stn_simulate_output_fini(&simulation->output);
	stn_simulate_events_destroy(simulation->events);
	if (simulation->membership.nodes)
		stn_simulate_membership_fini(&simulation->membership);
	free(simulation->lives);
	free(simulation->crowd.nodes);
	stn_wireup_destroy(simulation->wireup);
	stn_sim_destroy(simulation->sim);
	stn_speeds_fini(&simulation->speeds);
}

/* The lowest rank that lives, which has run main last; or STN_NOBODY. */
static uint32_t
simulate_root(const struct simulation *simulation)
{
	const struct stn_members *members =
		&simulation->membership.sequencer.members;

	for (uint32_t i = 0; i < simulation->crowd.count; i++)
		if (stn_members_has(members, i) &&
		    !stn_simulate_events_died(simulation->events, i))
			return i;
	return STN_NOBODY;
}

/* Runs the simulation, and tells the user about it. */
static enum stn_err
simulate_run(const struct simulation *simulation,
	     const struct stn_config *config, int *status_p,
	     struct stn_why *why)
{
	enum stn_err err = stn_sim_run(simulation->sim, why);
	uint32_t root = simulate_root(simulation);
	bool survives = stn_survival_wanted(config);

	fflush(stdout);
	if (err == STN_CANCELLED)
		show_interrupted(&simulation->crowd);
	simulate_tell(simulation, config);
	if (err == STN_CANCELLED) {
		fprintf(stderr, "sateen: %s\n", why->text);
		simulate_end(128 + stn_sim_account(simulation->sim).signal);
	}
	bury(&simulation->crowd);
	if (!err && survives && root == STN_NOBODY)
		return stn_because(why, STN_LOST, "all nodes have died");
	if (!err && !survives && root)
		return stn_because(why, STN_LOST,
				   "node 0 died before it ended, so that this "
				   "run has no exit status");
	*status_p = root == STN_NOBODY ? EXIT_FAILURE
				       : simulation->lives[root].status;
	return err;
}

enum stn_err
stn_simulate(struct stn_config *config, struct stn_topology *topology,
	     stn_join_part *part, void *arg, int *status_p, struct stn_why *why)
{
	struct simulation simulation = { .sim = NULL };
	struct life all = {
		.part = part,
		.arg = arg,
		.joined = { .config = config, .topology = topology },
	};
	enum stn_err err;

	config->workers = 1;
	strcpy(config->pin, "no");
	err = simulate_prepare(&simulation, config, topology, &all, why);
	if (!err)
		err = simulate_run(&simulation, config, status_p, why);
	simulate_fini(&simulation);
	free(topology->queues);
	return err;
}
