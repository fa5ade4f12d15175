/*
 * stats.h: what a run counts. Each worker and each node counts for itself;
 * the counts are added up when it has stopped.
 *
 * "LAN" is inside a cluster, "WAN" between clusters. Bytes are those of headers
 * and payloads. Who does a thing counts it: the thief its requests, the sender
 * what it sends.
 *
 * Where the time of the workers goes, after the tables of the Satin papers:
 *
 *	working		running the program's calls, spawns and syncs included
 *	communicating	nothing to run, while another node has a request to
 *			answer or a call to give back; and sending results home
 *	idle		nothing to run, and nothing that another node owes
 *
 * These three are all the time there is. Of the work, some is overhead of the
 * parallelisation, what the sequential program would not have to do: the
 * spawns and syncs, at the price that price.h has measured, which
 * counts this counting itself. The sequential program's own time no run can
 * know.
 */
#ifndef STN_STEAL_STATS_STATS_H
#define STN_STEAL_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_STATS_KINDS 16 /* room for each enum stn_kind */

/* Steal requests of one sort, and what became of them. */
struct stn_steals {
	uint64_t asked, granted, refused;
	uint64_t cancelled; /* and therefore refused */
};

struct stn_mail {
	uint64_t messages, bytes;
};

/* Nothing but counts, so that adding and sending them is a loop. */
struct stn_stats {
	/* A worker's. Those of time are in nanoseconds. */
	uint64_t spawned;
	uint64_t executed_here;		 /* on the node that spawned them */
	uint64_t executed_elsewhere;	 /* on another: this one */
	uint64_t stolen_node;		 /* of those here, by another worker */
	uint64_t stolen_lan, stolen_wan; /* records from other nodes, run */
	uint64_t lent;			 /* own records that left the node */
	uint64_t working_ns, communicating_ns, idle_ns;
	uint64_t sync_ns;    /* of communicating and idle, that in a sync */
	uint64_t work_units; /* that the program has told of */

	/* A node's. */
	uint64_t borrowed;  /* records that came from other nodes; of these, */
	uint64_t relayed;   /*   what went on to a third one, */
	uint64_t came_home; /*   and what had been lent by this one */
	struct stn_steals steals[2][2]; /* [asynchronous][wide] */
	uint64_t held;			/* others' requests, at the end */
	struct stn_mail sent[2][STN_STATS_KINDS]; /* [wide][kind] */
	struct stn_mail received[2][STN_STATS_KINDS];
	uint64_t bytes_copied; /* by the messaging layer */
	uint64_t answering_ns; /* handling messages, by any thread */

	/* What stn_stats_finish makes of these. */
	uint64_t executed;
	uint64_t results_lan, results_wan; /* sent home */
	uint64_t messages_lan, bytes_lan, messages_wan, bytes_wan; /* sent */
	uint64_t overhead_ns; /* of the work; and of that, */
	uint64_t counting_ns; /*   what this counting has cost */
};

/* stn_stats_add: adds @from to @to. */
void stn_stats_add(struct stn_stats *to, const struct stn_stats *from);

/* One of the counts that have a name and, in the table, a line. */
struct stn_count {
	const char *name; /* times end in _ns */
	const char *text;
	size_t offset;
};

/* In the order of the table; ends with a name of NULL. */
extern const struct stn_count stn_counts[];

/* stn_count_find: by its name, which must be one. */
const struct stn_count *stn_count_find(const char *name);

uint64_t stn_count_get(const struct stn_count *count,
		       const struct stn_stats *stats);
bool stn_count_is_time(const struct stn_count *count);

#endif
