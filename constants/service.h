/*
 * service.h: the service of constants, which are data that tasks of all nodes
 * read (steal/sateen_const.h).
 *
 * A record names a constant by its hash. A node has all constants of the
 * records in its deques and its inbox: it made them, or it fetched them before
 * the record was put there. So the node that sends a record can also send the
 * constants, and a task never waits for one.
 *
 * A node that receives a record fetches the constants that it lacks from the
 * record's sender, the *source*. If the source is in another cluster, it asks
 * the head of its own cluster instead, which is the cluster's first living
 * node. The head fetches each constant once over the link between the clusters.
 * If a constant is not too large, the head usually has it: when the first
 * record that has the constant leaves the node that made it, that node sends
 * the constant to the heads of all other clusters.
 *
 * If a source dies, the records that it sent are dropped, as if it had died
 * while their buffers were arriving.
 *
 * The files of the service; each file uses only the files above it:
 *
 *	wire	 the messages
 *	known	 the constants that a node has
 *	send	 sends constants
 *	fetch	 fetches constants
 *	service	 the table of the service, and the other calls below
 *
 * The service knows no tasks. The service of stealing calls it for the
 * constants of each record.
 */
#ifndef STN_CONSTANTS_SERVICE_H
#define STN_CONSTANTS_SERVICE_H

#include <sys/queue.h>

#include "constants/known.h"
#include "node/node.h"
#include "node/stats/count.h"

struct stn_fetch;

struct stn_constants_counts {
	uint64_t made;	  /* by tasks of this node */
	uint64_t arrived; /* from other nodes; of these, */
	uint64_t unused;  /* those that this node had got meanwhile */
	uint64_t bytes;	  /* of those that arrived */
};

/*
 * The state of the service on one node. The net lock guards it, except as
 * known.h says.
 */
struct stn_constants {
	struct stn_node *node;
	struct stn_known known;
	LIST_HEAD(stn_fetches, stn_fetch) fetches; /* under way */
	uint64_t sending; /* number of constants that are leaving */
	struct stn_constants_counts counts;
};

extern const struct stn_service stn_constants_service;

/* stn_constants_of: the state on @node. */
struct stn_constants *stn_constants_of(const struct stn_node *node);

/*
 * stn_constants_make: makes a constant of the @bytes bytes at @data, which are
 * copied, unless this node has it. Returns its hash. Fails the run if there is
 * no memory. Takes the net lock. Any thread.
 */
uint64_t stn_constants_make(struct stn_constants *constants, const void *data,
			    size_t bytes);

/*
 * stn_constants_leaves: a record that has the constant with that hash is about
 * to leave this node. Net lock held.
 */
void stn_constants_leaves(struct stn_constants *constants, uint64_t hash);

/*
 * stn_constants_await: fetches the constant with that hash, which this node
 * lacks, and which a record has that node @source has sent. Calls @done when
 * this node has it, or with STN_LOST if it could not be had because nodes have
 * died; possibly before the call returns. @done is not called if the service is
 * closed before. Net lock held, also during @done.
 */
void stn_constants_await(struct stn_constants *constants, uint64_t hash,
			 uint32_t source, stn_done *done, void *arg);

#endif
