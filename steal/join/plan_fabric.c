#include "steal/join/plan_fabric.h"

#include <stdlib.h>
#include <string.h>

#include "steal/join/plan_run.h"

#define DEVICES_SHOWN 4 /* in a line; others are hinted at */

bool
plan_has_device(const struct plan_chosen *chosen)
{
	return chosen->fabric < STN_FABRICS &&
	       stn_fabrics_table[chosen->fabric].kind != STN_DEVICE_NET;
}

static enum stn_err
nothing(const struct stn_config *config, const struct plan_members *members,
	const struct plan_chosen *chosen, struct stn_why *why)
{
	const struct stn_fabric_found *found;
	const char *text;

	if (chosen->missed == STN_FABRICS)
		return stn_because(why, STN_MISSING,
				   "--device %s: there is no such device that "
				   "could be used; see `sateen info`",
				   config->device);
	found = &members->fabrics[chosen->lacking].found[chosen->missed];
	if (found->state == STN_FABRIC_ABSENT)
		text = plan_auto(config->device) ? "no such device"
						 : "no device of that name";
	else
		text = found->text;
	return stn_because(why, STN_MISSING,
			   "nothing carries messages between all hosts: not "
			   "%s, as on %s: %.150s; see `sateen info` there",
			   stn_fabrics_table[chosen->missed].name,
			   members->names[chosen->lacking], text);
}

static void
take_fabric(struct stn_config *config, const struct plan_members *members,
	    struct plan_chosen *chosen)
{
	const struct stn_fabric *fabric = &stn_fabrics_table[chosen->fabric];
	const struct stn_fabric_found *found =
		&members->fabrics[members->me].found[chosen->fabric];

	plan_set(config->transport, fabric->transport);
	plan_set(config->provider, fabric->provider);
	plan_set(chosen->name, fabric->name);
	if (plan_has_device(chosen))
		plan_set(config->device, found->text);
	chosen->mbits = found->mbits;
}

enum stn_err
plan_fabric(struct stn_config *config, const struct plan_members *members,
	    struct plan_chosen *chosen, struct stn_why *why)
{
	chosen->fabric = stn_fabrics_choose(members->fabrics, members->count,
					    &chosen->missed, &chosen->lacking);
	if (chosen->fabric == STN_FABRICS &&
	    (!members->told || (!plan_auto(config->device) &&
				strcmp(config->transport, "ucx") != 0)))
		return nothing(config, members, chosen, why);
	if (!members->told || plan_has_device(chosen)) {
		take_fabric(config, members, chosen);
	} else {
		chosen->fabric = STN_FABRICS;
		plan_set(chosen->name, plan_auto(config->provider)
					       ? config->transport
					       : config->provider);
	}
	return STN_OK;
}

/* Only these listen on an IP address. */
static bool
needs_address(const struct stn_config *config)
{
	static const char *const ip[] = { "auto", "tcp",     "net",
					  "udp",  "sockets", "verbs" };
	bool ofi = !strcmp(config->transport, "ofi");

	if (!strcmp(config->transport, "ucx"))
		return !strcmp(config->provider, "tcp");
	for (size_t i = 0; ofi && i < sizeof(ip) / sizeof(ip[0]); i++)
		if (!strcmp(config->provider, ip[i]))
			return true;
	return false;
}

/* Where a device is reached by its address, the others are of no use. */
static void
keep_devices_addresses(struct plan_members *members, size_t fabric)
{
	for (uint32_t i = 0; i < members->count; i++) {
		const char *net = members->fabrics[i].found[fabric].net;
		struct stn_addresses *all = &members->fabrics[i].addresses;
		size_t kept = 0;

		for (size_t j = 0; j < all->count; j++)
			if (!strcmp(all->at[j].interface, net))
				all->at[kept++] = all->at[j];
		all->count = kept;
	}
}

enum stn_err
plan_address(struct stn_config *config, struct plan_members *members,
	     struct plan_chosen *chosen, struct stn_why *why)
{
	const struct stn_addresses **all =
		calloc(members->count, sizeof(all[0]));
	const struct stn_address *address;
	enum stn_err err;

	if (!needs_address(config)) {
		free(all);
		return STN_OK;
	}
	if (!all)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	if (plan_has_device(chosen))
		keep_devices_addresses(members, chosen->fabric);
	for (uint32_t i = 0; i < members->count; i++)
		all[i] = &members->fabrics[i].addresses;
	err = stn_addresses_choose(all, members->count, members->host,
				   members->names, members->which, why);
	free(all);
	if (err)
		return err;
	address = &members->fabrics[members->me]
			   .addresses.at[members->which[members->me]];
	stn_address_print(address, config->address);
	stn_address_print_network(address, chosen->network);
	strcpy(chosen->interface, address->interface);
	chosen->mbits = address->mbits;
	return STN_OK;
}

/* Those that the nodes use, each once. */
static void
print_devices(FILE *out, const struct plan_members *members, size_t fabric)
{
	const char *shown[DEVICES_SHOWN];
	size_t count = 0;

	for (uint32_t i = 0; i < members->count; i++) {
		const char *device = members->fabrics[i].found[fabric].text;
		size_t at = 0;

		while (at < count && strcmp(shown[at], device) != 0)
			at++;
		if (at == DEVICES_SHOWN) {
			fputs(", ...", out);
			return;
		}
		if (at < count)
			continue;
		shown[count++] = device;
		fprintf(out, "%s %s", at ? "," : " on", device);
	}
}

/* " (eth0, 10 Gb/s)" */
static void
print_details(FILE *out, const struct plan_chosen *chosen)
{
	char rate[24];

	stn_print_rate(chosen->mbits, rate);
	if (*chosen->interface || *rate)
		fprintf(out, " (%s%s%s)", chosen->interface,
			*chosen->interface && *rate ? ", " : "", rate);
}

/* What would be better, and who lacks it. */
static void
print_missed(FILE *out, const struct plan_members *members,
	     const struct plan_chosen *chosen)
{
	const struct stn_fabric_found *found;
	const char *name;

	if (chosen->missed == STN_FABRICS || members->told)
		return;
	found = &members->fabrics[chosen->lacking].found[chosen->missed];
	name = stn_fabrics_table[chosen->missed].name;
	if (!strcmp(name, chosen->name))
		return;
	fprintf(out, "; not %s, as on %s: %s", name,
		members->names[chosen->lacking],
		found->state == STN_FABRIC_ABSENT ? "no such device"
						  : found->text);
}

void
plan_print(FILE *out, const struct plan_members *members,
	   const struct plan_chosen *chosen)
{
	fputs(chosen->name, out);
	if (plan_has_device(chosen))
		print_devices(out, members, chosen->fabric);
	else if (*chosen->network)
		fprintf(out, " on %s", chosen->network);
	print_details(out, chosen);
	fputs(" between", out);
	print_missed(out, members, chosen);
}
