/*
 * plan_fuse.c: results with fused multiply-add have other bits than those
 * without. So all nodes of a run do the same: what the nodes with which the run
 * begins can do.
 */
#include "launch/plan/plan_fuse.h"

#include <string.h>

static bool
joins_later(const struct stn_topology *topology, uint32_t rank)
{
	uint32_t first;
	uint32_t count = stn_cluster_late(
		topology, stn_cluster_of(topology, rank), &first);

	return rank - first < count;
}

enum stn_err
plan_fuse(struct plan_run *run, uint32_t rank, struct stn_why *why)
{
	bool late = joins_later(run->topology, rank), all = true;

	for (uint32_t i = 0; i < run->nodes; i++)
		if (i == run->rank ? !late
				   : !joins_later(run->topology,
						  stn_wireup_rank(run->wireup,
								  i)))
			all = all && run->surveys[i].fuses;
	if (all && !run->surveys[run->rank].fuses)
		return stn_because(why, STN_INVALID,
				   "this node has no fused multiply-add, and "
				   "those of the run have it; only a run with "
				   "--fuse no can be joined");
	if (!all)
		strcpy(run->config->fuse, "no");
	return STN_OK;
}
