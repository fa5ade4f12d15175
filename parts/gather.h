/*
 * gather.h: tells the node that has called an operation when all nodes have
 * finished it. Reports go up the tree of the living nodes: a node waits for the
 * first reports of its children, and sends one report for its subtree. Parts
 * that move may be finished later, and are reported then. Net lock held.
 */
#ifndef STN_PARTS_GATHER_H
#define STN_PARTS_GATHER_H

#include "parts/parts.h"

/*
 * stn_gather_begin: an operation begins on this node, whose tree has
 * @children.
 * stn_gather_part: one of this node's parts has finished the operation.
 * stn_gather_value: the measure of a part.
 * stn_gather_flush: reports, if this node has nothing more to do in the
 * operation at the moment.
 * stn_gather_take: a report has arrived. STN_MALFORMED.
 * stn_gather_awaits: whether this node is the caller of a COLLECT of part @part.
 * stn_gather_points: the points of a part have arrived for the caller.
 */
void stn_gather_begin(struct stn_parts *array, uint32_t children);
void stn_gather_part(struct stn_part *part);
void stn_gather_value(struct stn_part *part, double value);
void stn_gather_flush(struct stn_parts *array);
STN_CHECKED enum stn_err stn_gather_take(struct stn_parts *array,
					 const struct stn_message *message,
					 const struct stn_parts_finished *said);
bool stn_gather_awaits(const struct stn_parts *array, uint32_t part);
void stn_gather_points(struct stn_parts *array, struct stn_points *points);

#endif
