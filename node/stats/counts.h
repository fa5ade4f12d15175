/*
 * counts.h: the counts of the core: messages, and the workers' time. Each
 * worker and each node counts for itself. The counts are added up when all
 * workers have ended.
 *
 * "LAN" is inside a cluster, "WAN" between clusters. Bytes are those of headers
 * and payloads. A message is counted by its sender and by its receiver. The
 * workers' time is divided as in the tables of the Satin papers:
 *
 *	working		running the program's calls, spawns and syncs included
 *	communicating	no work, and another node has a request to answer or a
 *			call to give back; or sending results home
 *	idle		no work, and no other node owes anything
 *
 * The three together are all of the workers' time.
 *
 * The kernel says how long a worker's thread was on a processor, and how long
 * it could have run but waited, because other threads had the processor
 * (core_time.h). The rest of the time it slept.
 */
#ifndef STN_NODE_STATS_COUNTS_H
#define STN_NODE_STATS_COUNTS_H

#include "node/service.h"
#include "node/stats/count.h"

struct stn_mail {
	uint64_t messages, bytes;
};

/* Counted by a worker, in nanoseconds. */
struct stn_times {
	uint64_t working_ns, communicating_ns, idle_ns;
	uint64_t sync_ns; /* part of the last two that was in a sync */
	uint64_t on_core_ns, core_wait_ns; /* 0: the kernel doesn't say */
};

struct stn_counts {
	struct stn_times times; /* of all workers together */

	/* Counted by the node, under the net lock (see mails.h). */
	struct stn_mail sent[2][STN_KINDS_MOST]; /* [wide][kind] */
	struct stn_mail received[2][STN_KINDS_MOST];
	uint64_t bytes_copied; /* copied by the transport */
	uint64_t answering_ns; /* time in handlers, on any thread */

	/* Computed by stn_counts_finish from sent: all kinds together. */
	uint64_t messages_lan, bytes_lan, messages_wan, bytes_wan;
};

extern const struct stn_count_table stn_counts_table;

/* stn_counts_finish: computes the counts that follow from others. */
void stn_counts_finish(struct stn_counts *counts);

/* stn_counts_time: the sum of the workers' time, in ns. */
uint64_t stn_counts_time(const struct stn_counts *counts);

/* stn_mails_both: the number of messages of @kind, LAN and WAN. */
uint64_t stn_mails_both(const struct stn_mail mails[2][STN_KINDS_MOST],
			unsigned kind);

#endif
