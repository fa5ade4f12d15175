/*
 * join.h: how a process becomes one node of a run, or all of them: by what its
 * environment says. A launcher sets, besides the settings:
 */
#ifndef STN_STEAL_JOIN_JOIN_H
#define STN_STEAL_JOIN_JOIN_H

#include "steal/config.h"
#include "transport/wireup/wireup.h"

#define STN_JOIN_RANK "STN_RANK"	/* the node's number */
#define STN_JOIN_WIREUP "STN_WIREUP_FD" /* a stream socket to the launcher */
/* And if it makes the links' state itself; else the nodes do: */
#define STN_JOIN_BEGIN "STN_LINKS_BEGIN" /* topology's begin_ns */
#define STN_JOIN_LINKS "STN_LINKS_FD"	 /* memory for the topology's queues */

/* A node that has joined a run; valid while its part goes on. */
struct stn_joined {
	const struct stn_config *config;
	const struct stn_topology *topology;
	uint32_t rank;
	struct stn_wireup *wireup;
	struct stn_sim *sim;	 /* in whose time, or NULL: the machine's */
	struct stn_node **place; /* where a simulation looks for the node */
};

/*
 * A node's part in the run. @status_p: what to end with. On failure the wireup
 * has been told why.
 */
typedef enum stn_err stn_join_part(void *arg, const struct stn_joined *joined,
				   int *status_p);

/*
 * stn_join: plays the part of each node that this process is to be, all at
 * once if they are more.
 * Returns the process's exit status: that of the lowest rank; EXIT_FAILURE,
 * after one line on stderr or by the launcher, if the run could not begin.
 */
int stn_join(stn_join_part *part, void *arg);

/*
 * stn_join_complain: one line on why this process can't join. A launcher hears
 * the same of all its nodes, and says it once.
 */
void stn_join_complain(const char *text);

#endif
