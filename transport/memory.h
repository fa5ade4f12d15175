/*
 * memory.h: memory without which a transport can't keep its promises: a send
 * has no way to report that memory ran out. Any thread may call these
 * functions.
 */
#ifndef STN_TRANSPORT_MEMORY_H
#define STN_TRANSPORT_MEMORY_H

#include <stdlib.h>
#include <string.h>

/*
 * stn_or_abort: returns @memory, which malloc or calloc returned, or aborts if
 * it is NULL.
 */
static inline void *
stn_or_abort(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/*
 * stn_append: copies @size bytes to @at. Returns the end of the copy. If @size
 * is 0, @bytes may be NULL.
 */
static inline unsigned char *
stn_append(void *at, const void *bytes, size_t size)
{
	if (size)
		memcpy(at, bytes, size);
	return (unsigned char *)at + size;
}

#endif
