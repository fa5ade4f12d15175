/*
 * summary_show.h: prints the counts of a run: as a table for people, and as
 * JSON for programs (man/sateen-stats.5).
 */
#ifndef STN_NODE_STATS_SUMMARY_SHOW_H
#define STN_NODE_STATS_SUMMARY_SHOW_H

#include "node/stats/summary.h"

void stn_summary_table(const struct stn_summary *summary, FILE *out);
void stn_summary_json(const struct stn_summary *summary, FILE *out);

#endif
