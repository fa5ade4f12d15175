#include "launch/run/launch_late_near.h"

#include <stdlib.h>
#include <string.h>

#include "launch/config_check.h"
#include "launch/run/launch_late_private.h"
#include "launch/survey/fabrics_card.h"

/*
 * The round of cards that show addresses (see launch/plan): hosts that join a
 * run make its nodes have this round.
 */
#define ADDRESS_ROUND 1

/*
 * Nodes without --ports listen on ports that the kernel chooses. This is the
 * last one that Linux chooses by default, so firewalls between the hosts do not
 * drop connections to it. Mostly no process listens there; a refusal shows how
 * far the host is, too.
 */
#define ANY_PORT 60999

/* The first nodes; the arrays have an element for each. */
struct first_nodes {
	uint32_t count;
	struct stn_addresses *addresses;
	const struct stn_addresses **all; /* point into @addresses */
	uint32_t *hosts;
	const char **names; /* of the hosts */
	uint8_t *chosen;    /* the address that others reach, an index */
};

static enum stn_err
late_read_addresses(const struct launch *launch, struct first_nodes *nodes)
{
	const struct stn_bytes *round = &launch->late->rounds[ADDRESS_ROUND];
	const struct stn_wireup_frame frame = {
		{ STN_WIREUP_CARDS, 0, (uint32_t)stn_bytes_count(round) },
		stn_bytes_front(round)
	};
	struct stn_card *cards = calloc(nodes->count, sizeof(cards[0]));
	enum stn_err err =
		cards ? stn_wireup_frame_cards(&frame, cards, nodes->count)
		      : STN_NO_MEMORY;
	struct stn_fabrics fabrics;
	struct stn_why why;

	for (uint32_t i = 0; !err && i < nodes->count; i++) {
		err = stn_fabrics_read(&cards[i], i, &fabrics, &why);
		nodes->addresses[i] = fabrics.addresses;
		nodes->all[i] = &nodes->addresses[i];
	}
	free(cards);
	return err;
}

/* The host is the one of the agent that has the node. */
static void
find_hosts(const struct launch *launch, struct first_nodes *nodes)
{
	const struct stn_agents *agents = &launch->agents;

	for (uint32_t i = 0; i < nodes->count; i++) {
		nodes->names[i] = stn_agents_host(agents, i);
		while (nodes->hosts[i] < agents->count &&
		       i - agents->list[nodes->hosts[i]].first >=
			       agents->list[nodes->hosts[i]].count)
			nodes->hosts[i]++;
	}
}

/* Chooses addresses by which hosts reach each other, as the plan does. */
static enum stn_err
choose_addresses(const struct launch *launch, struct first_nodes *nodes)
{
	enum stn_err err = STN_NO_MEMORY;
	struct stn_why why;

	nodes->addresses = calloc(nodes->count, sizeof(nodes->addresses[0]));
	nodes->all = calloc(nodes->count, sizeof(nodes->all[0]));
	nodes->hosts = calloc(nodes->count, sizeof(nodes->hosts[0]));
	nodes->names = calloc(nodes->count, sizeof(nodes->names[0]));
	nodes->chosen = calloc(nodes->count, sizeof(nodes->chosen[0]));
	if (!nodes->addresses || !nodes->all || !nodes->hosts ||
	    !nodes->names || !nodes->chosen)
		return STN_NO_MEMORY;
	err = late_read_addresses(launch, nodes);
	if (err)
		return err;
	find_hosts(launch, nodes);
	return stn_addresses_choose(nodes->all, nodes->count, nodes->hosts,
				    nodes->names, nodes->chosen, &why);
}

static void
first_nodes_fini(struct first_nodes *nodes)
{
	free(nodes->chosen);
	free(nodes->names);
	free(nodes->hosts);
	free(nodes->all);
	free(nodes->addresses);
}

static struct stn_host_port
target_of(const struct stn_address *address, uint16_t port)
{
	struct stn_host_port target = { .port = port };

	if (address->family == 6) {
		memcpy(&target.address, address->bytes, 16);
		return target;
	}
	memset(target.address.s6_addr + 10, 0xff, 2);
	memcpy(target.address.s6_addr + 12, address->bytes, 4);
	return target;
}

/* One node of each cluster that lives; a cluster without one has no port. */
static bool
find_targets(const struct launch *launch, struct stn_host_port *targets)
{
	struct first_nodes nodes = { .count = launch->late->first };
	enum stn_err err = choose_addresses(launch, &nodes);
	uint16_t first = 0, last = 0;

	if (!err &&
	    (!stn_config_ports(&launch->config, &first, &last) || !first))
		last = ANY_PORT;
	for (uint32_t i = nodes.count; !err && i-- > 0;)
		if (stn_members_has(&launch->sequencer.members, i))
			targets[stn_cluster_of(&launch->topology, i)] =
				target_of(&nodes.all[i]->at[nodes.chosen[i]],
					  last);
	first_nodes_fini(&nodes);
	return !err;
}

void
late_measure(struct launch *launch)
{
	const struct stn_agents *agents = &launch->agents;
	uint32_t count = launch->topology.clusters;
	struct stn_host_port *targets;

	/* Emulated links hide how far the hosts are. */
	if (count < 2 || stn_topology_slow(&launch->topology) ||
	    launch->late->round_count <= ADDRESS_ROUND)
		return;
	targets = calloc(count, sizeof(targets[0]));
	if (targets && find_targets(launch, targets))
		for (uint32_t i = 0; i < agents->count; i++)
			if (agents->list[i].late && !agents->list[i].count &&
			    agents->list[i].orders >= 0 &&
			    launch->hosts.list[i].cluster == STN_NOBODY &&
			    !stn_agents_probe(&launch->agents, i, targets,
					      count))
				break;
	free(targets);
}
