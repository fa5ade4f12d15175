/*
 * summary.h: the counts of a whole run, to be shown as a table for people or as
 * JSON for programs. man/sateen-stats.5 describes each member of the JSON.
 */
#ifndef STN_NODE_STATS_SUMMARY_H
#define STN_NODE_STATS_SUMMARY_H

#include <stdio.h>

#include "node/config.h"
#include "node/stats/tally.h"

#define STN_SUMMARY_LINE 200
#define STN_SUMMARY_SCHEMA "sateen-stats/1"

struct stn_summary {
	const struct stn_config *config;
	const struct stn_topology *topology;
	const struct stn_tally_layout *layout;
	uint32_t workers; /* workers of each node */
	int argc;
	char **argv;
	uint64_t run_ns;
	/* Tallies by rank; NULL: of a node that has told none. */
	struct stn_tally_packed *const *nodes;
	uint32_t begun;	  /* number of nodes, without ranks that nobody took */
	bool interrupted; /* the counts so far: sums need not hold */
	bool complete;	  /* the counts of all nodes that the run has had */
};

/*
 * stn_summary_total, _cluster: the sum over all nodes, or over the nodes of a
 * cluster.
 */
struct stn_tally stn_summary_total(const struct stn_summary *summary);
struct stn_tally stn_summary_cluster(const struct stn_summary *summary,
				     uint32_t cluster);

/* stn_ratio: @part / @whole; 0 if @whole is 0. */
double stn_ratio(uint64_t part, uint64_t whole);

/*
 * stn_summary_deaths: writes a line that says how many nodes have died or left,
 * and how their work was made good. Without a newline; empty if there is no
 * memory.
 */
void stn_summary_deaths(const struct stn_summary *summary, uint32_t died,
			uint32_t left, char line[STN_SUMMARY_LINE]);

/* stn_summary_complain: prints a line for each sum that does not hold. */
void stn_summary_complain(const struct stn_summary *summary, FILE *out);

#endif
