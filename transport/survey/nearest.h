/*
 * nearest.h: which of a host's devices each of its nodes uses: of the fastest,
 * one that is nearest to the cores that the node may use, and so to the memory
 * that these fill. Where several are equally near, the nodes share them out.
 */
#ifndef STN_TRANSPORT_SURVEY_NEAREST_H
#define STN_TRANSPORT_SURVEY_NEAREST_H

#include <sched.h>

#include "transport/survey/addresses.h"
#include "transport/survey/devices.h"

#define STN_MEMORIES_MOST 64

/* The memories (NUMA nodes) of a host. */
struct stn_memories {
	size_t count;
	struct stn_memory {
		unsigned number;
		cpu_set_t cores;
		/* To each, as the kernel has it: 10 to itself. */
		unsigned distances[STN_MEMORIES_MOST];
	} at[STN_MEMORIES_MOST];
};

/* stn_memories_take: those of this host. @root  as in sysfs.h */
void stn_memories_take(const char *root, struct stn_memories *memories);

/* stn_memory_find: the one of this number, or NULL. */
const struct stn_memory *stn_memory_find(const struct stn_memories *memories,
					 int number);

/* The nodes of a host, in order of rank: the cores that each may use. */
struct stn_mates {
	const cpu_set_t *cores;
	uint32_t count, me;
};

/* What a device must be like. */
struct stn_device_wish {
	enum stn_device_kind kind;
	bool by_address;  /* it is reached by its interface's IP address */
	const char *name; /* mlx5_0, mlx5_0:1; NULL or "auto": any */

	/* This host's. If they are wished for, so are their interfaces. */
	const struct stn_addresses *addresses;
};

struct stn_nearest {
	const struct stn_device *device; /* NULL: there is none */
	size_t among; /* so many that are as fast, in the same network */
	size_t equal; /* so many of these that are as near */
	bool known;   /* how near they are */
};

/*
 * stn_nearest_choose: for node @mates->me, among the @count devices those that
 * are active, may be opened, and are as wished. All that are taken into account
 * are of one network, that of the first of the fastest: hosts that choose by
 * themselves must come out in the same one. All nodes of a host choose alike if
 * they are shown the same.
 */
struct stn_nearest stn_nearest_choose(const struct stn_device *devices,
				      size_t count,
				      const struct stn_memories *memories,
				      const struct stn_device_wish *wish,
				      const struct stn_mates *mates);

/*
 * stn_device_is_wished: is it of the kind, and the name and the interface, that
 * are wished for, whatever its state?
 */
bool stn_device_is_wished(const struct stn_device *device,
			  const struct stn_device_wish *wish);

/*
 * stn_device_address: the first of @addresses that is of the device's
 * interface, or NULL.
 */
const struct stn_address *
stn_device_address(const struct stn_device *device,
		   const struct stn_addresses *addresses);

#endif
