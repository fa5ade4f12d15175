/*
 * report_show.h: shows the gathered tallies of a run to the user: as JSON in
 * the file of the setting `stats`, if it names one, else as a table on standard
 * error.
 */
#ifndef STN_NODE_STATS_REPORT_SHOW_H
#define STN_NODE_STATS_REPORT_SHOW_H

#include <stdio.h>

#include "node/node.h"
#include "node/stats/summary.h"
#include "node/stats/tally.h"

struct stn_report_show {
	const struct stn_node *node;
	/*
	 * How many nodes have lived, died and left; the node's members may
	 * change meanwhile.
	 */
	uint32_t begun, died, left;
	FILE *json; /* the open file, or NULL */
	bool shown; /* stn_report_show_counts was called */
};

void stn_report_show_init(struct stn_report_show *show,
			  const struct stn_node *node);
void stn_report_show_fini(struct stn_report_show *show);

/*
 * stn_report_show_open: opens the JSON file, if one is wanted. STN_IO. Node 0
 * calls it when the run begins; any other root gets the file opened by
 * stn_report_show_counts.
 */
STN_CHECKED enum stn_err stn_report_show_open(struct stn_report_show *show,
					      struct stn_why *why);

/*
 * stn_report_show_members: what is shown from now on counts the node's members
 * of now. Net lock held.
 */
void stn_report_show_members(struct stn_report_show *show);

/*
 * stn_report_show_counts: shows the counts of all nodes. If the file can't be
 * written, says so on standard error and returns STN_IO.
 * @tallies      by rank; NULL: of a node that has told none
 * @interrupted  the run was interrupted, and these are the counts so far
 */
enum stn_err stn_report_show_counts(struct stn_report_show *show,
				    struct stn_tally_packed *const *tallies,
				    bool interrupted);

/*
 * stn_report_show_deaths: writes the line that says how many nodes have died or
 * left; empty if none has.
 */
void stn_report_show_deaths(const struct stn_report_show *show,
			    struct stn_tally_packed *const *tallies,
			    char line[STN_SUMMARY_LINE]);

#endif
