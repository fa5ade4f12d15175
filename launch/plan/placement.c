/*
 * placement.c: counts the NUMA domains or cores of a host, and binds a process
 * to one of them.
 */
#ifdef HAVE_CONFIG_H
#include <config.h> /* not node/config.h */
#endif

#include <sched.h>
#include <string.h>

#include "launch/plan/placement.h"
#include "transport/units.h"

#ifdef HAVE_HWLOC
#include "node/cores_hwloc.h"
#endif

/* Is the placement a number of nodes? */
static bool
parse_number(const char *per, uint32_t *number_p)
{
	uint64_t number;

	if (stn_parse_count(per, 1, STN_PLACEMENT_NODES, &number))
		return false;
	*number_p = (uint32_t)number;
	return true;
}

enum stn_err
stn_placement_check(const char *per, struct stn_why *why)
{
	uint32_t number;

	if (!strcmp(per, "host") || !strcmp(per, "numa") ||
	    !strcmp(per, "core") || parse_number(per, &number))
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "per is \"%s\"; it can be host, numa, core or how "
			   "many nodes each host has, from 1 to %d",
			   per, STN_PLACEMENT_NODES);
}

#ifdef HAVE_HWLOC

/* Domains without cores that this process may use are skipped. */
static hwloc_obj_t
next_object(hwloc_topology_t topology, const char *per, hwloc_obj_t last)
{
	hwloc_obj_type_t type =
		strcmp(per, "numa") ? HWLOC_OBJ_CORE : HWLOC_OBJ_NUMANODE;

	do
		last = hwloc_get_next_obj_by_type(topology, type, last);
	while (last && hwloc_bitmap_iszero(last->cpuset));
	return last;
}

static uint32_t
count_in(hwloc_topology_t topology, const char *per)
{
	hwloc_obj_t place = NULL;
	uint32_t count = 0;

	while ((place = next_object(topology, per, place)))
		count++;
	return count;
}

static uint32_t
count_objects(const char *per)
{
	hwloc_topology_t topology;
	uint32_t count;

	if (!stn_cores_load(&topology))
		return 1;
	count = count_in(topology, per);
	hwloc_topology_destroy(topology);
	return count ? count : 1;
}

static void
bind_to(hwloc_topology_t topology, const char *per, uint32_t index)
{
	uint32_t count = count_in(topology, per);
	hwloc_obj_t place = NULL;

	if (!count)
		return;
	for (uint32_t i = 0; i <= index % count; i++)
		place = next_object(topology, per, place);
	hwloc_set_cpubind(topology, place->cpuset, 0);
	if (!strcmp(per, "numa"))
		hwloc_set_membind(topology, place->nodeset, HWLOC_MEMBIND_BIND,
				  HWLOC_MEMBIND_BYNODESET);
}

void
stn_placement_bind(const char *per, uint32_t index)
{
	hwloc_topology_t topology;

	if ((strcmp(per, "numa") && strcmp(per, "core")) ||
	    !stn_cores_load(&topology))
		return;
	bind_to(topology, per, index);
	hwloc_topology_destroy(topology);
}

#else

static uint32_t
count_objects(const char *per)
{
	cpu_set_t cores;

	if (!strcmp(per, "numa") || sched_getaffinity(0, sizeof(cores), &cores))
		return 1;
	return (uint32_t)CPU_COUNT(&cores);
}

void
stn_placement_bind(const char *per, uint32_t index)
{
	(void)per;
	(void)index;
}

#endif

uint32_t
stn_placement_nodes(const char *per)
{
	uint32_t number;

	if (parse_number(per, &number))
		return number;
	return strcmp(per, "numa") && strcmp(per, "core") ? 1
							  : count_objects(per);
}
