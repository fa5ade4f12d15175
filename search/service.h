/*
 * service.h: the service of bounds, the values that the tasks of a search share
 * (steal/sateen_bound.h).
 *
 * A bound has an incumbent: a value, its place in search order (its key), and
 * its witness. Incumbents are totally ordered, by value and then by key, and
 * each node keeps the best one that it has heard of. So the order of events
 * does not matter, and a message about an incumbent may be doubled or late.
 *
 * The files of the service; each file uses only the files above it:
 *
 *	sateen_incumbent  what a program reads of a bound
 *	wire		  the messages
 *	bounds		  the bounds that a node knows
 *	counts		  counts for the statistics
 *	spread		  tells the other nodes
 *	service		  the table of the service, and the calls below
 *
 * The service knows no tasks. The service of stealing has the calls of
 * sateen_bound.h, and calls stn_search_show before it sends a record, a result
 * or a deposit.
 */
#ifndef STN_SEARCH_SERVICE_H
#define STN_SEARCH_SERVICE_H

#include "node/node.h"
#include "search/bounds.h"
#include "search/counts.h"

struct stn_arrival;

/*
 * The state of the service on one node. The net lock guards it, except as
 * bounds.h says.
 */
struct stn_search {
	struct stn_node *node;
	struct stn_bounds bounds;
	uint64_t changes; /* of incumbents */
	uint64_t *shown;  /* by rank: the value of changes when that node was
			   * last sent all incumbents; NULL before the first
			   * change */
	struct stn_arrival *arrivals; /* incumbents that arrive in pieces */
	bool closed; /* workers have ended: nothing is sent any more */
	struct stn_search_counts counts;
};

extern const struct stn_service stn_search_service;

/* stn_search_of: the state on @node. */
struct stn_search *stn_search_of(const struct stn_node *node);

/*
 * stn_search_make: makes a bound, on this node, with the value @limit and no
 * witness. Returns its number, which no other bound of the run has.
 * stn_search_at: this node's copy of the incumbent of bound @number; if the
 * node does not know the bound, with the worst value. Never NULL; the service
 * owns it, and it is valid as long as the node.
 * stn_search_improve: @candidate was found on this node: if it beats the
 * incumbent, it becomes the incumbent, and spreads. Copies the witness, which
 * stays the caller's. Fails the run if the witness is longer than
 * STN_WITNESS_BYTES (wire.h).
 * stn_search_best: the incumbent's value. Copies its witness to @witness, if it
 * has one; fails the run if the witness has not @bytes bytes.
 * All four take the net lock, but stn_search_at only if the node does not know
 * the bound. None waits for another node. They fail the run if there is no
 * memory. Any thread that does not hold the net lock.
 */
uint64_t stn_search_make(struct stn_search *search, bool max, int64_t limit);
const struct stn_incumbent *stn_search_at(struct stn_search *search,
					  uint64_t number);
void stn_search_improve(struct stn_search *search, uint64_t number,
			const struct stn_candidate *candidate);
int64_t stn_search_best(struct stn_search *search, uint64_t number,
			void *witness, size_t bytes);

/* An incumbent, for threads that are no workers; see stn_search_look. */
struct stn_search_sight {
	int64_t value;
	uint32_t finder;   /* rank of the node that has found it */
	uint64_t known_ns; /* when this node learned of it */
};

/*
 * stn_search_look: whether this node knows a solution with a witness of @bytes
 * bytes; if so, copies it to *@sight and @witness. Takes the net lock; any
 * thread, but not in a simulation.
 */
bool stn_search_look(struct stn_search *search, uint64_t number,
		     struct stn_search_sight *sight, void *witness,
		     size_t bytes);

/*
 * stn_search_show: the caller is about to send a record, a result or a deposit
 * to node @to: sends the incumbents that @to may lack before it (spread.h). Net
 * lock held.
 */
void stn_search_show(struct stn_search *search, uint32_t to);

#endif
