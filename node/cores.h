/*
 * cores.h: binds workers to cores. If the workers fill their host, each worker
 * is bound to a core, and its slab to the memory next to that core. If they
 * leave cores free, the kernel places them, since other programs may need cores
 * as well.
 */
#ifndef STN_NODE_CORES_H
#define STN_NODE_CORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stn_cores;

/*
 * stn_cores_create: deals the cores that this process may use to @count
 * threads; threads with adjacent numbers get cores close to each other. NULL if
 * the threads are to stay unbound: there are fewer threads than cores, unless
 * @forced; there are more threads than processors; hwloc is missing or fails;
 * or there is no memory. Takes some ms, in which hwloc looks at the host.
 */
struct stn_cores *stn_cores_create(uint32_t count, bool forced);

/* stn_cores_destroy: @cores may be NULL. */
void stn_cores_destroy(struct stn_cores *cores);

/*
 * stn_cores_bind: binds the calling thread to the core that was dealt to number
 * @index, and @memory to the NUMA domain of that core; @bytes 0: no memory.
 * Errors of the kernel are ignored. Threads may call it at the same time.
 */
void stn_cores_bind(struct stn_cores *cores, uint32_t index, const void *memory,
		    size_t bytes);

#endif
