/*
 * wireup.h: how the nodes of a run find each other. Before the run each node
 * shows a card, and gets everybody's, in as many rounds as they need; at its
 * end all wait for each other. In the words of PMIx: put, fence, get, abort.
 *
 * All nodes must make the same calls in the same order. One thread at a time,
 * but for stn_wireup_abort and stn_wireup_miss, which any thread may call.
 */
#ifndef STN_TRANSPORT_WIREUP_WIREUP_H
#define STN_TRANSPORT_WIREUP_WIREUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"

#define STN_CARD_BYTES 65536 /* no card is longer */

struct stn_wireup;

struct stn_card {
	const unsigned char *bytes;
	size_t size;
};

/*
 * stn_wireup_threads: for the nodes of one process: one object for each of
 * @nodes. NULL if there is no memory. stn_wireup_destroy frees one.
 */
struct stn_wireup **stn_wireup_threads(uint32_t nodes);

/*
 * stn_wireup_socket: for a process that a launcher started: @fd is its end of
 * a stream socket; it is closed by stn_wireup_destroy.
 */
struct stn_wireup *stn_wireup_socket(int fd, uint32_t nodes);

/* stn_wireup_pmix_offered: has a launcher with PMIx started this process? */
bool stn_wireup_pmix_offered(void);

/*
 * stn_wireup_pmix: for a process that such a launcher started: mpirun, srun.
 * Once in a process. STN_MISSING if PMIx isn't here or wasn't built in;
 * STN_IO if it doesn't answer.
 * @rank_p, @nodes_p  the process's number, and of how many
 * An exit() before the barrier ends the run of all.
 */
STN_CHECKED enum stn_err stn_wireup_pmix(struct stn_wireup **wireup_p,
					 uint32_t *rank_p, uint32_t *nodes_p,
					 struct stn_why *why);

/* stn_wireup_destroy: takes NULL. Cards it gave are gone. */
void stn_wireup_destroy(struct stn_wireup *wireup);

/*
 * stn_wireup_exchange: a round, of which there may be many before the barrier:
 * shows a card of @size bytes to all nodes.
 * @cards  filled with one card for each node, ours too, by rank; they are
 *     there until this node's next call
 * Blocks until all have shown theirs; fails with STN_LOST if the run is over.
 */
STN_CHECKED enum stn_err
stn_wireup_exchange(struct stn_wireup *wireup, uint32_t rank, const void *card,
		    size_t size, struct stn_card *cards, struct stn_why *why);

/*
 * stn_wireup_barrier: blocks until all nodes have called it, as above. Once,
 * and last.
 */
STN_CHECKED enum stn_err stn_wireup_barrier(struct stn_wireup *wireup,
					    struct stn_why *why);

/*
 * stn_wireup_abort: ends the run of all nodes for the reason in @text, which
 * is shown to the user once. The caller should end its process.
 */
void stn_wireup_abort(struct stn_wireup *wireup, const char *text);

/*
 * stn_wireup_miss: as stn_wireup_abort, for want of node @missed: who knows
 * what became of that tells the user so instead.
 */
void stn_wireup_miss(struct stn_wireup *wireup, uint32_t missed,
		     const char *text);

#endif
