#include "parts/counts.h"

#include "node/node.h"
#include "node/stats/tally.h"
#include "parts/parts.h"

#define COUNT(name, text)                                                      \
	{                                                                      \
#name, text, offsetof(struct stn_parts_counts, name), NULL,    \
			NULL, NULL                                             \
	}

static const struct stn_count rows[] = {
	COUNT(arrays, "arrays made"),
	COUNT(turns, "parts filled, swept or measured"),
	{ "points", "  points computed in them",
	  offsetof(struct stn_parts_counts, points), NULL, "share_points",
	  "share of the points computed" },
	COUNT(given, "parts that left their node"),
	COUNT(taken, "parts that came from another"),
	COUNT(last_sweep_ns, "seconds of the last sweeps"),
	COUNT(pieces_lan, "pieces of halos sent, LAN"),
	COUNT(pieces_wan, "pieces of halos sent, WAN"),
	COUNT(copies, "parts copied to other nodes"),
	COUNT(copy_ns, "  time of making and sending them"),
	COUNT(copy_bytes_most, "  bytes of copies at most"),
	COUNT(copied_versions, "  complete versions"),
	COUNT(copied_blocks, "  blocks between the last two"),
	COUNT(kept_versions, "  versions on disk"),
	COUNT(revived, "parts that came from disk"),
	COUNT(returned, "parts returned after deaths"),
};

/* The sum that must hold over all nodes: each part that left one has come. */
static size_t
parts_sums(const struct stn_tally_layout *layout, const struct stn_tally *total,
	   struct stn_sum sums[STN_SUMS_MOST])
{
	const struct stn_parts_counts *counts =
		stn_tally_of(layout->services, &stn_parts_counts_table,
			     (struct stn_tally *)(uintptr_t)total);

	sums[0] = (struct stn_sum){ "parts",	   "left",	  "came",
				    counts->given, counts->taken, false };
	return 1;
}

const struct stn_count_table stn_parts_counts_table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.bytes = sizeof(struct stn_parts_counts),
	.sums = parts_sums,
};

void
stn_parts_count(void *state, struct stn_tally *tally)
{
	const struct stn_parts_service *service = state;
	struct stn_parts_counts *sum = stn_tally_of(
		service->node->services, &stn_parts_counts_table, tally);

	*sum = service->counts;
	sum->pieces_lan =
		tally->core.sent[false][STN_PARTS_KIND_PIECE].messages;
	sum->pieces_wan = tally->core.sent[true][STN_PARTS_KIND_PIECE].messages;
}
