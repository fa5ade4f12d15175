/*
 * count.h: the counts of a service. They are a structure of uint64_t only, so
 * that a loop can add and send them. A table names the counts that are shown,
 * in the table that --stats prints and in JSON.
 */
#ifndef STN_NODE_STATS_COUNT_H
#define STN_NODE_STATS_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct stn_tally;
struct stn_tally_layout;

/* A count that is shown. */
struct stn_count {
	const char *name; /* in JSON; the name of a time ends in _ns */
	const char *text; /* in the table; indented if part of the row above */
	size_t offset;	  /* offset in its service's structure */

	/*
	 * The name of the count behind which this one is shown; NULL: behind
	 * the last.
	 */
	const char *after;

	/*
	 * The JSON member for each cluster's share of the total, and its text
	 * in the table. NULL: shares are not shown.
	 */
	const char *share, *share_text;
};

/*
 * Two numbers, counted in different places, that must be equal over all nodes
 * when a run has ended; if @local is set, also on each node by itself, and so
 * over the nodes that are left when others have died.
 */
struct stn_sum {
	const char *name;
	const char *left_name, *right_name;
	uint64_t left, right;
	bool local;
};

#define STN_SUMS_MOST 16

/* The counts of a service, or of the core. */
struct stn_count_table {
	const struct stn_count *rows;
	size_t count;
	size_t bytes; /* bytes of the structure */

	/*
	 * Optional: writes the sums that must hold for a run's total. Returns
	 * their number.
	 */
	size_t (*sums)(const struct stn_tally_layout *layout,
		       const struct stn_tally *total,
		       struct stn_sum sums[STN_SUMS_MOST]);

	/*
	 * Optional: writes, in a few words, how the work of nodes that died was
	 * made good.
	 */
	void (*recovery)(const struct stn_tally_layout *layout,
			 const struct stn_tally *total, FILE *out);
};

#endif
