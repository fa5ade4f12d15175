#include "steal/join/share.h"

#include "steal/join/quota.h"

/* Of @count, what the @index'th of @sharers gets; at least one. */
static uint32_t
deal(uint32_t count, uint32_t sharers, uint32_t index)
{
	uint32_t part = count / sharers + (index < count % sharers);

	return part ? part : 1;
}

static bool
alike(const struct stn_plan *plan, uint32_t a, uint32_t b)
{
	return !plan->cores || CPU_EQUAL(&plan->cores[a], &plan->cores[b]);
}

static uint32_t
count_alike(const struct stn_plan *plan)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->mates; i++)
		count += alike(plan, i, plan->index);
	return count;
}

/* Of the host's @index'th node, which is @place'th of @sharers. */
static uint32_t
workers_of(const struct stn_config *config, const struct stn_plan *plan,
	   uint32_t processors, uint32_t quota, uint32_t index, uint32_t place,
	   uint32_t sharers)
{
	uint32_t workers, most;

	if (config->workers)
		return (uint32_t)config->workers;
	workers = deal(processors, sharers, place);
	most = quota ? deal(quota, plan->mates, index) : workers;
	return workers < most ? workers : most;
}

struct stn_share
stn_share_make(const struct stn_config *config, const struct stn_plan *plan,
	       const cpu_set_t *own, uint32_t quota)
{
	uint32_t processors = (uint32_t)CPU_COUNT(own);
	uint32_t sharers = count_alike(plan), place = 0;
	struct stn_share share = { .workers = 1 };

	for (uint32_t i = 0; i < plan->mates; i++) {
		uint32_t workers;

		if (!alike(plan, i, plan->index))
			continue;
		workers = workers_of(config, plan, processors, quota, i, place,
				     sharers);
		place++;
		if (i < plan->index)
			share.first += workers;
		if (i == plan->index)
			share.workers = workers;
		share.all += workers;
	}
	return share;
}

struct stn_share
stn_share_here(const struct stn_config *config, const struct stn_plan *plan)
{
	cpu_set_t own;

	if (sched_getaffinity(0, sizeof(own), &own)) {
		CPU_ZERO(&own);
		CPU_SET(0, &own);
	}
	return stn_share_make(config, plan, &own, stn_quota_processors(""));
}
