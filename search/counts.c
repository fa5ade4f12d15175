#include "search/counts.h"

#include "node/stats/tally.h"
#include "search/service.h"

#define COUNT(name, member, text)                                              \
	{                                                                      \
		name, text, offsetof(struct stn_search_counts, member), NULL,  \
			NULL, NULL                                             \
	}

static const struct stn_count rows[] = {
	COUNT("bounds", made, "bounds made"),
	COUNT("improvements", improved, "improvements by tasks"),
	COUNT("incumbents_sent", sent, "incumbents sent to other nodes"),
	COUNT("incumbents_arrived", arrived,
	      "incumbents that came from other nodes"),
	COUNT("incumbents_late", late, "  and were no better"),
	COUNT("incumbents_unanswered", unanswered,
	      "incumbents not answered at the end"),
};

/*
 * The sums that must hold on each node by itself:
 *
 *	bounds	    changes of incumbents and limits; limits that were set,
 *		    improvements by tasks, and incumbents that came and were
 *		    better
 *	incumbents  told; answered, or not answered any more
 */
static size_t
search_sums(const struct stn_tally_layout *layout,
	    const struct stn_tally *total, struct stn_sum sums[STN_SUMS_MOST])
{
	const struct stn_search_counts *counts =
		stn_tally_of(layout->services, &stn_search_counts_table,
			     (struct stn_tally *)(uintptr_t)total);

	sums[0] = (struct stn_sum){ "bounds", "changed", "improved",
				    counts->changed,
				    counts->limited + counts->improved +
					    counts->arrived - counts->late,
				    true };
	sums[1] = (struct stn_sum){ "incumbents", "told", "answered",
				    counts->told,
				    counts->answered + counts->unanswered,
				    true };
	return 2;
}

const struct stn_count_table stn_search_counts_table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.bytes = sizeof(struct stn_search_counts),
	.sums = search_sums,
};

/* Adds what each bound knows itself. */
static void
count_bounds(const struct stn_bounds *bounds, struct stn_search_counts *counts)
{
	struct stn_bound_state *bound = NULL;

	while ((bound = stn_bounds_next(bounds, bound))) {
		counts->changed += bound->version;
		for (uint32_t i = 0; i < bounds->nodes; i++)
			counts->unanswered += bound->peers[i].waiting;
	}
}

void
stn_search_count(void *state, struct stn_tally *tally)
{
	const struct stn_search *search = state;
	struct stn_search_counts *counts = stn_tally_of(
		search->node->services, &stn_search_counts_table, tally);

	*counts = search->counts;
	count_bounds(&search->bounds, counts);
}
