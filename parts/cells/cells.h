/*
 * cells.h: what a node knows of an array of cells, beyond what it knows of any
 * array (parts.h). Net lock held, unless said otherwise.
 *
 * The steps of STN_REHASH: the caller collects the box around the places of
 * each part (STN_CELLS_BOX), and then, in rounds, the numbers of records in
 * cells (STN_CELLS_COUNT; cut.h). It sends the leaves of the tree to all nodes,
 * as a plan (plan.h). Then each part sends its records to the homes of the new
 * parts (STN_CELLS_SPLIT; rows.h). When all parts have done so, all nodes
 * replace the old parts by new ones, in a new generation; a new part is
 * complete when all its records have come, and are sorted (STN_CELLS_JOIN).
 *
 * After a death the parts return to an earlier version, perhaps of another cut
 * (cells_join.h), and the root repeats the operations since then, with their
 * plans (plans.h).
 */
#ifndef STN_PARTS_CELLS_H
#define STN_PARTS_CELLS_H

#include "parts/cells/block.h"
#include "parts/cells/cut.h"
#include "parts/cells/once.h"
#include "parts/order.h"
#include "parts/parts.h"

/* Records for one new part, out of one message or one old part. */
struct stn_rows {
	SLIST_ENTRY(stn_rows) link;
	uint64_t count;
	const uint64_t *indices;
	const unsigned char *records;
	struct stn_block *store; /* has both */
};
SLIST_HEAD(stn_rows_list, stn_rows);

/* Records of one part for one node, until they are sent. */
struct stn_parcel {
	SLIST_ENTRY(stn_parcel) link;
	uint32_t to, segments;
	struct stn_block *store;
};
SLIST_HEAD(stn_parcels, stn_parcel);

/* The records that a new part of this node has got. */
struct stn_arrived {
	struct stn_rows_list list;
	uint64_t count;
};

/* What all nodes need for an operation; see plan.h. */
struct stn_plan {
	TAILQ_ENTRY(stn_plan) link;
	struct stn_parts_plan header;
	struct stn_block *store; /* its data are the payload */
	uint32_t spread; /* on the root: 1 + the view in which it was sent */
};
TAILQ_HEAD(stn_plan_list, stn_plan);

struct stn_given;
SLIST_HEAD(stn_given_list, stn_given);

/* A part of another node, for the kernels of this one. */
struct stn_copied {
	struct stn_block *block; /* NULL: not here */
	struct stn_block *store; /* has its brief summary; NULL: not here */
	const unsigned char *brief;
	bool wanted;	   /* it has been asked for */
	bool brief_wanted; /* its brief summary has */
};

/* What a kernel sees of another part, while it is swept. */
struct stn_held {
	struct stn_block *block;    /* what is seen is in it; NULL: nothing */
	const unsigned char *brief; /* of a far part */
};

/* A node that waits for a copy of a part, which can't be sent yet. */
struct stn_asker {
	uint32_t node, number; /* of the operation */
};

/* What is known of a part beyond struct stn_part. */
struct stn_cells_part {
	struct stn_record_key *keys; /* in order; NULL: not sorted */
	uint32_t *order;	     /* the records in the order of the keys */
	uint32_t sorted;	 /* the serial of the plan that had the cube */
	uint32_t listed;	 /* the operation that the lists are for */
	uint32_t missing; /* 1 + the first near entry that is not here; 0: all
			   * are */
	uint32_t *lists;	 /* branches: near, with NEAR set, and far */
	uint32_t count, room;	 /* of the lists */
	struct stn_held *held; /* for each entry, while it is swept */
	uint32_t holds;
	struct stn_asker *askers;
	uint32_t asker_count, asker_room;
	struct stn_parcels parcels; /* of SPLIT, after the part's turn */
	uint64_t cost_ns;	    /* of its last sweep; 0: unknown */
	uint32_t cost_task;	    /* the kernel of that sweep */
	double box[8];	/* around its places: its harvest of BOX */
	uint32_t boxed; /* the operation in which that was found */
};

#define STN_LISTED_NEAR 0x80000000u

/* See even.h: of the present sweep. */
struct stn_even {
	bool asking;	    /* an answer is due */
	uint32_t last;	    /* the node that was asked last */
	uint32_t refused;   /* nodes in a row that have given nothing */
	uint32_t due;	    /* gifts that are on their way */
	uint32_t arrived;   /* gifts since the question */
	uint64_t asked_ns;  /* when the question left */
	uint64_t gift_ns;   /* what a gift needs for its way; 0: unknown */
	uint64_t resume_ns; /* no question before this time */
	uint64_t busy_ns, records; /* swept here */
};

struct stn_cells {
	uint64_t records;
	uint32_t record, place, most, brief;
	uint32_t across; /* cells along the extent of all records; 0: any */
	bool summaries; /* kernels see those of near parts, and no records */

	uint32_t parts; /* before the first cut */
	bool cut;	/* there has been one */

	struct stn_octree tree; /* without parts: never cut, or not known yet */
	uint32_t tree_serial;	/* of the plan that has cut it; 0: none */
	uint32_t tree_due;	/* of the plan that has cut the parts */
	struct stn_block *briefs; /* of each branch that has children; NULL:
				   * there are no summaries */
	uint32_t briefs_serial;	  /* of their plan */

	struct stn_plan_list plans; /* see plans.h */
	uint32_t briefs_due; /* of the version to which the parts return */
	uint32_t plans_due; /* so many plans are on their way to this node,
			     * which has joined; 0: all have come */
	uint32_t plans_last; /* the last one of them */
	struct stn_plan *issued; /* the last one that this node has sent to the
				  * root; NULL: none */
	struct stn_given_list given; /* see given.h */
	struct stn_parts_plan plan; /* of the last COUNT, SPLIT or PLACE */
	struct stn_block *questions; /* of the last COUNT */

	/* The cut that is being made, or the last one. */
	struct stn_octree next;
	uint32_t next_serial;
	uint32_t first, end; /* the new parts of this node are among these */
	struct stn_arrived *arrivals;

	/* On the caller's node: what its last call has collected. */
	struct stn_harvest result;
	uint32_t result_number; /* of that operation */

	/* Of a sweep with a reach. */
	const struct stn_task *reach;
	struct stn_record reach_record; /* its arguments */
	struct stn_copied *copied;	/* of each part; NULL: no reach */
	uint32_t copied_count;
	struct stn_once once;
	struct stn_even even;
};

/*
 * stn_cells_begin: makes the state of an array's cells. NULL: no memory.
 * stn_cells_clear: the array is freed: frees all but what calls of main check,
 * if it runs again.
 * stn_cells_destroy: frees that state, if the array has cells.
 * stn_cells_of: what is known of the part; makes it.
 * stn_cells_forget: the part leaves this node, or is removed.
 * stn_cells_drop_arrivals: forgets the cut that is being made.
 * stn_cells_drop_parcels: frees parcels that are not sent.
 * stn_cells_drop_copied: frees what is here of parts of other nodes.
 */
struct stn_cells *stn_cells_begin(const struct stn_parts_create *create);
void stn_cells_clear(struct stn_cells *cells);
void stn_cells_destroy(struct stn_parts *array);
struct stn_cells_part *stn_cells_of(struct stn_part *part);
void stn_cells_forget(struct stn_part *part);
void stn_cells_drop_arrivals(struct stn_cells *cells);
void stn_cells_drop_parcels(struct stn_parcels *parcels);
void stn_cells_drop_copied(struct stn_cells *cells);

/*
 * stn_cells_sort: sorts the keys of the part's records, if they aren't sorted
 * for the cube of the present plan. By the part's worker, without a lock, or
 * while it isn't swept.
 */
void stn_cells_sort(struct stn_part *part);

/*
 * stn_cells_find_box: finds the box around the part's places, if this operation
 * hasn't found it. By the part's worker, without a lock, or while it isn't
 * swept.
 */
void stn_cells_find_box(struct stn_part *part);

/*
 * stn_cells_harvests: how the harvests of the array's operation are joined.
 * stn_cells_harvest: adds what the part gives to the operation. Ends the run
 * without memory.
 */
enum stn_harvests stn_cells_harvests(const struct stn_parts *array);
void stn_cells_harvest(struct stn_part *part);

/*
 * stn_cells_ready: whether the part has what its operation needs.
 */
bool stn_cells_ready(const struct stn_part *part);

/*
 * stn_cells_is_cutting: whether the array has a newer cut than its parts.
 * stn_cells_called_here: whether a worker of this node has called the array's
 * operation.
 * stn_cells_keep_result: this node's call is over: the records that it has
 * collected stay as they are until the next call, even if the root repeats the
 * operation after a death.
 */
bool stn_cells_is_cutting(const struct stn_parts *array);
bool stn_cells_called_here(const struct stn_parts *array);
void stn_cells_keep_result(struct stn_parts *array);

#endif
