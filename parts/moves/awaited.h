/*
 * awaited.h: which node the parts of this node wait for. For schedulers. Net
 * lock held.
 */
#ifndef STN_PARTS_MOVES_AWAITED_H
#define STN_PARTS_MOVES_AWAITED_H

#include "parts/parts.h"

/*
 * stn_awaited_node: the node for whose pieces that part of this node waits
 * which is furthest behind, if it has at most version @version: so each node of
 * a chain is further behind than the one before. STN_NOBODY if a part that is
 * as far behind can be swept. If the part waits for several nodes, another one
 * each time, because only one of them may be behind: @place remembers the last.
 */
uint32_t stn_awaited_node(struct stn_parts *array, uint64_t version,
			  uint32_t *place);

#endif
