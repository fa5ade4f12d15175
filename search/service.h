/*
 * service.h: the service of bounds, which searches on all nodes share.
 *
 * A bound has an incumbent: a value, its place in search order (its key), and
 * its witness. Incumbents are totally ordered, by value and then by key, and
 * each node keeps the best that it has heard of. So messages about them may be
 * doubled, delayed or overtaken, and the order of events does not matter.
 *
 * The files of the service; each file uses only the files above it:
 *
 *	sateen_incumbent  what a program reads of a bound
 *	wire		  the messages
 *	bounds		  the bounds that a node knows
 *	spread		  tells the other nodes
 *	service		  the table of the service, and the calls below
 *
 * The service knows no tasks. The service of stealing has the calls of
 * <sateen.h>, and calls stn_search_show before it sends a record or a result.
 */
#ifndef STN_SEARCH_SERVICE_H
#define STN_SEARCH_SERVICE_H

#include "node/node.h"
#include "search/bounds.h"

struct stn_arrival;

/* The state of the service on one node. Under the net lock, except finding. */
struct stn_search {
	struct stn_node *node;
	struct stn_bounds bounds;
	uint64_t made;	  /* number of bounds that this node has made */
	uint64_t changes; /* of incumbents */
	uint64_t *shown;  /* by rank: changes when it was last shown all; NULL
			   * before the first change */
	struct stn_arrival *arrivals; /* incumbents that arrive in pieces */
	bool closed; /* workers have ended: nothing is sent any more */
};

extern const struct stn_service stn_search_service;

/* stn_search_of: the state on @node. */
struct stn_search *stn_search_of(const struct stn_node *node);

/*
 * stn_search_make: makes a bound, on this node, with the value @limit and no
 * witness. Returns its number, which no other bound of the run has.
 * stn_search_at: what this node knows of a bound; never NULL, valid as long as
 * the node.
 * stn_search_improve: @candidate was found on this node: if it beats the
 * incumbent, it becomes the incumbent, and spreads.
 * stn_search_best: the incumbent's value. Copies its witness, if it has one;
 * fails the run if the witness has not @bytes bytes. These four take the net
 * lock. Any thread.
 */
uint64_t stn_search_make(struct stn_search *search, bool max, int64_t limit);
const struct stn_incumbent *stn_search_at(struct stn_search *search,
					  uint64_t number);
void stn_search_improve(struct stn_search *search, uint64_t number,
			const struct stn_candidate *candidate);
int64_t stn_search_best(struct stn_search *search, uint64_t number,
			void *witness, size_t bytes);

/*
 * stn_search_show: a record or a result is about to be sent to node @to: sends
 * the incumbents before it (spread.h). Net lock held.
 */
void stn_search_show(struct stn_search *search, uint32_t to);

#endif
