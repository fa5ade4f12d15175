/*
 * join.h: how a process becomes one node of a run, or all nodes. Its
 * environment says which. Besides the settings, a launcher sets these
 * variables:
 */
#ifndef STN_LAUNCH_JOIN_H
#define STN_LAUNCH_JOIN_H

#include "node/config.h"

struct stn_live;
struct stn_node;
struct stn_sim;
struct stn_speeds;
struct stn_wireup;

#define STN_JOIN_RANK "STN_RANK"	/* the node's rank */
#define STN_JOIN_WIREUP "STN_WIREUP_FD" /* stream socket to the launcher */
/* If this node may become the root: the pipe of main's input. */
#define STN_JOIN_INPUT "STN_INPUT_FD"
/* If the launcher makes the links' state; otherwise the nodes make it: */
#define STN_JOIN_BEGIN "STN_LINKS_BEGIN" /* the topology's begin_ns */
#define STN_JOIN_LINKS "STN_LINKS_FD"	 /* shared memory of the queues */

/* A node that has joined a run. Valid until the node's part returns. */
struct stn_joined {
	const struct stn_config *config;
	const struct stn_topology *topology;
	uint32_t rank;
	struct stn_wireup *wireup;
	struct stn_sim *sim;	 /* the simulation; NULL: the machine's time */
	struct stn_node **nodes; /* all nodes of a simulation, by rank */
	const struct stn_speeds *speeds; /* of the nodes of a simulation */
	struct stn_live *live; /* where others see the node; NULL: nowhere */
};

/*
 * The part of one node in the run. On failure the wireup has been told why.
 * @status_p  the exit status for the process
 */
typedef enum stn_err stn_join_part(void *arg, const struct stn_joined *joined,
				   int *status_p);

/*
 * stn_join: calls @part for each node that this process is to be; if there are
 * several, at the same time. Returns the exit status of the process: that of
 * its lowest rank. If the run could not begin, returns EXIT_FAILURE after one
 * line on stderr, from this process or from its launcher.
 */
int stn_join(stn_join_part *part, void *arg);

/*
 * stn_join_complain: reports in one line why this process can't join. A
 * launcher gets the same line from each of its nodes, and prints it once.
 */
void stn_join_complain(const char *text);

/*
 * stn_start_node: the part of a node, for stn_join. @program is a struct
 * stn_program, which all nodes of the process share.
 */
STN_CHECKED enum stn_err
stn_start_node(void *program, const struct stn_joined *joined, int *status_p);

#endif
