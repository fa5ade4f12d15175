/*
 * pages.h: the memory of the live counts (node/live/live.h) of several nodes,
 * an element for each. A launcher or an agent makes it, and its nodes map it:
 * they inherit a descriptor, and find its number and the index of their element
 * in the environment. One thread.
 */
#ifndef STN_LAUNCH_LIVE_PAGES_H
#define STN_LAUNCH_LIVE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "node/live/live.h"
#include "transport/error.h"

#define STN_JOIN_LIVE "STN_LIVE_FD"	     /* the descriptor */
#define STN_JOIN_LIVE_INDEX "STN_LIVE_INDEX" /* this node's element */

/* All zeros: none. */
struct stn_live_pages {
	struct stn_live *list; /* NULL: none */
	uint32_t count;
	int fd; /* if @list: of the shared memory, or -1 */
};

/*
 * stn_live_pages_init: makes zeroed memory for @count nodes, which child
 * processes can map if @shared. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_live_pages_init(struct stn_live_pages *pages,
					     uint32_t count, bool shared);
void stn_live_pages_fini(struct stn_live_pages *pages);

/*
 * stn_live_pages_join: maps the memory that the environment names, from this
 * process's own element on. Without any, or if that fails, @pages has none:
 * then nobody sees the node. Programs that the process starts don't inherit the
 * descriptor. The memory stays mapped as long as the process runs.
 */
void stn_live_pages_join(struct stn_live_pages *pages);

/* stn_live_pages_at: element @index; NULL: there is none. */
struct stn_live *stn_live_pages_at(const struct stn_live_pages *pages,
				   uint32_t index);

#endif
