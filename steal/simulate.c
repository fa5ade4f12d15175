#include "steal/simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static struct stn_sim *
create(const struct stn_config *config, struct stn_topology *topology)
{
	struct stn_sim_model model = {
		.topology = topology,
		.lan = config->lan,
		.overhead_ns = config->overhead_ns,
		.stack_bytes = config->stack_bytes & ~4095ull,
	};

	stn_links_fill(topology, &config->lan);
	topology->queues = calloc(1, stn_topology_queue_bytes(topology));
	return topology->queues ? stn_sim_create(&model) : NULL;
}

static enum stn_err
start(struct stn_sim *sim, uint32_t nodes, const struct life *all,
      struct life *lives)
{
	enum stn_err err = STN_OK;

	for (uint32_t i = 0; !err && i < nodes; i++) {
		lives[i] = *all;
		lives[i].joined.rank = i;
		err = stn_sim_start(sim, i, live, &lives[i]);
	}
	return err;
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
	struct stn_sim *sim = create(config, topology);
	struct life *lives = calloc(nodes, sizeof(lives[0]));
	struct life all = {
		.part = part,
		.arg = arg,
		.joined = { .config = config, .topology = topology },
	};
	enum stn_err err = STN_NO_MEMORY;

	config->workers = 1;
	strcpy(config->pin, "no");
	if (sim && lives) {
		all.joined.wireup = stn_sim_wireup(sim);
		all.joined.sim = sim;
		err = start(sim, nodes, &all, lives);
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
		tell(sim, config);
	}
	if (err == STN_CANCELLED) {
		fprintf(stderr, "sateen: %s\n", why->text);
		fflush(NULL);
		/* With all that the nodes have. */
		_Exit(128 + stn_sim_account(sim).signal);
	}
	free(lives);
	stn_sim_destroy(sim);
	free(topology->queues);
	return err;
}
