/*
 * awaited.h: for which node the parts of this node wait. For schedulers. Net
 * lock held.
 */
#ifndef STN_PARTS_MOVES_AWAITED_H
#define STN_PARTS_MOVES_AWAITED_H

#include "parts/parts.h"

/*
 * stn_awaited_node: looks at the part of this node that has the lowest version,
 * and returns the node for whose pieces this part waits. STN_NOBODY if no part
 * has at most version @version, or if a part with the lowest version can be
 * swept. A node that is asked on behalf of another one passes the lowest
 * version of that node as @version; so each node of a chain is further behind
 * than the one before. If the part waits for several nodes, each call returns
 * another one, because only one of them may be behind. *@place remembers the
 * last one; the caller keeps it, and begins with 0.
 */
uint32_t stn_awaited_node(struct stn_parts *array, uint64_t version,
			  uint32_t *place);

#endif
