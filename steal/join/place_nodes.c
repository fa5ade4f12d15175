/*
 * place_nodes.c: how many nodes a host is to have, and where each of them is.
 */
#ifdef HAVE_CONFIG_H
#include <config.h> /* steal/ has one of its own */
#endif

#include <sched.h>
#include <string.h>

#include "steal/join/place.h"
#include "transport/units.h"

#ifdef HAVE_HWLOC
#include <hwloc.h>
#endif

/* By a number. */
static bool
parse_number(const char *per, uint32_t *number_p)
{
	uint64_t number;

	if (stn_parse_count(per, 1, STN_PLACE_NODES, &number))
		return false;
	*number_p = (uint32_t)number;
	return true;
}

bool
stn_place_known(const char *per)
{
	uint32_t number;

	return !strcmp(per, "host") || !strcmp(per, "numa") ||
	       !strcmp(per, "core") || parse_number(per, &number);
}

#ifdef HAVE_HWLOC

/* What this process may use of the host; false: that isn't known. */
static bool
load(hwloc_topology_t *topology_p)
{
	hwloc_topology_t topology;
	hwloc_cpuset_t allowed;
	bool loaded;

	if (hwloc_topology_init(&topology))
		return false;
	allowed = hwloc_bitmap_alloc();
	loaded = allowed && !hwloc_topology_load(topology) &&
		 (!hwloc_topology_is_thissystem(topology) ||
		  (!hwloc_get_cpubind(topology, allowed,
				      HWLOC_CPUBIND_PROCESS) &&
		   !hwloc_topology_restrict(topology, allowed, 0)));
	hwloc_bitmap_free(allowed);
	if (loaded)
		*topology_p = topology;
	else
		hwloc_topology_destroy(topology);
	return loaded;
}

/* Memories without cores of ours are no place for a node. */
static hwloc_obj_t
next_place(hwloc_topology_t topology, const char *per, hwloc_obj_t last)
{
	hwloc_obj_type_t type =
		strcmp(per, "numa") ? HWLOC_OBJ_CORE : HWLOC_OBJ_NUMANODE;

	do
		last = hwloc_get_next_obj_by_type(topology, type, last);
	while (last && hwloc_bitmap_iszero(last->cpuset));
	return last;
}

static uint32_t
count_places(const char *per)
{
	hwloc_topology_t topology;
	hwloc_obj_t place = NULL;
	uint32_t count = 0;

	if (!load(&topology))
		return 1;
	while ((place = next_place(topology, per, place)))
		count++;
	hwloc_topology_destroy(topology);
	return count ? count : 1;
}

void
stn_place_process(const char *per, uint32_t index)
{
	hwloc_topology_t topology;
	hwloc_obj_t place = NULL;

	if ((strcmp(per, "numa") && strcmp(per, "core")) || !load(&topology))
		return;
	index %= count_places(per);
	do
		place = next_place(topology, per, place);
	while (place && index--);
	if (place) {
		hwloc_set_cpubind(topology, place->cpuset, 0);
		if (!strcmp(per, "numa"))
			hwloc_set_membind(topology, place->nodeset,
					  HWLOC_MEMBIND_BIND,
					  HWLOC_MEMBIND_BYNODESET);
	}
	hwloc_topology_destroy(topology);
}

#else

static uint32_t
count_places(const char *per)
{
	cpu_set_t cores;

	if (!strcmp(per, "numa") || sched_getaffinity(0, sizeof(cores), &cores))
		return 1;
	return (uint32_t)CPU_COUNT(&cores);
}

void
stn_place_process(const char *per, uint32_t index)
{
	(void)per;
	(void)index;
}

#endif

uint32_t
stn_place_nodes(const char *per)
{
	uint32_t number;

	if (parse_number(per, &number))
		return number;
	return strcmp(per, "numa") && strcmp(per, "core") ? 1
							  : count_places(per);
}
