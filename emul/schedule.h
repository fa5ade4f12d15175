/*
 * schedule.h: the parser of a file of events, which says what happens to the
 * nodes of a simulated run. Each line describes one event:
 *
 *	TIME WHAT WHOM				30s kill cluster 2
 *						1.5s vanish node 7
 *						10s suspect nodes 3-5
 *
 * TIME counts from the start of the run. WHAT is one of
 *
 *	kill	the process dies; the run notices it one latency of --lan later
 *	vanish	the host is gone; the run notices it after --silence
 *	suspect	the node lives, but is about to be declared dead
 *	leave	the node is asked to leave the run
 *	join	the node joins the run. A node whose first event is join is not
 *		part of the run before; node 0 always is
 *
 * WHOM is "node N", "nodes N-M" or "cluster N", by ranks and by the numbers of
 * clusters. Lines may stand in any order. A # starts a comment.
 */
#ifndef STN_EMUL_SCHEDULE_H
#define STN_EMUL_SCHEDULE_H

#include <stdio.h>

#include "transport/error.h"
#include "transport/topology.h"

enum stn_schedule_what {
	STN_SCHEDULE_KILL,
	STN_SCHEDULE_VANISH,
	STN_SCHEDULE_SUSPECT,
	STN_SCHEDULE_LEAVE,
	STN_SCHEDULE_JOIN
};

/* An event: it happens to the nodes from first to last, both included. */
struct stn_schedule_event {
	uint64_t at_ns;
	enum stn_schedule_what what;
	uint32_t first, last;
};

/* Ordered by time; events of one time are in the order of the file. */
struct stn_schedule {
	struct stn_schedule_event *events;
	size_t count;
};

/*
 * stn_schedule_parse: reads a schedule for the nodes of @topology. The caller
 * frees it (stn_schedule_fini). On failure @schedule is empty.
 * @name  the file's name, for @why, which also has the line's number
 * STN_INVALID, STN_IO or STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_schedule_parse(FILE *in, const char *name,
					    const struct stn_topology *topology,
					    struct stn_schedule *schedule,
					    struct stn_why *why);

/*
 * stn_schedule_read: parses the file @path; the schedule is empty if @path is
 * "none".
 */
STN_CHECKED enum stn_err stn_schedule_read(const char *path,
					   const struct stn_topology *topology,
					   struct stn_schedule *schedule,
					   struct stn_why *why);

/* stn_schedule_fini: frees the events; the schedule is then empty. */
void stn_schedule_fini(struct stn_schedule *schedule);

#endif
