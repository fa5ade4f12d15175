/*
 * regroup.h: what a view of the membership changes for arrays. Net lock held.
 *
 * When a node applies a view, it counts its finished parts anew (gather.h) and
 * sends notices (node/membership.h): which arrays it knows, with the number of
 * operations that it knows of each; and whether a node is gone whose parts are
 * lost. When all nodes have applied the view, all have the same notices, and
 * come to the same conclusions without a further message:
 *
 *	the root does not know the array	all nodes forget it: main will
 *						make it
 *	the array is being made: CREATE may	the same: the call of CREATE is
 *	not have reached all nodes, which then	made again
 *	ignore it
 *	the root is a new one, and main on the
 *	former root had got points of the
 *	array (STN_GET) before operations	the same
 *	the node whose task has made it is lost	the same: the task runs
 *						again
 *	parts are lost				they all return to an earlier
 *						version (restore.h)
 *	nodes know more operations than the root,
 *	or have begun more of those that the
 *	root repeats				the same
 *
 * Then the root sends the current operations again, and KNOW to nodes that lack
 * an array.
 */
#ifndef STN_PARTS_SURVIVE_REGROUP_H
#define STN_PARTS_SURVIVE_REGROUP_H

#include "parts/parts.h"

struct stn_notice;

/*
 * stn_regroup_died, stn_regroup_notices, stn_regroup_noticed: see died, notices
 * and noticed in node/service.h.
 */
void stn_regroup_died(struct stn_parts_service *service, uint32_t rank);
void stn_regroup_notices(struct stn_parts_service *service);
void stn_regroup_noticed(struct stn_parts_service *service,
			 const struct stn_notice *notices, size_t count);

#endif
