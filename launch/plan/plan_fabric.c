#include "launch/plan/plan_private.h"

#include <stdlib.h>
#include <string.h>

#include "launch/plan/survival.h"

#define DEVICES_SHOWN 4 /* listed in the message; "..." stands for others */

bool
plan_is_auto(const char *setting)
{
	return !strcmp(setting, "auto");
}

void
plan_set(char setting[STN_TEXT_BYTES], const char *value)
{
	snprintf(setting, STN_TEXT_BYTES, "%.*s", STN_TEXT_BYTES - 1, value);
}

bool
plan_uses_device(const struct plan_choice *choice)
{
	return choice->fabric < STN_FABRICS &&
	       stn_fabrics_table[choice->fabric].kind != STN_DEVICE_NET;
}

static enum stn_err
explain_no_fabric(const struct stn_config *config,
		  const struct plan_members *members,
		  const struct plan_choice *choice, struct stn_why *why)
{
	const struct stn_fabric_found *found;
	const char *text;

	if (choice->rejected == STN_FABRICS)
		return stn_because(why, STN_MISSING,
				   "--device %s: there is no such device that "
				   "could be used; see `sateen info`",
				   config->device);
	found = &members->fabrics[choice->rejected_by].found[choice->rejected];
	if (found->state == STN_FABRIC_ABSENT)
		text = plan_is_auto(config->device) ? "no such device"
						    : "no device of that name";
	else
		text = found->text;
	return stn_because(why, STN_MISSING,
			   "no fabric connects all hosts; %s can't be used on "
			   "host %s: %.150s; see `sateen info` there",
			   stn_fabrics_table[choice->rejected].name,
			   members->names[choice->rejected_by], text);
}

static void
take_fabric(struct stn_config *config, const struct plan_members *members,
	    struct plan_choice *choice)
{
	const struct stn_fabric *fabric = &stn_fabrics_table[choice->fabric];
	const struct stn_fabric_found *found =
		&members->fabrics[members->self].found[choice->fabric];

	plan_set(config->transport, fabric->transport);
	plan_set(config->provider, fabric->provider);
	plan_set(choice->name, fabric->name);
	if (plan_uses_device(choice))
		plan_set(config->device, found->text);
	choice->mbits = found->mbits;
}

enum stn_err
plan_fabric(struct stn_config *config, const struct plan_members *members,
	    struct plan_choice *choice, struct stn_why *why)
{
	choice->fabric =
		stn_fabrics_choose(members->fabrics, members->count,
				   &choice->rejected, &choice->rejected_by);
	if (choice->fabric == STN_FABRICS &&
	    (!members->given || (!plan_is_auto(config->device) &&
				 strcmp(config->transport, "ucx") != 0)))
		return explain_no_fabric(config, members, choice, why);
	if (!members->given || plan_uses_device(choice)) {
		take_fabric(config, members, choice);
	} else {
		choice->fabric = STN_FABRICS;
		plan_set(choice->name, plan_is_auto(config->provider)
					       ? config->transport
					       : config->provider);
	}
	if (stn_survival_prefer(config, members->given))
		plan_set(choice->name, config->provider);
	return stn_survival_check(config, why);
}

/* Only these providers listen on an IP address. */
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

/*
 * If nodes connect by the address of a device's interface, other interfaces'
 * addresses are of no use.
 */
static void
keep_device_addresses(struct plan_members *members, size_t fabric)
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
	     struct plan_choice *choice, struct stn_why *why)
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
	if (plan_uses_device(choice))
		keep_device_addresses(members, choice->fabric);
	for (uint32_t i = 0; i < members->count; i++)
		all[i] = &members->fabrics[i].addresses;
	err = stn_addresses_choose(all, members->count, members->host,
				   members->names, members->address_index, why);
	free(all);
	if (err)
		return err;
	address = &members->fabrics[members->self]
			   .addresses.at[members->address_index[members->self]];
	stn_address_print(address, config->address);
	stn_address_print_network(address, choice->network);
	strcpy(choice->interface, address->interface);
	choice->mbits = address->mbits;
	return STN_OK;
}

/* Prints each device that a node uses, once. */
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
print_details(FILE *out, const struct plan_choice *choice)
{
	char rate[24];

	stn_print_rate(choice->mbits, rate);
	if (*choice->interface || *rate)
		fprintf(out, " (%s%s%s)", choice->interface,
			*choice->interface && *rate ? ", " : "", rate);
}

/* Prints the better fabric that was rejected, and the host that lacks it. */
static void
print_rejected(FILE *out, const struct plan_members *members,
	       const struct plan_choice *choice)
{
	const struct stn_fabric_found *found;
	const char *name;

	if (choice->rejected == STN_FABRICS || members->given)
		return;
	found = &members->fabrics[choice->rejected_by].found[choice->rejected];
	name = stn_fabrics_table[choice->rejected].name;
	if (!strcmp(name, choice->name))
		return;
	fprintf(out, "; not %s, as on %s: %s", name,
		members->names[choice->rejected_by],
		found->state == STN_FABRIC_ABSENT ? "no such device"
						  : found->text);
}

void
plan_print_choice(FILE *out, const struct plan_members *members,
		  const struct plan_choice *choice)
{
	fputs(choice->name, out);
	if (plan_uses_device(choice))
		print_devices(out, members, choice->fabric);
	else if (*choice->network)
		fprintf(out, " on %s", choice->network);
	print_details(out, choice);
	fputs(" between", out);
	print_rejected(out, members, choice);
}
