/*
 * summary.h: what a run has counted, for people (a table) and for programs
 * (JSON, described member by member in man/sateen-stats.5).
 */
#ifndef STN_STEAL_STATS_SUMMARY_H
#define STN_STEAL_STATS_SUMMARY_H

#include <stdio.h>

#include "steal/config.h"
#include "steal/stats/stats.h"

#define STN_SUMMARY_SCHEMA "sateen-stats/1"

struct stn_summary {
	const struct stn_config *config;
	const struct stn_topology *topology;
	uint32_t workers; /* of each node */
	int argc;
	char **argv;
	uint64_t run_ns;
	const struct stn_stats *nodes; /* by rank */
	bool interrupted;	       /* they are those so far: no sums hold */
};

/* stn_summary_add: adds up @count nodes from rank @first on. */
struct stn_stats stn_summary_add(const struct stn_summary *summary,
				 uint32_t first, uint32_t count);

/* stn_summary_total, _cluster: all nodes; those of a cluster. */
struct stn_stats stn_summary_total(const struct stn_summary *summary);
struct stn_stats stn_summary_cluster(const struct stn_summary *summary,
				     uint32_t cluster);

/* stn_share: of 1; 0 of nothing. */
double stn_share(uint64_t part, uint64_t whole);

/* stn_stats_time: all there was, of the workers. */
uint64_t stn_stats_time(const struct stn_stats *stats);

/*
 * Two numbers that were counted in different places and are the same, over all
 * nodes, when a run has ended:
 *
 *	tasks	  spawned; executed
 *	records	  that left a node; that came to one
 *	results	  records that came; returned, relayed or brought home
 *	requests  asked; granted, refused or cancelled
 *	replies	  requests received; answered, or held at the end
 */
struct stn_sum {
	const char *name;
	const char *left_name, *right_name;
	uint64_t left, right;
};

#define STN_SUMS 5

/* stn_stats_sums: those of a total. True if all are the same. */
bool stn_stats_sums(const struct stn_stats *total,
		    struct stn_sum sums[STN_SUMS]);

void stn_summary_table(const struct stn_summary *summary, FILE *out);
void stn_summary_json(const struct stn_summary *summary, FILE *out);

/* stn_summary_complain: a line for each sum that is not the same. */
void stn_summary_complain(const struct stn_summary *summary, FILE *out);

#endif
