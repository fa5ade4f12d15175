/*
 * run.h: a traced run, as `sateen report` reads it from a file of --trace
 * (sateen-trace(5)). Times are in ns since the first event.
 */
#ifndef APPS_SATEEN_REPORT_RUN_H
#define APPS_SATEEN_REPORT_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a worker does during a span. */
enum doing { WORKS, WAITS };

struct span {
	uint64_t begin_ns, end_ns;
	enum doing doing;
	/*
	 * In the file. A span is recorded when it ends, so inner spans come
	 * first.
	 */
	uint32_t place;
};

struct thread {
	struct span *spans; /* in the order of their begins; they are nested */
	uint32_t count, room;
};

/* A steal request, until its answer has arrived. */
struct steal {
	uint64_t begin_ns, end_ns;
	uint32_t victim;
	bool granted;
};

struct node {
	bool there; /* it has events, not only names */
	/* When the first other node knew of it; or 0. */
	uint64_t joined_ns, died_ns, left_ns;
	bool named;
	uint32_t number; /* among the nodes that have begun */
	uint32_t cluster;
	struct thread *threads; /* its workers */
	uint32_t thread_count;
	struct steal *steals;
	uint32_t steal_count, steal_room;
};

/* Messages from one cluster to another. */
struct link {
	uint64_t messages, bytes;
};

struct run {
	char *command;	/* of the program, with its arguments; or NULL */
	char *balancer; /* or NULL */
	bool simulated, interrupted;
	uint64_t lost_events, clock_error_ns;
	struct node *nodes;
	uint32_t node_count, cluster_count;
	char **names; /* of the first clusters; "": not known */
	uint32_t name_count, name_room;
	uint32_t begun; /* nodes that have lived: no reserved rank counts */
	/* [from * cluster_count + to]; NULL: too many clusters */
	struct link *links;
	uint64_t begin_ns, end_ns; /* of main */
	uint64_t last_ns;	   /* the end of the last event */
	/* Of the graph of tasks; span_ns is 0 if the trace has neither. */
	uint64_t work_ns, span_ns;
	uint64_t calls;		   /* stolen between nodes: */
	uint64_t call_ns;	   /* the time of all together */
	bool arrays;		   /* a call has waited for an array */
};

/*
 * run_read: reads a file. Returns NULL, or a constant text that says what is
 * wrong with the file. In both cases the caller calls run_fini.
 */
const char *run_read(FILE *file, struct run *run);
void run_fini(struct run *run);

/* run_parallelism: work divided by span; 0 if the trace has neither. */
double run_parallelism(const struct run *run);

/*
 * run_cluster: the cluster's name; if it has none, @otherwise followed by its
 * number.
 * @room  for a number
 */
#define RUN_CLUSTER_ROOM 32
const char *run_cluster(const struct run *run, uint32_t cluster,
			const char *otherwise, char room[RUN_CLUSTER_ROOM]);

#endif
