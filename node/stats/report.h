/*
 * report.h: the service that ends a run. The root tells all nodes that main has
 * returned (EXIT). Then each node sends its counts to the root (STATS), and the
 * root shows them. If the root dies, the nodes send their counts to the next
 * one.
 *
 *	kind      header                                        payload
 *	EXIT 8    0 main's status, 8 main's duration in ns (64)  -
 *	STATS 9   -                                             its tally, as
 *	                                                        in tally.h
 *
 * A node sends STATS when its workers have ended. It is the last message of a
 * service that the node sends.
 */
#ifndef STN_NODE_STATS_REPORT_H
#define STN_NODE_STATS_REPORT_H

#include "node/service.h"

enum { STN_EXIT = 8, STN_STATS = 9 };

extern const struct stn_service stn_report_service;

#endif
