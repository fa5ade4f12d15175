#include "parts/hector/counts.h"

#include "node/node.h"
#include "node/stats/tally.h"
#include "parts/hector/hector.h"

#define COUNT(name, text)                                                      \
	{                                                                      \
#name, text, offsetof(struct stn_hector_counts, name), NULL,   \
			NULL, NULL                                             \
	}

static const struct stn_count rows[] = {
	COUNT(sets_left, "resident sets that left their node"),
	COUNT(sets_come, "resident sets that came to a node"),
	COUNT(set_bytes, "  bytes of their parts"),
	COUNT(set_ns, "  seconds until the last part had left"),
	COUNT(reports, "reports to the master allocator"),
	COUNT(requests, "requests passed on by it"),
	COUNT(requests_held, "  held until the master registered"),
	COUNT(waited_ns, "  seconds that they waited there"),
};

/* Each resident set that left a node has come to one. */
static size_t
hector_sums(const struct stn_tally_layout *layout,
	    const struct stn_tally *total, struct stn_sum sums[STN_SUMS_MOST])
{
	const struct stn_hector_counts *counts =
		stn_tally_of(layout->services, &stn_hector_counts_table,
			     (struct stn_tally *)(uintptr_t)total);

	sums[0] = (struct stn_sum){
		"resident sets",   "left", "came", counts->sets_left,
		counts->sets_come, false
	};
	return 1;
}

const struct stn_count_table stn_hector_counts_table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.bytes = sizeof(struct stn_hector_counts),
	.sums = hector_sums,
};

void
stn_hector_count(void *state, struct stn_tally *tally)
{
	const struct stn_hector *hector = state;
	struct stn_hector_counts *sum = stn_tally_of(
		hector->node->services, &stn_hector_counts_table, tally);

	*sum = hector->counts;
}
