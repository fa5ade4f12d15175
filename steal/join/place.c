#ifdef HAVE_CONFIG_H
#include <config.h> /* steal/ has one of its own */
#endif

#include "steal/join/place.h"

#ifdef HAVE_HWLOC

#include <hwloc.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>

struct stn_places {
	hwloc_topology_t topology;
	uint32_t count;
	hwloc_cpuset_t sets[];
};

/* Looked at first, as hwloc takes its time. */
static bool
too_many(uint32_t count)
{
	cpu_set_t allowed;

	return !sched_getaffinity(0, sizeof(allowed), &allowed) &&
	       count > (uint32_t)CPU_COUNT(&allowed);
}

/* Cores, processors and memories are all that is asked for, and fast. */
static bool
load(hwloc_topology_t topology)
{
	return !hwloc_topology_set_all_types_filter(
		       topology, HWLOC_TYPE_FILTER_KEEP_NONE) &&
	       !hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PACKAGE,
					       HWLOC_TYPE_FILTER_KEEP_ALL) &&
	       !hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE,
					       HWLOC_TYPE_FILTER_KEEP_ALL) &&
	       !hwloc_topology_load(topology);
}

/* Forgets what a launcher or an administrator has forbidden this process. */
static bool
restrict_to_allowed(hwloc_topology_t topology)
{
	hwloc_cpuset_t allowed = hwloc_bitmap_alloc();
	bool done;

	done = allowed &&
	       !hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) &&
	       !hwloc_topology_restrict(topology, allowed, 0);
	hwloc_bitmap_free(allowed);
	return done;
}

static bool
fits(hwloc_topology_t topology, uint32_t count, bool wanted)
{
	int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
	int processors = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);

	return count <= (uint32_t)processors &&
	       (wanted || count >= (uint32_t)cores);
}

static bool
deal(struct stn_places *places)
{
	hwloc_obj_t root = hwloc_get_root_obj(places->topology);

	if (hwloc_distrib(places->topology, &root, 1, places->sets,
			  places->count, INT_MAX, 0))
		return false;
	for (uint32_t i = 0; i < places->count; i++)
		hwloc_bitmap_singlify(places->sets[i]);
	return true;
}

struct stn_places *
stn_places_create(uint32_t count, bool wanted)
{
	struct stn_places *places;

	if (too_many(count))
		return NULL;
	places = calloc(1, sizeof(*places) + count * sizeof(places->sets[0]));
	if (!places || hwloc_topology_init(&places->topology)) {
		free(places);
		return NULL;
	}
	places->count = count;
	if (load(places->topology) && restrict_to_allowed(places->topology) &&
	    fits(places->topology, count, wanted) && deal(places))
		return places;
	stn_places_destroy(places);
	return NULL;
}

void
stn_places_destroy(struct stn_places *places)
{
	if (!places)
		return;
	for (uint32_t i = 0; i < places->count; i++)
		hwloc_bitmap_free(places->sets[i]);
	hwloc_topology_destroy(places->topology);
	free(places);
}

void
stn_places_bind(struct stn_places *places, uint32_t index, const void *memory,
		size_t bytes)
{
	hwloc_cpuset_t set = places->sets[index];

	hwloc_set_cpubind(places->topology, set, HWLOC_CPUBIND_THREAD);
	if (hwloc_get_nbobjs_by_type(places->topology, HWLOC_OBJ_NUMANODE) > 1)
		hwloc_set_area_membind(places->topology, memory, bytes, set,
				       HWLOC_MEMBIND_BIND, 0);
}

#else

struct stn_places *
stn_places_create(uint32_t count, bool wanted)
{
	(void)count;
	(void)wanted;
	return NULL;
}

void
stn_places_destroy(struct stn_places *places)
{
	(void)places;
}

void
stn_places_bind(struct stn_places *places, uint32_t index, const void *memory,
		size_t bytes)
{
	(void)places;
	(void)index;
	(void)memory;
	(void)bytes;
}

#endif
