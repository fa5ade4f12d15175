/*
 * gather.h: tells the root when all nodes have finished an operation. Reports
 * go up the tree of the living nodes: a node waits for the first reports of its
 * children, and sends one report for its subtree. Parts that move may be
 * finished later, and are reported then. The root tells the node that has
 * called the operation. Net lock held.
 *
 * Reports are about one view of the membership. With the next view all nodes
 * begin again to count the finished parts that they have, and the root begins
 * from nothing. A part that moves meanwhile carries the view in which it was
 * counted last, so it is counted once in each view. A parent applies a view
 * before its children do, so no report is of a view that its receiver does not
 * know.
 */
#ifndef STN_PARTS_GATHER_H
#define STN_PARTS_GATHER_H

#include "parts/parts.h"

/*
 * stn_gather_begin: an operation begins on this node, or the node has applied a
 * view: counts anew.
 * stn_gather_part: one of this node's parts has finished the operation.
 * stn_gather_again: counts the part if it has finished the operation, and has
 * not been counted in this view.
 * stn_gather_flush: reports, if this node has nothing more to do in the
 * operation at the moment.
 * stn_gather_take: a report has arrived.
 * stn_gather_waits: whether this node has its parts from disk, and does not
 * report that yet, because second copies of them have not left. If a node dies
 * before all have reported, all read their parts once more. After that only the
 * copies help: the operations before this version are not known (revive.h).
 */
void stn_gather_begin(struct stn_parts *array);
void stn_gather_part(struct stn_part *part);
void stn_gather_again(struct stn_part *part);
void stn_gather_flush(struct stn_parts *array);
void stn_gather_take(struct stn_parts *array, const struct stn_message *message,
		     const struct stn_parts_finished *said);
static inline bool
stn_gather_waits(const struct stn_parts *array)
{
	return array->revived && !array->gather.number && array->copies.unsent;
}

/*
 * stn_gather_complete: lets this node's caller go on.
 * stn_gather_tell: on the root: does so on node @caller.
 */
void stn_gather_complete(struct stn_parts *array);
void stn_gather_tell(struct stn_parts *array, uint32_t caller);

#endif
