/* sort.h: sorts keys of records. */
#ifndef STN_PARTS_SORT_H
#define STN_PARTS_SORT_H

#include <stddef.h>

#include "parts/cells/morton.h"
#include "transport/error.h"

/*
 * stn_keys_sort: sorts @count keys, and sets @order to the places that they
 * had. No two are equal. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_keys_sort(struct stn_record_key *keys,
				       uint32_t *order, size_t count);

#endif
