/*
 * chunks.h: schedulers that hand out the parts of each sweep in chunks, as the
 * loop schedulers of the literature do with iterations. Net lock held.
 *
 * A node that has swept all parts that it was granted asks the root for a chunk
 * (ASK). The root grants it parts of the current sweep that no node has been
 * granted: first parts that the node has, then parts of the node that has most
 * of those left. It tells the homes of the parts (NONE), and they send them. A
 * part stays where it was swept: going home would cost the same again. When all
 * parts of a sweep are granted, the next sweep begins; there is no barrier but
 * for the halos.
 *
 * After a death all parts return to an earlier version, and chunks are handed
 * out to the nodes that stay, as from the beginning. chunks_view.h says what
 * happens when nodes join or leave.
 *
 * So the loop scheduler's iterations are the parts of one sweep, and its time
 * steps are the sweeps. The times of parts are measured on the nodes.
 */
#ifndef STN_PARTS_MOVES_CHUNKS_H
#define STN_PARTS_MOVES_CHUNKS_H

#include "parts/moves/piles.h"
#include "parts/parts.h"

/* What the root knows about a node: the times of the parts that it has swept.
 */
struct stn_chunks_node {
	bool absent; /* it gets no chunks; all nodes know that */
	bool wants;
	uint32_t operation; /* for which it wants a chunk */
	uint32_t chunks;    /* that it has swept */
	double granted;	    /* parts */
	double parts, ns, squares;
	double last_parts, last_ns, last_squares; /* of its last chunk */
	double weighted_parts, weighted_ns; /* its j-th chunk counts j times */
	double weight;			    /* 1 in the mean */
	uint32_t view;	 /* in which it has told its newest version: */
	uint64_t newest; /* see chunks_view.h */
};

/* This node sends a part to @heir, which sweeps it to @version. */
struct stn_heir {
	uint64_t version; /* 0: none */
	uint32_t heir;
};

#define STN_HEIRS 2

/* A part: see grants.h. */
struct stn_chunks_part {
	uint64_t own; /* this node is to sweep it to that version; 0: none */
	struct stn_heir heirs[STN_HEIRS];
};

struct stn_chunks {
	/* The size of the next chunk of node @node. */
	double (*size)(struct stn_chunks *chunks, uint32_t node);
	uint32_t nodes; /* that get chunks */
	uint32_t ranks; /* all ranks that get chunks are lower than that */
	bool off;	/* no chunks are handed out in this view */
	bool stopped;	/* none are handed out yet: see chunks_view.h */
	uint32_t view;

	/* On each node. */
	uint64_t newest; /* highest version of a part that was swept here, or
			  * arrived */
	int64_t left; /* parts granted, not swept; below 0 if the node has swept
		       * some before it heard of the grant */
	bool asking;
	uint64_t marked_ns;	   /* time of the pace, at the last part */
	double parts, ns, squares; /* since the last ASK */

	/* On the root. */
	uint64_t version, end; /* of the sweep; of the operation */
	uint64_t sweeps;       /* since the array was made */
	uint32_t ungranted;    /* parts of this sweep */
	double chunk;	       /* of this batch */
	uint32_t batch_chunks; /* chunks that are left of this batch */
	bool first_batch;
	bool unsure; /* the parts may not be in the homes of the piles */
	struct stn_piles piles;	     /* the homes of the parts, as granted */
	struct stn_chunks_node of[]; /* then the parts, then the piles */
};

/* The parts of the array, behind the nodes. */
static inline struct stn_chunks_part *
stn_chunks_parts(struct stn_chunks *chunks)
{
	return (struct stn_chunks_part *)(void *)&chunks->of[chunks->ranks];
}

/*
 * stn_chunks_create: chunks have as many parts as @size says, rounded up.
 * @array's scheduling is a struct stn_chunks.
 * The other functions are members of a scheduler: see scheduler.h.
 */
void stn_chunks_create(struct stn_parts *array,
		       double (*size)(struct stn_chunks *chunks,
				      uint32_t node));
void stn_chunks_begins(struct stn_parts *array);
void stn_chunks_regrouped(struct stn_parts *array);
void stn_chunks_swept(struct stn_part *part);
void stn_chunks_arrived(struct stn_part *part);
uint64_t stn_chunks_idle(struct stn_parts *array, uint64_t now);
void stn_chunks_asked(struct stn_parts *array, uint32_t from,
		      const struct stn_parts_ask *ask, uint64_t now);
void stn_chunks_answered(struct stn_parts *array, uint32_t from,
			 const struct stn_parts_ask *answer, uint64_t now);

/* The same members in each of these schedulers' tables. */
#define STN_CHUNKS_MEMBERS                                                     \
	.state_bytes = sizeof(struct stn_chunks),                              \
	.node_bytes =                                                          \
		sizeof(struct stn_chunks_node) + sizeof(struct stn_pile),      \
	.part_bytes =                                                          \
		sizeof(struct stn_chunks_part) + sizeof(struct stn_piled),     \
	.begins = stn_chunks_begins, .swept = stn_chunks_swept,                \
	.arrived = stn_chunks_arrived, .idle = stn_chunks_idle,                \
	.asked = stn_chunks_asked, .answered = stn_chunks_answered,            \
	.regrouped = stn_chunks_regrouped

/*
 * stn_chunks_batch: the size of a chunk of the batch, whose chunks are equal:
 * the batch has the share 1 / @x of the parts that are left when it begins, and
 * as many chunks as there are nodes. @x_of is called when a batch begins.
 * stn_chunks_weigh: sets the weights of the nodes by the speeds so far; with
 * @recent, later chunks count more.
 */
double stn_chunks_batch(struct stn_chunks *chunks,
			double (*x_of)(const struct stn_chunks *chunks));
void stn_chunks_weigh(struct stn_chunks *chunks, bool recent);

#endif
