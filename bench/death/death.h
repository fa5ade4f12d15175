/*
 * death.h: the parts of sateen-death, which measures how soon a node knows that
 * another one has died:
 *
 *	main.c	the command line, and the table
 *	pair.c	starts two nodes, and lets node 1 die
 *	node.c	a node's process
 */
#ifndef BENCH_DEATH_DEATH_H
#define BENCH_DEATH_DEATH_H

#include "transport/transport.h"

/* How node 1 dies. */
struct death_way {
	const char *what;
	int signal; /* SIGKILL, or SIGSTOP: node 1 no longer answers */
	bool apart; /* the nodes count as on different hosts */
};

struct death_plan {
	const char *transport, *provider;
	const struct death_way *way;
	uint64_t silence_ns;
};

/* A node's first message to the benchmark, and its other node's address. */
struct death_hello {
	enum stn_err err;
	struct stn_why why; /* of an error */
	size_t bytes;
	unsigned char address[STN_ADDRESS_BYTES];
};

/*
 * death_node: the main function of a node's process. It sends its hello by
 * @control and receives that of the other node. Then it sends the time, by
 * ticks_clock_ns: first when it has got a message of the other node, and again
 * when it learns of the other node's death. It ends when @control is closed.
 */
int death_node(const struct death_plan *plan, uint32_t rank, int control);

/*
 * death_measure: starts two nodes and lets node 1 die, @pause_ns after the two
 * have met. Returns the time from the death until node 0 knows of it. Fails with
 * STN_LOST if node 0 does not learn of it, and with another error if this
 * machine lacks the transport.
 */
STN_CHECKED enum stn_err death_measure(const struct death_plan *plan,
				       uint64_t pause_ns, uint64_t *took_ns_p,
				       struct stn_why *why);

#endif
