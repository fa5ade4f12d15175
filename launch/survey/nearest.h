/*
 * nearest.h: which device each node of a host uses. Among the fastest devices a
 * node takes one nearest to the cores that it may use, and so to the memory
 * that these cores fill. Nodes of one host share out devices that are equally
 * near.
 */
#ifndef STN_LAUNCH_SURVEY_NEAREST_H
#define STN_LAUNCH_SURVEY_NEAREST_H

#include <sched.h>

#include "launch/survey/addresses.h"
#include "launch/survey/devices.h"

#define STN_NUMA_DOMAINS_MOST 64

/* The NUMA domains of a host, in order of number. */
struct stn_numa_domains {
	size_t count;
	struct stn_numa_domain {
		unsigned number;
		cpu_set_t cores;
		/* The kernel's distance to each domain; 10 to itself. */
		unsigned distances[STN_NUMA_DOMAINS_MOST];
	} at[STN_NUMA_DOMAINS_MOST];
};

/* stn_numa_domains_discover: reads those of this host. @root  as in devices.h
 */
void stn_numa_domains_discover(const char *root,
			       struct stn_numa_domains *domains);

/* stn_numa_domain_find: the domain of this number, or NULL. */
const struct stn_numa_domain *
stn_numa_domain_find(const struct stn_numa_domains *domains, int number);

/* The nodes of this host, in order of rank. */
struct stn_local_nodes {
	const cpu_set_t *cores; /* that each node may use */
	uint32_t count;
	uint32_t self; /* index of this node: its local rank */
};

/* Which devices match. */
struct stn_device_filter {
	enum stn_device_kind kind;
	bool by_address;  /* nodes connect by the interface's IP address */
	const char *name; /* mlx5_0, mlx5_0:1; NULL or "auto": any */

	/* Of this host. If they are filtered, only their interfaces match. */
	const struct stn_addresses *addresses;
};

struct stn_nearest {
	const struct stn_device *device; /* NULL: no device will do */
	size_t candidates;   /* devices as fast, in the same network */
	size_t ties;	     /* candidates that are as near as this one */
	bool distance_known; /* false: the kernel doesn't say */
};

/*
 * stn_nearest_choose: chooses a device for node @nodes->self. Candidates are
 * the matching devices that are active, accessible, as fast as the fastest, and
 * in the network of the first of these: each host chooses by itself, and all
 * must come out in one network. Nodes of a host come to consistent choices if
 * they pass the same arguments but for @nodes->self.
 */
struct stn_nearest stn_nearest_choose(const struct stn_device *devices,
				      size_t count,
				      const struct stn_numa_domains *domains,
				      const struct stn_device_filter *filter,
				      const struct stn_local_nodes *nodes);

/*
 * stn_device_matches: has the device the kind, name and interface of the
 * filter? Its state doesn't matter.
 */
bool stn_device_matches(const struct stn_device *device,
			const struct stn_device_filter *filter);

#endif
