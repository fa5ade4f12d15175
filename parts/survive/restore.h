/*
 * restore.h: after a death all parts of an array return to an earlier version
 * on new homes, in a new generation. Then the root repeats the operations since
 * then (command.h). Net lock held.
 */
#ifndef STN_PARTS_SURVIVE_RESTORE_H
#define STN_PARTS_SURVIVE_RESTORE_H

#include "parts/parts.h"

/*
 * stn_restore: the parts return to version @version on the nodes of @homes,
 * which have copies of them. The array takes over the memory of @homes. Version
 * 0: as when the array was made. Then @homes may be empty: @nodes nodes, whose
 * ranks are @ranks, get equal shares; if @nodes is 0, the array is forgotten,
 * as if it had not been made. All nodes call stn_restore in the same view with
 * the same arguments. Parts return as soon as no worker sweeps a part of the
 * array.
 * stn_restore_forgets: whether the array will be forgotten when no worker
 * sweeps a part of it any more.
 * stn_restore_begin: lets the parts return, unless a worker still sweeps a part
 * of the array.
 */
void stn_restore(struct stn_parts *array, uint64_t version,
		 struct stn_homes *homes, const uint32_t *ranks,
		 uint32_t nodes);
void stn_restore_begin(struct stn_parts *array);
static inline bool
stn_restore_forgets(const struct stn_parts *array)
{
	return array->restoring && !array->nodes;
}

#endif
