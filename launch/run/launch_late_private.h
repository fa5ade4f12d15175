/*
 * launch_late_private.h: the state of nodes that join, which the files
 * launch_late*.c share.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_LATE_PRIVATE_H
#define STN_LAUNCH_RUN_LAUNCH_LATE_PRIVATE_H

#include "launch/run/launch_late.h"

enum late_state {
	LATE_ABSENT,
	LATE_STARTED,
	LATE_READY,
	LATE_JOINED,
	LATE_GIVEN_UP
};

struct late_node {
	enum late_state state;
	uint32_t rounds;       /* number of cards that it has shown */
	struct stn_bytes card; /* the last of them */
	bool asked;	       /* it is one of the current request */

	/*
	 * The ranks of nodes that it has lost, and that lived as far as the
	 * launcher knew. If they have died, that does not matter.
	 */
	struct stn_bytes missed;
};

struct launch_late {
	uint32_t first; /* the lowest reserved rank */

	struct stn_bytes *rounds; /* the first nodes' CARDS of each round */
	uint32_t round_count;

	/* The request that is being carried out: */
	bool busy;
	uint64_t request; /* number, for the answer */
	uint32_t wanted;  /* nodes that are to be started yet */
	uint32_t cluster; /* of its nodes, or STN_NOBODY: late_choose says */
	struct timespec deadline;
	bool calling;	/* agents of new hosts have not answered yet */
	bool measuring; /* nor how far the clusters are */
	bool told;    /* PEERS has been sent */
	char reason[sizeof(((struct stn_why *)0)->text)]; /* of a failure */

	uint32_t *owed;		  /* MET frames that each node owes, by rank */
	struct late_node nodes[]; /* by rank, from @first on */
};

/*
 * late_node_of: the node with this rank, if it has not joined yet; or NULL.
 * late_node_at: the node with this rank, which is reserved.
 */
struct late_node *late_node_of(const struct launch *launch, uint32_t rank);
struct late_node *late_node_at(const struct launch *launch, uint32_t rank);

/* late_give_up: gives up a node that has not joined. The user is told why. */
void late_give_up(struct launch *launch, uint32_t rank, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * late_accept: can a client's request for nodes be carried out now? If not,
 * answers it and returns false.
 * late_begin: the nodes from now on are those of the request.
 */
bool late_accept(struct launch *launch, uint64_t request);
void late_begin(struct launch *launch);

#endif
