/*
 * wireup.h: wire-up. Before a run the nodes exchange cards in rounds: each node
 * shows a card and gets the cards of all nodes. At the end of the run all nodes
 * wait for each other at a barrier. PMIx calls this put, fence, get and abort.
 *
 * All nodes must make the same calls in the same order. One thread at a time,
 * except that any thread may call stn_wireup_abort and stn_wireup_miss.
 */
#ifndef STN_LAUNCH_WIREUP_WIREUP_H
#define STN_LAUNCH_WIREUP_WIREUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/sequencer.h"
#include "transport/error.h"

#define STN_CARD_BYTES 65536 /* of a card at most */

struct stn_wireup;

struct stn_card {
	const unsigned char *bytes;
	size_t size;
};

/* stn_wireup_destroy: frees @wireup, and cards that it returned. Takes NULL. */
void stn_wireup_destroy(struct stn_wireup *wireup);

/*
 * stn_wireup_nodes: the number of cards in a round. In a run that other nodes
 * join, it is that of the first nodes; for a node that joins, one more: its own
 * card is the last.
 * stn_wireup_number: the index of the card of node @rank.
 * stn_wireup_rank: the rank of the node with this card; not for the own card of a
 * node that joins alone.
 */
uint32_t stn_wireup_nodes(const struct stn_wireup *wireup);
uint32_t stn_wireup_number(const struct stn_wireup *wireup, uint32_t rank);
uint32_t stn_wireup_rank(const struct stn_wireup *wireup, uint32_t number);

/*
 * stn_wireup_exchange: one round: shows a card of @size bytes to all nodes.
 * Blocks until all nodes have shown their cards of this round.
 * @cards  filled with one card for each node, by rank, this node's included.
 *     They are valid until this node's next call.
 * STN_LOST if the run is over; STN_INVALID if the card is too large;
 * STN_MALFORMED if the launcher is of another version; STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err
stn_wireup_exchange(struct stn_wireup *wireup, uint32_t rank, const void *card,
		    size_t size, struct stn_card *cards, struct stn_why *why);

/*
 * stn_wireup_barrier: blocks until all nodes have called it. Each node calls it
 * once, after its last round. Errors as for stn_wireup_exchange.
 */
STN_CHECKED enum stn_err stn_wireup_barrier(struct stn_wireup *wireup,
					    struct stn_why *why);

/*
 * stn_wireup_survives: whether the launcher keeps the run going when nodes die.
 * The calls below may be made only if it does, from any thread.
 * stn_wireup_suspect: this node's transport has found that node @rank is dead;
 * @how says how it knows.
 * stn_wireup_applied: all nodes have applied a view of the membership.
 * stn_wireup_leaves: whether nodes can leave the run. A node's SIGTERM is then
 * the order to leave, which the wire-up takes from stn_wireup_watch on, if no
 * other thread takes it (leave_signal.h); until then it should wait.
 * stn_wireup_left: node @rank, this one, has handed over its work and ends.
 * stn_wireup_returned: main has returned on this node, with @status.
 * stn_wireup_sums_up: whether the launcher prints the line about deaths.
 * stn_wireup_summary: gives the launcher that line: @line counts all deaths of
 * @view. All nodes have applied that view and have ended their work.
 */
bool stn_wireup_survives(const struct stn_wireup *wireup);
void stn_wireup_suspect(struct stn_wireup *wireup, uint32_t rank,
			const char *how);
void stn_wireup_applied(struct stn_wireup *wireup, uint32_t view);
bool stn_wireup_leaves(const struct stn_wireup *wireup);
void stn_wireup_left(struct stn_wireup *wireup, uint32_t rank);
void stn_wireup_returned(struct stn_wireup *wireup, int status);
bool stn_wireup_sums_up(const struct stn_wireup *wireup);
void stn_wireup_summary(struct stn_wireup *wireup, uint32_t view,
			const char *line);

/*
 * Node @rank, which shows this card, joins the run: connects to it, unless that
 * has been done. The card is valid during the call.
 */
typedef enum stn_err stn_wireup_meet(void *arg, uint32_t rank,
				     const struct stn_card *card,
				     struct stn_why *why);

/*
 * stn_wireup_greet: before stn_wireup_watch: from then on @meet is called, on
 * the same thread, for each node that joins, but not for this node. Has no
 * effect if no node can join.
 */
void stn_wireup_greet(struct stn_wireup *wireup, stn_wireup_meet *meet,
		      void *arg);

/* This node is the root of the run: the view of @count changes for it. */
typedef void stn_wireup_view(void *arg, const struct stn_change *changes,
			     uint32_t count);

/*
 * stn_wireup_watch: this node is connected to all others. Until
 * stn_wireup_barrier has returned, @view is called for each view that comes for
 * node @rank, on a thread of the wire-up. Once, after the last round, only if
 * stn_wireup_survives.
 */
STN_CHECKED enum stn_err stn_wireup_watch(struct stn_wireup *wireup,
					  uint32_t rank, stn_wireup_view *view,
					  void *arg, struct stn_why *why);

/*
 * stn_wireup_abort: ends the run for all nodes. The user is told the reason,
 * @text, once. The caller should then end its process.
 */
void stn_wireup_abort(struct stn_wireup *wireup, const char *text);

/*
 * stn_wireup_miss: like stn_wireup_abort, because node @missed is gone. If the
 * launcher or the gateway knows what happened to that node, it tells the user
 * that instead of @text.
 */
void stn_wireup_miss(struct stn_wireup *wireup, uint32_t missed,
		     const char *text);

#endif
