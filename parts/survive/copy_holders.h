/*
 * copy_holders.h: which nodes have copies of parts, for the choice of a version
 * to which all parts return after a death. Net lock held.
 */
#ifndef STN_PARTS_SURVIVE_COPY_HOLDERS_H
#define STN_PARTS_SURVIVE_COPY_HOLDERS_H

#include "node/membership.h"
#include "parts/parts.h"

/*
 * stn_copies_notices: sends notices of all copies on this node.
 * stn_copies_choose: the newest version of which, by the notices, each part has
 * a copy; 0: there is none. Sets @homes to nodes that have these copies; the
 * caller frees it (stn_homes_fini).
 */
void stn_copies_notices(struct stn_parts *array);
uint64_t stn_copies_choose(const struct stn_parts *array,
			   const struct stn_notice *notices, size_t count,
			   struct stn_homes *homes);

#endif
