#include "steal/stats/summary.h"

#include <inttypes.h>

#include "steal/wire.h"

struct stn_stats
stn_summary_add(const struct stn_summary *summary, uint32_t first,
		uint32_t count)
{
	struct stn_stats sum = { 0 };

	for (uint32_t i = first; i < first + count; i++)
		stn_stats_add(&sum, &summary->nodes[i]);
	return sum;
}

struct stn_stats
stn_summary_total(const struct stn_summary *summary)
{
	return stn_summary_add(summary, 0, summary->topology->nodes);
}

struct stn_stats
stn_summary_cluster(const struct stn_summary *summary, uint32_t cluster)
{
	return stn_summary_add(summary,
			       stn_cluster_first(summary->topology, cluster),
			       stn_cluster_size(summary->topology, cluster));
}

double
stn_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

uint64_t
stn_stats_time(const struct stn_stats *stats)
{
	return stats->working_ns + stats->communicating_ns + stats->idle_ns;
}

static uint64_t
both(const struct stn_mail mails[2][STN_STATS_KINDS], enum stn_kind kind)
{
	return mails[false][kind].messages + mails[true][kind].messages;
}

static struct stn_steals
all_steals(const struct stn_stats *stats)
{
	const struct stn_steals *steals = stats->steals[0];
	struct stn_steals sum = { 0 };

	for (int i = 0; i < 4; i++) {
		sum.asked += steals[i].asked;
		sum.granted += steals[i].granted;
		sum.refused += steals[i].refused;
		sum.cancelled += steals[i].cancelled;
	}
	return sum;
}

bool
stn_stats_sums(const struct stn_stats *total, struct stn_sum sums[STN_SUMS])
{
	const struct stn_steals steals = all_steals(total);
	const struct stn_sum all[STN_SUMS] = {
		{ "tasks", "spawned", "executed", total->spawned,
		  total->executed_here + total->executed_elsewhere },
		{ "records", "left", "came", total->lent + total->relayed,
		  total->borrowed },
		{ "results", "due", "returned", total->borrowed,
		  both(total->received, STN_RESULT) + total->relayed +
			  total->came_home },
		{ "requests", "asked", "answered", steals.asked,
		  steals.granted + steals.refused + steals.cancelled },
		{ "replies", "due", "sent", both(total->received, STN_REQUEST),
		  both(total->sent, STN_GRANT) + both(total->sent, STN_REFUSE) +
			  total->held },
	};
	bool hold = true;

	for (int i = 0; i < STN_SUMS; i++) {
		sums[i] = all[i];
		hold &= all[i].left == all[i].right;
	}
	return hold;
}

void
stn_summary_complain(const struct stn_summary *summary, FILE *out)
{
	const struct stn_stats total = stn_summary_total(summary);
	struct stn_sum sums[STN_SUMS];

	if (stn_stats_sums(&total, sums))
		return;
	for (int i = 0; i < STN_SUMS; i++)
		if (sums[i].left != sums[i].right)
			fprintf(out,
				"sateen: the statistics don't add up: %s, "
				"%" PRIu64 " %s, but %" PRIu64 " %s\n",
				sums[i].name, sums[i].left, sums[i].left_name,
				sums[i].right, sums[i].right_name);
}
