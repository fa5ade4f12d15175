/*
 * once.h: what a node computes once for a cell, and uses in many parts. Any
 * thread, without a lock of the caller.
 */
#ifndef STN_PARTS_ONCE_H
#define STN_PARTS_ONCE_H

#include <pthread.h>

#include "parts/sateen_cells.h"
#include "transport/error.h"

struct stn_once_entry;
struct stn_once {
	pthread_mutex_t mutex;
	struct stn_once_entry **entries; /* a hash table */
	uint32_t count, mask;
};

/*
 * stn_once_init, _fini. stn_once_clear: forgets all; no other thread uses it.
 * stn_once_get: the bytes of @cell and @what; calls @make if there are none.
 * NULL: no memory.
 */
void stn_once_init(struct stn_once *once);
void stn_once_fini(struct stn_once *once);
void stn_once_clear(struct stn_once *once);
const void *stn_once_get(struct stn_once *once, uint32_t what,
			 const struct stn_cell *cell, size_t bytes,
			 stn_cells_make *make, const void *argument);

#endif
