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
	COUNT(hector_reports, "reports to the master allocator"),
	COUNT(requests_passed, "requests passed on by it"),
	COUNT(requests_held, "  held until the master registered"),
	COUNT(requests_waited_ns, "  seconds that they waited there"),
};

const struct stn_count_table stn_hector_counts_table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.bytes = sizeof(struct stn_hector_counts),
};

void
stn_hector_count(void *state, struct stn_tally *tally)
{
	const struct stn_hector *hector = state;
	struct stn_hector_counts *sum;

	if (!hector)
		return;
	sum = stn_tally_of(hector->node->services, &stn_hector_counts_table,
			   tally);
	*sum = hector->counts;
}
