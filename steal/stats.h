/*
 * stats.h: what a run counts. Each worker and each node counts for itself;
 * the counts are added up when it has stopped. They have one width, so that
 * adding, sending and printing them is a loop.
 */
#ifndef STN_STEAL_STATS_H
#define STN_STEAL_STATS_H

#include <stdint.h>
#include <stdio.h>

/*
 * X(name, text). Times are in nanoseconds. "LAN" is inside a cluster, "WAN"
 * between clusters. The thief counts requests and what it stole, the sender
 * counts messages and bytes (headers and payloads).
 */
#define STN_COUNTS(X)                                                          \
	X(spawned, "tasks spawned")                                            \
	X(executed, "tasks executed")                                          \
	X(stolen_node, "  stolen inside the node")                             \
	X(stolen_lan, "  stolen over LAN")                                     \
	X(stolen_wan, "  stolen over WAN")                                     \
	X(asked_lan, "steal requests, LAN")                                    \
	X(granted_lan, "  granted")                                            \
	X(asked_wan, "steal requests, WAN")                                    \
	X(granted_wan, "  granted")                                            \
	X(messages_lan, "messages, LAN")                                       \
	X(bytes_lan, "  bytes")                                                \
	X(messages_wan, "messages, WAN")                                       \
	X(bytes_wan, "  bytes")                                                \
	X(bytes_copied, "bytes copied by the messaging layer")                 \
	X(working_ns, "seconds working")                                       \
	X(waiting_ns, "seconds waiting in sync")                               \
	X(idle_ns, "seconds idle")

struct stn_stats {
#define X(name, text) uint64_t name;
	STN_COUNTS(X)
#undef X
};

/* stn_stats_add: adds @from to @to. */
void stn_stats_add(struct stn_stats *to, const struct stn_stats *from);

/* stn_stats_print: a table: a row a count, its sum, then a column a node. */
void stn_stats_print(const struct stn_stats *stats, uint32_t nodes, FILE *out);

#endif
