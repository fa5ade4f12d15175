#include "steal/simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steal/node.h"
#include "transport/links.h"
#include "transport/sim.h"

/* A node's. */
struct life {
	stn_join_part *part;
	void *arg;
	struct stn_joined joined;
	int status;
};

static void
live(void *arg)
{
	struct life *life = arg;

	if (life->part(life->arg, &life->joined, &life->status))
		_Exit(EXIT_FAILURE); /* the user has been told */
}

/* What there is of the run, for who watches or interrupts it. */
struct crowd {
	uint32_t count;
	struct stn_node **nodes; /* NULL: hasn't begun, or has ended */
};

static uint64_t
executed(const void *arg)
{
	const struct crowd *crowd = arg;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < crowd->count; i++) {
		const struct stn_node *node = crowd->nodes[i];

		if (node)
			sum += node->workers[0].stats.executed_here +
			       node->workers[0].stats.executed_elsewhere;
	}
	return sum;
}

static struct stn_sim *
create(const struct stn_config *config, struct stn_topology *topology,
       const struct crowd *crowd)
{
	struct stn_sim_model model = {
		.topology = topology,
		.lan = config->lan,
		.overhead_ns = config->overhead_ns,
		.stack_bytes = config->stack_bytes & ~4095ull,
		.tasks = executed,
		.arg = crowd,
	};

	stn_links_fill(topology, &config->lan);
	topology->queues = calloc(1, stn_topology_queue_bytes(topology));
	return topology->queues ? stn_sim_create(&model) : NULL;
}

static enum stn_err
start(struct stn_sim *sim, const struct crowd *crowd, const struct life *all,
      struct life *lives)
{
	enum stn_err err = STN_OK;

	for (uint32_t i = 0; !err && i < crowd->count; i++) {
		lives[i] = *all;
		lives[i].joined.rank = i;
		lives[i].joined.place = &crowd->nodes[i];
		err = stn_sim_start(sim, i, live, &lives[i]);
	}
	return err;
}

/* By a signal: ends the process, with all that the nodes have. */
static _Noreturn void
end_interrupted(const struct stn_sim *sim, const struct stn_why *why)
{
	fprintf(stderr, "sateen: %s\n", why->text);
	fflush(NULL);
	_Exit(128 + stn_sim_account(sim).signal);
}

static void
tell(const struct stn_sim *sim, const struct stn_config *config)
{
	struct stn_sim_account account = stn_sim_account(sim);
	double seconds = (double)account.took_ns * 1e-9;

	fprintf(stderr,
		"sateen: simulated %" PRIu64 " nodes for %.6f s in %.2f s: "
		"%" PRIu64 " messages, %" PRIu64 " events, %.2f million a "
		"second\n",
		config->nodes, (double)account.now_ns * 1e-9, seconds,
		account.messages, account.events,
		(double)account.events / seconds * 1e-6);
}

enum stn_err
stn_simulate(struct stn_config *config, struct stn_topology *topology,
	     stn_join_part *part, void *arg, int *status_p, struct stn_why *why)
{
	uint32_t nodes = topology->nodes;
	struct crowd crowd = { nodes, calloc(nodes, sizeof(crowd.nodes[0])) };
	struct stn_sim *sim = create(config, topology, &crowd);
	struct life *lives = calloc(nodes, sizeof(lives[0]));
	struct life all = {
		.part = part,
		.arg = arg,
		.joined = { .config = config, .topology = topology },
	};
	enum stn_err err = STN_NO_MEMORY;

	config->workers = 1;
	strcpy(config->pin, "no");
	if (sim && lives && crowd.nodes) {
		all.joined.wireup = stn_sim_wireup(sim);
		all.joined.sim = sim;
		err = start(sim, &crowd, &all, lives);
	}
	if (err) {
		err = stn_because(why, err,
				  "no memory for %" PRIu32 " nodes; lower "
				  "--nodes, --stack or --slots",
				  nodes);
	} else {
		err = stn_sim_run(sim, why);
		*status_p = lives[0].status;
		fflush(stdout);
		if (err == STN_CANCELLED)
			stn_report_broken(crowd.nodes, nodes);
		tell(sim, config);
	}
	if (err == STN_CANCELLED)
		end_interrupted(sim, why);
	free(lives);
	free(crowd.nodes);
	stn_sim_destroy(sim);
	free(topology->queues);
	return err;
}
