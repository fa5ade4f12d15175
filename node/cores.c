#ifdef HAVE_CONFIG_H
#include <config.h> /* not node/config.h */
#endif

#include "node/cores.h"

#ifdef HAVE_HWLOC

#include <limits.h>
#include <sched.h>
#include <stdlib.h>

#include "node/cores_hwloc.h"

struct stn_cores {
	hwloc_topology_t topology;
	uint32_t count;
	hwloc_cpuset_t sets[];
};

/* Checked first, since hwloc takes some ms. */
static bool
cores_too_many(uint32_t count)
{
	cpu_set_t allowed;

	return !sched_getaffinity(0, sizeof(allowed), &allowed) &&
	       count > (uint32_t)CPU_COUNT(&allowed);
}

/* Other types of objects would only make hwloc slower. */
static bool
keep_only_cores(hwloc_topology_t topology)
{
	return !hwloc_topology_set_all_types_filter(
		       topology, HWLOC_TYPE_FILTER_KEEP_NONE) &&
	       !hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PACKAGE,
					       HWLOC_TYPE_FILTER_KEEP_ALL) &&
	       !hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE,
					       HWLOC_TYPE_FILTER_KEEP_ALL);
}

/* A made-up topology (HWLOC_SYNTHETIC) is not this host, and stays whole. */
static bool
restrict_to_allowed(hwloc_topology_t topology)
{
	hwloc_cpuset_t allowed;
	bool done;

	if (!hwloc_topology_is_thissystem(topology))
		return true;
	allowed = hwloc_bitmap_alloc();
	done = allowed &&
	       !hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) &&
	       !hwloc_topology_restrict(topology, allowed, 0);
	hwloc_bitmap_free(allowed);
	return done;
}

bool
stn_cores_load(hwloc_topology_t *topology_p)
{
	hwloc_topology_t topology;

	if (hwloc_topology_init(&topology))
		return false;
	if (keep_only_cores(topology) && !hwloc_topology_load(topology) &&
	    restrict_to_allowed(topology)) {
		*topology_p = topology;
		return true;
	}
	hwloc_topology_destroy(topology);
	return false;
}

static bool
fits(hwloc_topology_t topology, uint32_t count, bool forced)
{
	int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
	int processors = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);

	return count <= (uint32_t)processors &&
	       (forced || count >= (uint32_t)cores);
}

static bool
cores_deal(struct stn_cores *cores)
{
	hwloc_obj_t root = hwloc_get_root_obj(cores->topology);

	if (hwloc_distrib(cores->topology, &root, 1, cores->sets, cores->count,
			  INT_MAX, 0))
		return false;
	for (uint32_t i = 0; i < cores->count; i++)
		hwloc_bitmap_singlify(cores->sets[i]);
	return true;
}

struct stn_cores *
stn_cores_create(uint32_t count, bool forced)
{
	struct stn_cores *cores;

	if (cores_too_many(count))
		return NULL;
	cores = calloc(1, sizeof(*cores) + count * sizeof(cores->sets[0]));
	if (!cores || !stn_cores_load(&cores->topology)) {
		free(cores);
		return NULL;
	}
	cores->count = count;
	if (fits(cores->topology, count, forced) && cores_deal(cores))
		return cores;
	stn_cores_destroy(cores);
	return NULL;
}

void
stn_cores_destroy(struct stn_cores *cores)
{
	if (!cores)
		return;
	for (uint32_t i = 0; i < cores->count; i++)
		hwloc_bitmap_free(cores->sets[i]);
	hwloc_topology_destroy(cores->topology);
	free(cores);
}

void
stn_cores_bind(struct stn_cores *cores, uint32_t index, const void *memory,
	       size_t bytes)
{
	hwloc_cpuset_t set = cores->sets[index];

	hwloc_set_cpubind(cores->topology, set, HWLOC_CPUBIND_THREAD);
	if (bytes &&
	    hwloc_get_nbobjs_by_type(cores->topology, HWLOC_OBJ_NUMANODE) > 1)
		hwloc_set_area_membind(cores->topology, memory, bytes, set,
				       HWLOC_MEMBIND_BIND, 0);
}

#else

struct stn_cores *
stn_cores_create(uint32_t count, bool forced)
{
	(void)count;
	(void)forced;
	return NULL;
}

void
stn_cores_destroy(struct stn_cores *cores)
{
	(void)cores;
}

void
stn_cores_bind(struct stn_cores *cores, uint32_t index, const void *memory,
	       size_t bytes)
{
	(void)cores;
	(void)index;
	(void)memory;
	(void)bytes;
}

#endif
