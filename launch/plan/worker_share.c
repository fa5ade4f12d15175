#include "launch/plan/worker_share.h"

#include "launch/plan/quota.h"

/* The part of @count that sharer @index gets, at least 1. */
static uint32_t
deal_part(uint32_t count, uint32_t sharers, uint32_t index)
{
	uint32_t part = count / sharers + (index < count % sharers);

	return part ? part : 1;
}

static bool
has_same_cores(const struct stn_plan *plan, uint32_t a, uint32_t b)
{
	return !plan->cores || CPU_EQUAL(&plan->cores[a], &plan->cores[b]);
}

static uint32_t
count_same_cores(const struct stn_plan *plan)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->local_nodes; i++)
		count += has_same_cores(plan, i, plan->local_rank);
	return count;
}

/*
 * The workers of local rank @index, which is number @place of the @sharers
 * nodes that have the same cores.
 */
static uint32_t
workers_of(const struct stn_config *config, const struct stn_plan *plan,
	   uint32_t processors, uint32_t quota, uint32_t index, uint32_t place,
	   uint32_t sharers)
{
	uint32_t workers, most;

	if (config->workers)
		return (uint32_t)config->workers;
	workers = deal_part(processors, sharers, place);
	most = quota ? deal_part(quota, plan->local_nodes, index) : workers;
	return workers < most ? workers : most;
}

struct stn_worker_share
stn_worker_share_make(const struct stn_config *config,
		      const struct stn_plan *plan, const cpu_set_t *own,
		      uint32_t quota)
{
	uint32_t processors = (uint32_t)CPU_COUNT(own);
	uint32_t sharers = count_same_cores(plan), place = 0;
	struct stn_worker_share share = { .workers = 1 };

	for (uint32_t i = 0; i < plan->local_nodes; i++) {
		uint32_t workers;

		if (!has_same_cores(plan, i, plan->local_rank))
			continue;
		workers = workers_of(config, plan, processors, quota, i, place,
				     sharers);
		place++;
		if (i < plan->local_rank)
			share.first += workers;
		if (i == plan->local_rank)
			share.workers = workers;
		share.all += workers;
	}
	return share;
}

struct stn_worker_share
stn_worker_share_here(const struct stn_config *config,
		      const struct stn_plan *plan)
{
	cpu_set_t own;

	if (sched_getaffinity(0, sizeof(own), &own)) {
		CPU_ZERO(&own);
		CPU_SET(0, &own);
	}
	return stn_worker_share_make(config, plan, &own,
				     stn_quota_processors(""));
}
