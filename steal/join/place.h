/*
 * place.h: which core a worker runs on. Threads that fill their host are bound
 * to a core each, and their slabs to the memory next to it; threads that leave
 * cores free are the kernel's to place, as others may want cores, too.
 */
#ifndef STN_STEAL_JOIN_PLACE_H
#define STN_STEAL_JOIN_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nodes on one host; each of them knows all others. */
#define STN_PLACE_NODES 1024

struct stn_places;

/*
 * stn_places_create: deals the cores that this process may use to @count
 * threads, neighbours to neighbours. NULL if they are to be left alone: there
 * are fewer threads than cores, and they were not @wanted; more threads than
 * processors; no hwloc; or no memory.
 */
struct stn_places *stn_places_create(uint32_t count, bool wanted);

/* stn_places_destroy: NULL is fine. */
void stn_places_destroy(struct stn_places *places);

/*
 * stn_places_bind: binds the calling thread, which is number @index, to its
 * core, and @memory to that core's part of the memory. What the kernel doesn't
 * allow is left as it is.
 */
void stn_places_bind(struct stn_places *places, uint32_t index,
		     const void *memory, size_t bytes);

/* stn_place_known: is this a way to place nodes, as in stn_place_nodes? */
bool stn_place_known(const char *per);

/*
 * stn_place_nodes: how many nodes this host is to have by "host" (one), "numa"
 * (one for each of its memories), "core" (one for each core that this process
 * may use), or a number.
 */
uint32_t stn_place_nodes(const char *per);

/*
 * stn_place_process: binds this process, the @index'th node of those, to its
 * memory and the cores next to it, or to its core. What it becomes by exec is
 * bound, too. Nothing is bound by "host" or a number.
 */
void stn_place_process(const char *per, uint32_t index);

#endif
