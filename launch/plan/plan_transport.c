/*
 * plan_transport.c: chooses the transport. Nodes of one host use shared memory;
 * nodes of several hosts use the best fabric that all hosts have. Where
 * gateways join clusters, each cluster plans for itself, and the transport
 * `far` leads to the other clusters.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/plan/plan_private.h"
#include "launch/survey/fabrics_card.h"
#include "transport/transport.h"

#define GATEWAY "STN_GATEWAY" /* set by a gateway for its nodes */

/* Has the user named the transport or the provider? */
static bool
transport_is_given(const struct stn_config *config)
{
	return !plan_is_auto(config->transport) ||
	       !plan_is_auto(config->provider);
}

/* The cluster of the node with card @number. */
static uint32_t
cluster_of(const struct plan_run *run, uint32_t number)
{
	return stn_cluster_of(run->topology,
			      stn_wireup_rank(run->wireup, number));
}

static struct plan_members
find_members(const struct plan_run *run)
{
	const char *gateway = getenv(GATEWAY);
	uint32_t cluster = cluster_of(run, run->rank);
	struct plan_members members = { .count = run->nodes };
	uint32_t last = 0;

	members.far = gateway && *gateway && run->topology->clusters > 1;
	if (members.far) {
		members.count = 0;
		for (uint32_t i = run->nodes; i-- > 0;) {
			if (cluster_of(run, i) != cluster)
				continue;
			members.first = i;
			members.count++;
		}
	}
	members.isolated = run->isolated;
	members.self = run->rank - members.first;
	members.host = run->hosts + members.first;
	members.given = transport_is_given(run->config);
	members.open = getenv(STN_PLAN_OPEN);
	/*
	 * Hosts are numbered in order of their first nodes, so a number above
	 * the last one is a new host.
	 */
	for (uint32_t i = 0; i < members.count; i++)
		if (!i || members.host[i] > last) {
			members.hosts++;
			last = members.host[i];
		}
	return members;
}

static enum stn_err
discover_addresses(const struct stn_config *config,
		   struct stn_addresses *addresses, struct stn_why *why)
{
	const struct stn_address_filter filter = { config->interface,
						   config->address };

	return stn_addresses_discover(&filter, addresses, why);
}

static void
discover_fabrics(const struct plan_run *run, const struct stn_plan *plan,
		 const struct stn_addresses *addresses,
		 struct stn_fabrics *fabrics)
{
	const struct stn_config *config = run->config;
	const struct stn_local_nodes local_nodes = { plan->cores,
						     plan->local_nodes,
						     plan->local_rank };
	const struct stn_fabric_filter filter = { config->transport,
						  config->provider,
						  config->device, run->nodes };

	stn_fabrics_discover("", &local_nodes, &filter, addresses, fabrics);
}

/* Shows this host's fabrics and addresses; reads those of all members. */
static enum stn_err
exchange_fabrics(struct plan_run *run, const struct stn_plan *plan,
		 struct plan_members *members, struct stn_why *why)
{
	static const struct stn_address_filter loopback = { NULL,
							    STN_LOCALHOST };
	struct stn_addresses addresses;
	struct stn_fabrics mine;
	unsigned char *card;
	enum stn_err err;
	size_t size;

	err = discover_addresses(run->config, &addresses, why);
	if (!err && !addresses.count && members->hosts == 1)
		err = stn_addresses_discover(&loopback, &addresses, why);
	if (err)
		return err;
	discover_fabrics(run, plan, &addresses, &mine);
	card = stn_fabrics_write(&mine, &size);
	if (!card)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = stn_wireup_exchange(run->wireup, run->rank, card, size,
				  run->cards, why);
	free(card);
	for (uint32_t i = 0; i < members->count && !err; i++)
		err = stn_fabrics_read(&run->cards[members->first + i],
				       members->first + i, &members->fabrics[i],
				       why);
	return err;
}

/* "shm+X" asks for shared memory inside hosts, as --near yes does. */
static void
strip_near(struct stn_config *config)
{
	static const char near[] = "shm+";
	size_t length = strlen(near);

	if (strncmp(config->transport, near, length) != 0)
		return;
	memmove(config->transport, config->transport + length,
		strlen(config->transport + length) + 1);
	plan_set(config->near, "yes");
}

/*
 * Sets the transport to a list such as "shm+verbs+far" without the parts that
 * lead to no node. Nodes of other clusters look in this node's address for the
 * routes that they share with it. Only a list has an address with routes, so
 * shm is also named where `far` would stand alone.
 */
static enum stn_err
name_routes(struct stn_config *config, const struct plan_members *members,
	    const char *between, struct stn_why *why)
{
	bool pairs = members->count > members->hosts && members->hosts > 1;
	bool wanted = plan_is_auto(config->near)
			      ? pairs || members->isolated || members->open
			      : !strcmp(config->near, "yes");
	bool near = stn_transport_known("shm") && (wanted || !between);
	char name[STN_TEXT_BYTES] = "";
	const char *parts[] = { near ? "shm" : NULL, between,
				members->far ? "far" : NULL };

	if (between && !strcmp(between, "shm"))
		return stn_because(why, STN_INVALID,
				   "transport shm serves one host, and there "
				   "are %" PRIu32 "; leave --transport out",
				   members->hosts);
	for (size_t i = 0; i < 3; i++) {
		size_t length = strlen(name);

		if (parts[i])
			snprintf(name + length, sizeof(name) - length, "%s%s",
				 length ? "+" : "", parts[i]);
	}
	plan_set(config->transport, name);
	return STN_OK;
}

/* Writes the message that stn_plan_print prints. */
static void
describe_plan(const struct plan_run *run, const struct plan_members *members,
	      const struct plan_choice *choice, struct stn_plan *plan)
{
	bool near = members->count > members->hosts &&
		    !strncmp(run->config->transport, "shm+", 4);
	FILE *out;

	if (members->self || members->hosts == 1)
		return;
	out = fmemopen(plan->text, sizeof(plan->text), "w");
	if (!out)
		return;
	fprintf(out, "%" PRIu32 " nodes on %" PRIu32 " hosts: %s",
		members->count, members->hosts, near ? "shm inside, " : "");
	plan_print_choice(out, members, choice);
	fclose(out);
}

/*
 * The transport for nodes of one host, if the user named another than shm.
 * NULL: shm.
 */
static const char *
single_host_transport(const struct stn_config *config)
{
	bool given =
		transport_is_given(config) || !plan_is_auto(config->device);

	return given && strcmp(config->transport, "shm") ? config->transport
							 : NULL;
}

static enum stn_err
plan_hosts(struct plan_run *run, struct stn_plan *plan,
	   struct plan_members *members, struct stn_why *why)
{
	bool one = members->hosts == 1 && !members->isolated && !members->open;
	struct plan_choice choice = { .fabric = STN_FABRICS };
	char between[STN_TEXT_BYTES];
	enum stn_err err = exchange_fabrics(run, plan, members, why);

	if (!err && (!one || single_host_transport(run->config)))
		err = plan_fabric(run->config, members, &choice, why);
	if (!err && (!one || plan_uses_device(&choice)))
		err = plan_address(run->config, members, &choice, why);
	if (err)
		return err;
	plan_set(between, run->config->transport);
	err = name_routes(run->config, members,
			  one ? single_host_transport(run->config) : between,
			  why);
	if (!err)
		describe_plan(run, members, &choice, plan);
	return err;
}

/*
 * Sets the address to one of this host's, preferably IPv4. The user has named
 * an interface or a network.
 */
static void
set_own_address(struct stn_config *config,
		const struct stn_addresses *addresses)
{
	size_t best = 0;

	while (best < addresses->count - 1 && addresses->at[best].family != 4)
		best++;
	stn_address_print(&addresses->at[best], config->address);
}

/* Chooses this node's device on a single host. */
static enum stn_err
plan_device(struct plan_run *run, const struct stn_plan *plan,
	    const struct stn_addresses *addresses, struct stn_why *why)
{
	struct stn_fabrics mine;
	const char *name = run->surveys[run->rank].host;
	uint32_t host = 0;
	uint8_t which;
	struct plan_members alone = {
		.count = 1,
		.hosts = 1,
		.given = transport_is_given(run->config),
		.host = &host,
		.fabrics = &mine,
		.names = &name,
		.address_index = &which,
	};
	struct plan_choice choice;
	enum stn_err err;

	discover_fabrics(run, plan, addresses, &mine);
	err = plan_fabric(run->config, &alone, &choice, why);
	if (!err && plan_uses_device(&choice))
		err = plan_address(run->config, &alone, &choice, why);
	return err;
}

static enum stn_err
plan_host(struct plan_run *run, const struct stn_plan *plan,
	  struct stn_why *why)
{
	struct stn_config *config = run->config;
	bool named = !plan_is_auto(config->interface) ||
		     strchr(config->address, '/');
	char between[STN_TEXT_BYTES];
	struct stn_addresses addresses;
	enum stn_err err;

	if (!named && !single_host_transport(config))
		return STN_OK;
	err = discover_addresses(config, &addresses, why);
	/* Errors in an address are reported by the transport. */
	if (err && named)
		return err;
	if (named)
		set_own_address(config, &addresses);
	if (!single_host_transport(config))
		return STN_OK;
	err = plan_device(run, plan, &addresses, why);
	plan_set(between, config->transport);
	if (!strcmp(config->near, "yes"))
		snprintf(config->transport, STN_TEXT_BYTES, "shm+%.32s",
			 between);
	return err;
}

enum stn_err
plan_transport(struct plan_run *run, struct stn_plan *plan, struct stn_why *why)
{
	enum stn_err err = STN_OK;
	struct plan_members members;
	uint32_t count;

	if (!strcmp(run->config->transport, "far"))
		return STN_OK; /* the user wants gateways only */
	strip_near(run->config);
	if (plan_is_auto(run->config->transport) &&
	    transport_is_given(run->config))
		plan_set(run->config->transport, "ofi");
	members = find_members(run);
	count = members.count;
	if (plan->hosts == 1 && !members.far && !members.open &&
	    (!members.isolated || !strcmp(run->config->transport, "shm")))
		return plan_host(run, plan, why);
	members.fabrics = calloc(count, sizeof(members.fabrics[0]));
	members.names = calloc(count, sizeof(members.names[0]));
	members.address_index = calloc(count, sizeof(members.address_index[0]));
	if (!members.fabrics || !members.names || !members.address_index)
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	for (uint32_t i = 0; i < count && !err; i++)
		members.names[i] = run->surveys[members.first + i].host;
	if (!err)
		err = plan_hosts(run, plan, &members, why);
	free(members.address_index);
	free(members.names);
	free(members.fabrics);
	return err;
}
