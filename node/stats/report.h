/*
 * report.h: the service that ends a run. Node 0 tells all nodes that main has
 * returned (EXIT). Then each node sends its counts to node 0 (STATS), and node
 * 0 shows them.
 *
 *	kind      header    payload
 *	EXIT 8    -         -
 *	STATS 9   -         the node's tally, of the layout's size
 *
 * A node sends STATS when its workers have ended. It is the last message that
 * the node sends.
 */
#ifndef STN_NODE_STATS_REPORT_H
#define STN_NODE_STATS_REPORT_H

#include "node/service.h"

enum { STN_EXIT = 8, STN_STATS = 9 };

extern const struct stn_service stn_report_service;

#endif
