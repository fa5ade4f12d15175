#include "transport/survey/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NODES "/sys/devices/system/node"

struct gathering {
	const char *root;
	struct stn_memories *memories;
};

/* Among node0, node1 there stand other files. */
static void
take_memory(void *arg, const char *name)
{
	const struct gathering *gathering = arg;
	struct stn_memories *memories = gathering->memories;
	struct stn_memory *memory = &memories->at[memories->count];
	char path[PATH_MAX];

	if (strncmp(name, "node", 4) || !isdigit((unsigned char)name[4]) ||
	    memories->count == STN_MEMORIES_MOST)
		return;
	memory->number = (unsigned)strtoul(name + 4, NULL, 10);
	snprintf(path, sizeof(path), NODES "/%s/cpumap", name);
	stn_sysfs_cores(gathering->root, path, &memory->cores);
	memories->count++;
}

/* "10 21": to each of them, in order of number. */
static void
take_distances(const char *root, const struct stn_memories *memories,
	       struct stn_memory *memory)
{
	char path[PATH_MAX], text[STN_SYSFS_LINE_BYTES], *at = text;

	snprintf(path, sizeof(path), NODES "/node%u/distance", memory->number);
	stn_sysfs_line(root, path, text);
	for (size_t i = 0; i < memories->count; i++)
		memory->distances[i] = (unsigned)strtoul(at, &at, 10);
}

void
stn_memories_take(const char *root, struct stn_memories *memories)
{
	struct gathering gathering = { root, memories };

	memories->count = 0;
	stn_sysfs_each(root, NODES, take_memory, &gathering);
	for (size_t i = 0; i < memories->count; i++)
		take_distances(root, memories, &memories->at[i]);
}

const struct stn_memory *
stn_memory_find(const struct stn_memories *memories, int number)
{
	for (size_t i = 0; i < memories->count; i++)
		if ((int)memories->at[i].number == number)
			return &memories->at[i];
	return NULL;
}

/*
 * The sum of the kernel's distances from a device's memory to each of the
 * cores; only to be compared with others to the same cores. What isn't known is
 * farthest.
 */
static uint64_t
distance(const struct stn_memories *memories, const struct stn_device *device,
	 const cpu_set_t *cores)
{
	const struct stn_memory *from =
		stn_memory_find(memories, device->memory);
	uint64_t sum = 0;

	if (!from)
		return UINT64_MAX;
	for (size_t i = 0; i < memories->count; i++) {
		cpu_set_t both;

		CPU_AND(&both, &memories->at[i].cores, cores);
		sum += (uint64_t)from->distances[i] *
		       (unsigned)CPU_COUNT(&both);
	}
	return sum;
}

const struct stn_address *
stn_device_address(const struct stn_device *device,
		   const struct stn_addresses *addresses)
{
	for (size_t i = 0; *device->net && i < addresses->count; i++)
		if (!strcmp(addresses->at[i].interface, device->net))
			return &addresses->at[i];
	return NULL;
}

static bool
is_named(const struct stn_device *device, const char *name)
{
	char whole[STN_DEVICE_NAME_BYTES];

	stn_device_print(device, whole);
	return !name || !strcmp(name, "auto") || !strcmp(name, device->name) ||
	       !strcmp(name, whole);
}

bool
stn_device_is_wished(const struct stn_device *device,
		     const struct stn_device_wish *wish)
{
	return device->kind == wish->kind && is_named(device, wish->name) &&
	       (!wish->addresses->wished ||
		stn_device_address(device, wish->addresses));
}

static bool
may_be_chosen(const struct stn_device *device,
	      const struct stn_device_wish *wish)
{
	return device->active && !device->closed &&
	       stn_device_is_wished(device, wish) &&
	       (!wish->by_address ||
		stn_device_address(device, wish->addresses));
}

/*
 * InfiniBand's subnets are its own; what goes by IP, as RoCE does, is in its
 * address's network. The other kinds have but one. "": it isn't known.
 */
static void
print_network(const struct stn_device *device,
	      const struct stn_device_wish *wish,
	      char text[STN_ADDRESS_TEXT_BYTES])
{
	const struct stn_address *address =
		stn_device_address(device, wish->addresses);

	*text = '\0';
	if (wish->by_address || device->kind == STN_DEVICE_ROCE) {
		if (address)
			stn_address_print_network(address, text);
	} else {
		strcpy(text, device->subnet);
	}
}

static bool
is_better(const struct stn_device *one, const char *network,
	  const struct stn_device *other, const char *others)
{
	return !*network == !*others ? one->mbits > other->mbits : *network;
}

/* The first of the fastest; with a network, if there are such. */
static const struct stn_device *
find_fastest(const struct stn_device *devices, size_t count,
	     const struct stn_device_wish *wish,
	     char network[STN_ADDRESS_TEXT_BYTES])
{
	const struct stn_device *best = NULL;

	for (size_t i = 0; i < count; i++) {
		char of[STN_ADDRESS_TEXT_BYTES];

		if (!may_be_chosen(&devices[i], wish))
			continue;
		print_network(&devices[i], wish, of);
		if (best && !is_better(&devices[i], of, best, network))
			continue;
		best = &devices[i];
		strcpy(network, of);
	}
	return best;
}

static size_t
find_rivals(const struct stn_device *devices, size_t count,
	    const struct stn_device_wish *wish,
	    const struct stn_device *rivals[STN_DEVICES_MOST])
{
	char network[STN_ADDRESS_TEXT_BYTES] = "", of[STN_ADDRESS_TEXT_BYTES];
	const struct stn_device *fastest =
		find_fastest(devices, count, wish, network);
	size_t found = 0;

	for (size_t i = 0; i < count && found < STN_DEVICES_MOST; i++) {
		if (!may_be_chosen(&devices[i], wish) ||
		    devices[i].mbits != fastest->mbits)
			continue;
		print_network(&devices[i], wish, of);
		if (!strcmp(of, network))
			rivals[found++] = &devices[i];
	}
	return found;
}

/* What one node chooses, when those before it have. */
static struct stn_nearest
choose(const struct stn_device *const *rivals, size_t count,
       const struct stn_memories *memories, const cpu_set_t *cores,
       uint32_t users[STN_DEVICES_MOST])
{
	struct stn_nearest nearest = { .among = count };
	uint64_t least = UINT64_MAX;
	size_t best = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t far = distance(memories, rivals[i], cores);

		nearest.equal = far == least  ? nearest.equal + 1
				: far < least ? 1
					      : nearest.equal;
		if (far < least || (far == least && users[i] < users[best]))
			best = i;
		least = far < least ? far : least;
	}
	users[best]++;
	nearest.device = rivals[best];
	nearest.known = least < UINT64_MAX;
	return nearest;
}

struct stn_nearest
stn_nearest_choose(const struct stn_device *devices, size_t count,
		   const struct stn_memories *memories,
		   const struct stn_device_wish *wish,
		   const struct stn_mates *mates)
{
	const struct stn_device *rivals[STN_DEVICES_MOST];
	size_t found = find_rivals(devices, count, wish, rivals);
	uint32_t users[STN_DEVICES_MOST] = { 0 };
	struct stn_nearest nearest = { .device = NULL };

	for (uint32_t i = 0; found && i <= mates->me; i++)
		nearest = choose(rivals, found, memories, &mates->cores[i],
				 users);
	return nearest;
}
