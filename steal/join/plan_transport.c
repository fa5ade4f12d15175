/*
 * plan_transport.c: by which transport the nodes of a run meet. Those of one
 * host, by shared memory; of several, by the best fabric that all hosts have.
 * Where gateways join clusters, each cluster plans for itself, and `far` leads
 * to the others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steal/join/plan_fabric.h"
#include "steal/join/plan_run.h"
#include "transport/transport.h"

#define GATEWAY "STN_GATEWAY" /* transport/wan/door.h says what it holds */

bool
plan_auto(const char *setting)
{
	return !strcmp(setting, "auto");
}

void
plan_set(char setting[STN_TEXT_BYTES], const char *value)
{
	snprintf(setting, STN_TEXT_BYTES, "%.*s", STN_TEXT_BYTES - 1, value);
}

/* Not to be chosen by us. */
static bool
is_told(const struct stn_config *config)
{
	return !plan_auto(config->transport) || !plan_auto(config->provider);
}

static struct plan_members
find_members(const struct plan_run *run)
{
	const char *gateway = getenv(GATEWAY);
	uint32_t cluster = stn_cluster_of(run->topology, run->rank);
	struct plan_members members = { .count = run->nodes };
	uint32_t last = UINT32_MAX;

	members.far = gateway && *gateway && run->topology->clusters > 1;
	if (members.far) {
		members.count = 0;
		for (uint32_t i = run->nodes; i-- > 0;) {
			if (stn_cluster_of(run->topology, i) != cluster)
				continue;
			members.first = i;
			members.count++;
		}
	}
	members.apart = run->apart;
	members.me = run->rank - members.first;
	members.host = run->hosts + members.first;
	members.told = is_told(run->config);
	/* They are numbered in order of their first nodes. */
	for (uint32_t i = 0; i < members.count; i++) {
		bool seen = last != UINT32_MAX && members.host[i] <= last;

		members.hosts += !seen;
		last = seen ? last : members.host[i];
	}
	return members;
}

static enum stn_err
take_addresses(const struct stn_config *config, struct stn_addresses *addresses,
	       struct stn_why *why)
{
	const struct stn_address_wish wish = { config->interface,
					       config->address };

	return stn_addresses_take(&wish, addresses, why);
}

static void
take_fabrics(const struct plan_run *run, const struct stn_plan *plan,
	     const struct stn_addresses *addresses, struct stn_fabrics *fabrics)
{
	const struct stn_config *config = run->config;
	const struct stn_mates mates = { plan->cores, plan->mates,
					 plan->index };
	const struct stn_fabric_wish wish = { config->transport,
					      config->provider, config->device,
					      run->nodes };

	stn_fabrics_take("", &mates, &wish, addresses, fabrics);
}

/* Shows what this host has; all members' is kept. */
static enum stn_err
show(struct plan_run *run, const struct stn_plan *plan,
     struct plan_members *members, struct stn_why *why)
{
	static const struct stn_address_wish loopback = { NULL, STN_LOCALHOST };
	struct stn_addresses addresses;
	struct stn_fabrics mine;
	unsigned char *card;
	enum stn_err err;
	size_t size;

	err = take_addresses(run->config, &addresses, why);
	if (!err && !addresses.count && members->hosts == 1)
		err = stn_addresses_take(&loopback, &addresses, why);
	if (err)
		return err;
	take_fabrics(run, plan, &addresses, &mine);
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

/* Shared memory inside hosts has been asked for, then. */
static void
take_near(struct stn_config *config)
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
 * "shm+verbs+far", of those that lead somewhere. What stands in it others can
 * make out; so shm does, too, where far would stand alone.
 */
static enum stn_err
name_routes(struct stn_config *config, const struct plan_members *members,
	    const char *between, struct stn_why *why)
{
	bool pairs = members->count > members->hosts && members->hosts > 1;
	bool wanted = plan_auto(config->near) ? pairs || members->apart
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

/* The one line that a user sees. */
static void
put_line(const struct plan_run *run, const struct plan_members *members,
	 const struct plan_chosen *chosen, struct stn_plan *plan)
{
	bool near = members->count > members->hosts &&
		    !strncmp(run->config->transport, "shm+", 4);
	FILE *out;

	if (members->me || members->hosts == 1)
		return;
	out = fmemopen(plan->line, sizeof(plan->line), "w");
	if (!out)
		return;
	fprintf(out, "%" PRIu32 " nodes on %" PRIu32 " hosts: %s",
		members->count, members->hosts, near ? "shm inside, " : "");
	plan_print(out, members, chosen);
	fclose(out);
}

/* By what the nodes of one host meet, if not by shm; NULL: by shm. */
static const char *
on_one_host(const struct stn_config *config)
{
	bool told = is_told(config) || !plan_auto(config->device);

	return told && strcmp(config->transport, "shm") ? config->transport
							: NULL;
}

static enum stn_err
plan_hosts(struct plan_run *run, struct stn_plan *plan,
	   struct plan_members *members, struct stn_why *why)
{
	bool one = members->hosts == 1 && !members->apart;
	struct plan_chosen chosen = { .fabric = STN_FABRICS };
	char between[STN_TEXT_BYTES];
	enum stn_err err = show(run, plan, members, why);

	if (!err && (!one || on_one_host(run->config)))
		err = plan_fabric(run->config, members, &chosen, why);
	if (!err && (!one || plan_has_device(&chosen)))
		err = plan_address(run->config, members, &chosen, why);
	if (err)
		return err;
	plan_set(between, run->config->transport);
	err = name_routes(run->config, members,
			  one ? on_one_host(run->config) : between, why);
	if (!err)
		put_line(run, members, &chosen, plan);
	return err;
}

/* An address of this host, where an interface or a network is named. */
static void
take_address(struct stn_config *config, const struct stn_addresses *addresses)
{
	size_t best = 0;

	while (best < addresses->count - 1 && addresses->at[best].family != 4)
		best++;
	stn_address_print(&addresses->at[best], config->address);
}

/* The nearest device, where one is used on a single host. */
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
		.told = is_told(run->config),
		.host = &host,
		.fabrics = &mine,
		.names = &name,
		.which = &which,
	};
	struct plan_chosen chosen;
	enum stn_err err;

	take_fabrics(run, plan, addresses, &mine);
	err = plan_fabric(run->config, &alone, &chosen, why);
	if (!err && plan_has_device(&chosen))
		err = plan_address(run->config, &alone, &chosen, why);
	return err;
}

static enum stn_err
plan_host(struct plan_run *run, const struct stn_plan *plan,
	  struct stn_why *why)
{
	struct stn_config *config = run->config;
	bool named =
		!plan_auto(config->interface) || strchr(config->address, '/');
	char between[STN_TEXT_BYTES];
	struct stn_addresses addresses;
	enum stn_err err;

	if (!named && !on_one_host(config))
		return STN_OK;
	err = take_addresses(config, &addresses, why);
	/* Another address is the transport's to complain of. */
	if (err && named)
		return err;
	if (named)
		take_address(config, &addresses);
	if (!on_one_host(config))
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
		return STN_OK; /* all by way of the gateways, as it is wished */
	take_near(run->config);
	if (plan_auto(run->config->transport) && is_told(run->config))
		plan_set(run->config->transport, "ofi");
	members = find_members(run);
	count = members.count;
	if (plan->hosts == 1 && !members.far &&
	    (!members.apart || !strcmp(run->config->transport, "shm")))
		return plan_host(run, plan, why);
	members.fabrics = calloc(count, sizeof(members.fabrics[0]));
	members.names = calloc(count, sizeof(members.names[0]));
	members.which = calloc(count, sizeof(members.which[0]));
	if (!members.fabrics || !members.names || !members.which)
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	for (uint32_t i = 0; i < count && !err; i++)
		members.names[i] = run->surveys[members.first + i].host;
	if (!err)
		err = plan_hosts(run, plan, &members, why);
	free(members.which);
	free(members.names);
	free(members.fabrics);
	return err;
}
