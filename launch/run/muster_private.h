/*
 * muster_private.h: the connections that processes open at the muster.
 */
#ifndef STN_LAUNCH_RUN_MUSTER_PRIVATE_H
#define STN_LAUNCH_RUN_MUSTER_PRIVATE_H

#include "launch/run/muster.h"
#include "launch/run/muster_card.h"

#define MUSTER_MS 10000 /* until all processes are connected */

/* What a process sends first. */
struct muster_hello {
	uint32_t rank;
	unsigned char token[STN_MUSTER_TOKEN];
};

/*
 * muster_accept: in process 0: waits for the other processes' connections to
 * @listener, MUSTER_MS at most.
 * @cards  of all processes, by rank
 * @sockets  by rank, all -1 before; receives the connections. They don't block.
 * Returns whether all are connected.
 */
bool muster_accept(int listener, const struct stn_muster_card *cards,
		   uint32_t nodes, int *sockets);

/*
 * muster_connect: in another process: connects to process 0, whose card is
 * @launcher, in MUSTER_MS at most.
 * @mine  the card of process @rank, whose addresses are this host's
 * Returns the connection, which blocks; -1: @why says why it is not possible.
 */
int muster_connect(const struct stn_muster_card *launcher,
		   const struct stn_muster_card *mine, uint32_t rank,
		   struct stn_why *why);

#endif
