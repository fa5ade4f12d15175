#include "node/stats/summary.h"

#include <inttypes.h>

struct stn_tally
stn_summary_total(const struct stn_summary *summary)
{
	struct stn_tally sum = { .words = { 0 } };

	for (uint32_t i = 0; i < summary->topology->nodes; i++)
		stn_tally_add(&sum, summary->nodes[i]);
	return sum;
}

struct stn_tally
stn_summary_cluster(const struct stn_summary *summary, uint32_t cluster)
{
	const struct stn_topology *topology = summary->topology;
	uint32_t size = stn_cluster_size(topology, cluster);
	struct stn_tally sum = { .words = { 0 } };

	for (uint32_t i = 0; i < size; i++)
		stn_tally_add(&sum, summary->nodes[stn_cluster_rank(
					    topology, cluster, i)]);
	return sum;
}

double
stn_ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

void
stn_summary_deaths(const struct stn_summary *summary, uint32_t died,
		   uint32_t left, char line[STN_SUMMARY_LINE])
{
	const struct stn_service *const *services = summary->layout->services;
	const struct stn_tally total = stn_summary_total(summary);
	FILE *text = fmemopen(line, STN_SUMMARY_LINE, "w");

	*line = '\0';
	if (!text)
		return;
	fputs("sateen: nodes ", text);
	if (died || !left)
		fprintf(text, "died: %" PRIu32, died);
	if (left)
		fprintf(text, "%sleft: %" PRIu32, died ? ", " : "", left);
	for (size_t i = 0; services[i]; i++)
		if (services[i]->counts && services[i]->counts->recovery)
			services[i]->counts->recovery(summary->layout, &total,
						      text);
	fclose(text);
}

void
stn_summary_complain(const struct stn_summary *summary, FILE *out)
{
	const struct stn_tally total = stn_summary_total(summary);
	struct stn_sum sums[STN_SUMS_MOST];
	bool hold;
	size_t count = stn_tally_sums(summary->layout, &total,
				      summary->complete, sums, &hold);

	for (size_t i = 0; i < count; i++)
		if (sums[i].left != sums[i].right)
			fprintf(out,
				"sateen: the statistics don't add up: %s, "
				"%" PRIu64 " %s, but %" PRIu64 " %s\n",
				sums[i].name, sums[i].left, sums[i].left_name,
				sums[i].right, sums[i].right_name);
}
