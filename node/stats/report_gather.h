/*
 * report_gather.h: the root's side of STATS messages (report.h): takes the
 * tallies of all nodes. A node that is not the root gathers, too, if the run
 * survives deaths: it may have become the root for the sender, but not yet for
 * itself.
 *
 * The net lock is held in all calls while the node has a transport.
 */
#ifndef STN_NODE_STATS_REPORT_GATHER_H
#define STN_NODE_STATS_REPORT_GATHER_H

#include "node/node.h"
#include "node/stats/tally.h"

struct stn_report_gather {
	struct stn_node *node;
	/*
	 * By rank; NULL: has not arrived. The array is NULL if no room was
	 * made.
	 */
	struct stn_tally_packed **tallies;
	uint32_t missing; /* a rank whose tally has not arrived, perhaps */
};

/*
 * stn_report_gather_room: makes room for the tallies of all nodes, if there is
 * none. False: no memory.
 */
bool stn_report_gather_room(struct stn_report_gather *gather);
void stn_report_gather_fini(struct stn_report_gather *gather);

/*
 * stn_report_gather_take: a STATS message has arrived. STN_MALFORMED if its
 * payload is no tally. Fails the node if the run does not survive deaths and
 * this node is not the root, or the tally is lost.
 */
STN_CHECKED enum stn_err
stn_report_gather_take(struct stn_report_gather *gather,
		       const struct stn_message *message);

/* stn_report_gather_own: keeps a copy of the tally of @rank, a node here. */
void stn_report_gather_own(struct stn_report_gather *gather, uint32_t rank,
			   const struct stn_tally_packed *own);

/*
 * stn_report_gather_complete: have the tallies of all living nodes arrived?
 * Only after stn_report_gather_room or stn_report_gather_own.
 */
bool stn_report_gather_complete(struct stn_report_gather *gather);

#endif
