/*
 * fabrics_list.c: prints the fabrics of this host, for `sateen info`.
 */
#include <string.h>

#include "launch/survey/fabrics.h"

/* Prints a list such as "0-15,32-47". */
static void
print_cores(const cpu_set_t *cores, FILE *out)
{
	const char *comma = "";

	for (int i = 0; i < CPU_SETSIZE; i++) {
		int first = i;

		if (!CPU_ISSET(i, cores))
			continue;
		while (i + 1 < CPU_SETSIZE && CPU_ISSET(i + 1, cores))
			i++;
		fprintf(out, "%s%d", comma, first);
		if (i > first)
			fprintf(out, "-%d", i);
		comma = ",";
	}
}

/* With one domain only, all devices are near to all cores. */
static void
list_locality(const struct stn_device *device,
	      const struct stn_numa_domains *domains, FILE *out)
{
	const struct stn_numa_domain *domain =
		stn_numa_domain_find(domains, device->numa_node);

	if (domains->count < 2 || !domain || !CPU_COUNT(&domain->cores))
		return;
	fputs(", next to cores ", out);
	print_cores(&domain->cores, out);
}

static void
list_device(const struct stn_device *device,
	    const struct stn_numa_domains *domains, FILE *out)
{
	char name[STN_DEVICE_NAME_BYTES], rate[24];

	stn_device_print(device, name);
	stn_print_rate(device->mbits, rate);
	fprintf(out, "  %-10s %-10s %s%s%s%s%s", name,
		stn_device_kind_name(device->kind), device->state,
		*rate ? ", " : "", rate, *device->net ? ", " : "", device->net);
	list_locality(device, domains, out);
	fputc('\n', out);
}

static void
list_addresses(const struct stn_addresses *addresses, FILE *out)
{
	for (size_t i = 0; i < addresses->count; i++) {
		const struct stn_address *address = &addresses->at[i];
		char text[STN_ADDRESS_TEXT_BYTES];

		stn_address_print(address, text);
		fprintf(out, "  %-10s %-10s %s/%u%s\n", address->interface,
			"address", text, address->prefix,
			address->routed ? ", default route" : "");
	}
}

/*
 * Has a fabric of the same name been listed? The table has some names twice,
 * for two kinds of device.
 */
static bool
is_listed_before(size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(stn_fabrics_table[i].name,
			    stn_fabrics_table[index].name))
			return true;
	return false;
}

static const struct stn_fabric_found *
best_of(const struct stn_fabrics *fabrics, size_t index)
{
	const struct stn_fabric_found *best = &fabrics->found[index];

	for (size_t i = index + 1; i < STN_FABRICS; i++)
		if (!strcmp(stn_fabrics_table[i].name,
			    stn_fabrics_table[index].name) &&
		    fabrics->found[i].state > best->state)
			best = &fabrics->found[i];
	return best;
}

static void
list_fabrics(const struct stn_fabrics *fabrics, FILE *out)
{
	bool chosen = false;

	for (size_t i = 0; i < STN_FABRICS; i++) {
		const struct stn_fabric_found *found = best_of(fabrics, i);
		bool usable = found->state == STN_FABRIC_USABLE;

		if (is_listed_before(i))
			continue;
		fprintf(out, "  %-17s ", stn_fabrics_table[i].name);
		if (found->state == STN_FABRIC_ABSENT)
			fputs("no: no such device\n", out);
		else if (!usable)
			fprintf(out, "no: %s\n", found->text);
		else
			fprintf(out, "%s, on %s%s%s\n",
				chosen ? "could be used" : "first choice",
				found->text, *found->reason ? ", " : "",
				found->reason);
		chosen = chosen || usable;
	}
}

static void
list_devices(const char *root, FILE *out)
{
	struct stn_device devices[STN_DEVICES_MOST];
	size_t count = stn_devices_discover(root, devices, STN_DEVICES_MOST);
	struct stn_numa_domains domains;

	stn_numa_domains_discover(root, &domains);
	for (size_t i = 0; i < count; i++)
		list_device(&devices[i], &domains, out);
}

void
stn_fabrics_list(const char *root, FILE *out)
{
	static const struct stn_address_filter any = { NULL, NULL };
	static const struct stn_fabric_filter all = { "auto", "auto", "auto",
						      1 };
	struct stn_addresses addresses;
	struct stn_fabrics fabrics;
	cpu_set_t cores;
	const struct stn_local_nodes alone = { &cores, 1, 0 };
	struct stn_why why;

	fputs("network devices\n", out);
	list_devices(root, out);
	if (stn_addresses_discover(&any, &addresses, &why))
		addresses.count = 0;
	list_addresses(&addresses, out);
	if (sched_getaffinity(0, sizeof(cores), &cores))
		CPU_ZERO(&cores);
	stn_fabrics_discover(root, &alone, &all, &addresses, &fabrics);
	fputs("\nbetween hosts, best first; what all hosts have is chosen\n",
	      out);
	list_fabrics(&fabrics, out);
}
