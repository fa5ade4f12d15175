/*
 * fabrics_list.c: what a host has, for people.
 */
#include <string.h>

#include "transport/survey/fabrics.h"

/* "0-15,32-47" */
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

/* Where there is one memory only, all is near to all. */
static void
list_place(const struct stn_device *device, const struct stn_memories *memories,
	   FILE *out)
{
	const struct stn_memory *memory =
		stn_memory_find(memories, device->memory);

	if (memories->count < 2 || !memory || !CPU_COUNT(&memory->cores))
		return;
	fputs(", next to cores ", out);
	print_cores(&memory->cores, out);
}

static void
list_device(const struct stn_device *device,
	    const struct stn_memories *memories, FILE *out)
{
	char name[STN_DEVICE_NAME_BYTES], rate[24];

	stn_device_print(device, name);
	stn_print_rate(device->mbits, rate);
	fprintf(out, "  %-10s %-10s %s%s%s%s%s", name,
		stn_device_kind_name(device->kind), device->state,
		*rate ? ", " : "", rate, *device->net ? ", " : "", device->net);
	list_place(device, memories, out);
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

/* Some stand there for each of two kinds of device: once is enough. */
static bool
is_told(size_t index)
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

		if (is_told(i))
			continue;
		fprintf(out, "  %-17s ", stn_fabrics_table[i].name);
		if (found->state == STN_FABRIC_ABSENT)
			fputs("no: no such device\n", out);
		else if (!usable)
			fprintf(out, "no: %s\n", found->text);
		else
			fprintf(out, "%s, on %s%s%s\n",
				chosen ? "could be used" : "first choice",
				found->text, *found->how ? ", " : "",
				found->how);
		chosen = chosen || usable;
	}
}

static void
list_devices(const char *root, FILE *out)
{
	struct stn_device devices[STN_DEVICES_MOST];
	size_t count = stn_devices_take(root, devices, STN_DEVICES_MOST);
	struct stn_memories memories;

	stn_memories_take(root, &memories);
	for (size_t i = 0; i < count; i++)
		list_device(&devices[i], &memories, out);
}

void
stn_fabrics_list(const char *root, FILE *out)
{
	static const struct stn_address_wish any = { NULL, NULL };
	static const struct stn_fabric_wish all = { "auto", "auto", "auto", 1 };
	struct stn_addresses addresses;
	struct stn_fabrics fabrics;
	cpu_set_t cores;
	const struct stn_mates alone = { &cores, 1, 0 };
	struct stn_why why;

	fputs("network devices\n", out);
	list_devices(root, out);
	if (stn_addresses_take(&any, &addresses, &why))
		addresses.count = 0;
	list_addresses(&addresses, out);
	if (sched_getaffinity(0, sizeof(cores), &cores))
		CPU_ZERO(&cores);
	stn_fabrics_take(root, &alone, &all, &addresses, &fabrics);
	fputs("\nbetween hosts, best first; what all hosts have is chosen\n",
	      out);
	list_fabrics(&fabrics, out);
}
