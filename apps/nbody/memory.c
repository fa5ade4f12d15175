/*
 * memory.c: how the C library keeps memory that nbody has freed. Each step
 * frees and allocates the same amounts again, in blocks of some megabytes. If
 * the library gave the memory back to the system meanwhile, the system would
 * have to clear it again for each step, which takes up to an eighth of the time.
 */
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

#define KEPT (1 << 30)
/* Larger blocks are given back; the library's own limit. */
#define BLOCK_MOST (32 << 20)

/* On each node, before any thread has memory of its own, which is trimmed. */
__attribute__((constructor)) static void
keep_memory(void)
{
	mallopt(M_TRIM_THRESHOLD, KEPT);
	mallopt(M_MMAP_THRESHOLD, BLOCK_MOST);
	mallopt(M_ARENA_MAX, 1);
}
#endif
