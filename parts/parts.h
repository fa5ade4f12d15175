/*
 * parts.h: the state of the parts service on one node. The net lock guards it,
 * except members marked atomic. While a part is running, its worker reads the
 * part's version and pieces, and the array's shape and operation, without the
 * lock, because nothing changes them then, and owns the part's layers.
 *
 * The files of the service; each file uses only the files above it. Some are in
 * four folders: those of arrays of cells (cells), those that move parts
 * (moves), those for deaths, leaves, joins and versions on disk (survive), and
 * those that read and write grids (files):
 *
 *	shape	   how a grid is cut into parts: arithmetic
 *	part	   the memory of a part, and pieces that arrive for its halo
 *	counts	   what statistics show of this service
 *	fold	   sums and maxima in a fixed order
 *	block	   the memory of a part of cells
 *	morton	   keys of records, and cells: arithmetic
 *	octree	   how cells are cut into parts: arithmetic
 *	cut	   finds the parts of cells: arithmetic
 *	sort	   sorts keys
 *	harvest	   what an operation on cells collects
 *	once	   what a node computes once for a cell
 *	wire	   the messages
 *	order	   what kinds of operations there are
 *	history	   the operations so far, and their results
 *	homes	   which node has which parts at first
 *	again	   main must make the same calls, if it runs again
 *	early	   messages that wait until this node can handle them
 *	array	   the parts of an array that this node has or knows
 *	cells	   the same of an array of cells
 *	gather	   tells the caller when an operation is finished
 *	ready	   parts that can be swept now
 *	points	   the points of parts, to the caller and from it
 *	fate	   when a message is handled
 *	seats	   which node has which resident set
 *	scheduler  the contract of schedulers, which the files below call
 *	copies	   copies of parts, in case nodes die
 *	copy_holders  which nodes have copies
 *	stored	   versions on disk, of an earlier run
 *	store	   copies are written to disk
 *	unkept	   tells which arrays are not written
 *	keeper	   which other node gets copies
 *	second	   copies on other nodes
 *	halo	   pieces of parts for the halos of others
 *	plans	   what all nodes need before operations on cells
 *	plan	   how nodes get a plan
 *	rows	   records on their way to the new parts of a cut
 *	given	   the records of STN_CELLS_PUT, until parts have copies
 *	give	   sends these records, also again after a death
 *	briefs	   brief summaries of far parts, to nodes that need them
 *	near	   what parts of cells need of others
 *	cells_turn what a worker does with a part of cells
 *	cells_join an operation on cells begins
 *	move	   parts that move to other nodes
 *	sweep	   a worker sweeps a part
 *	versions   which version is copied when; the root decides
 *	cells_revive an array of cells gets the plans that are on disk
 *	revival	   which versions the nodes have on disk: arithmetic
 *	revive_mail  the messages of revive
 *	revive_parts a node gets parts from disk
 *	revive	   when an array is made, the root chooses a version on disk
 *	restore	   after a death all parts return to an earlier version
 *	create	   this node makes its part of an array
 *	command	   what callers want all nodes to do
 *	forecasts  what a node's speed will be: one file for each forecast
 *	gifts	   which parts a node gives to another one
 *	even	   settle for cells
 *	awaited	   the node for which the parts of this one wait
 *	bargain	   how many parts a node gives to one that asks
 *	piles	   parts that are not granted: for chunks
 *	chunk_sizes  how large chunks are: arithmetic
 *	grants	   what a node knows of the chunks that it is granted
 *	chunks_view  what a view of the membership changes for chunks
 *	chunks	   the root hands out the parts of each sweep in chunks
 *	tiles	   what the fractiling master knows: arithmetic
 *	shares	   the ranges of parts of each node: arithmetic
 *	recut	   all nodes get new ranges of parts at once
 *	schedulers which parts move: one file for each scheduler
 *	depart	   a node that leaves gives its parts to others
 *	know	   a node that joins learns which arrays there are
 *	regroup	   what a view of the membership changes
 *	service	   the table of the service
 *	hector	   a service of its own, in the folder hector
 *	await	   a call waits for all nodes
 *	calls	   the calls of <sateen_parts.h> that operate on a grid
 *	cells_calls  the calls of <sateen_cells.h> that don't cut cells
 *	cells_homes  which nodes get the parts of a cut
 *	cells_rehash the calls of <sateen_cells.h> that cut cells
 *	handle	   handles of arrays, for tasks
 *	grid_file  files, by the library netCDF
 *	transfers  the calls that copy a grid to a file, or from it
 *
 * Not used by the service: which nodes tell which others about their load.
 *
 *	news_wire     the messages
 *	news_board    nodes that have registered
 *	news	      what all policies have in common
 *	news_policies one file for each, in news
 *
 * The way of an operation, for example STN_SWEEPS. The caller sends OPERATE to
 * the root, and from there it spreads over the tree of the living nodes. Each
 * node queues those of its parts that have all pieces of their halos. A worker
 * takes a part, copies the pieces into its halo, and sweeps a block, which
 * raises the part's version by one. The worker copies the pieces that the
 * part's neighbours need out of it, and sends each, with the version, to the
 * node that has the neighbour. A part that has all pieces of its own version is
 * queued again. A part is never more than one version ahead of a neighbour,
 * because it needs the neighbour's pieces for each version; so pieces of two
 * versions wait at most. When all parts of a node are finished, the node
 * reports to its parent in the tree.
 */
#ifndef STN_PARTS_PARTS_H
#define STN_PARTS_PARTS_H

#include <stdatomic.h>

#include "node/node.h"
#include "node/worker.h"
#include "parts/counts.h"
#include "parts/fold.h"
#include "parts/cells/harvest.h"
#include "parts/history.h"
#include "parts/homes.h"
#include "parts/part.h"
#include "parts/wire.h"
#include "steal/program.h"

struct stn_cells;
struct stn_cells_part;
struct stn_points;
struct stn_revival;
struct stn_scheduler;
struct stn_stored;

#define STN_BUCKETS_LEAST 64

/* A part that this node has, or whose home it knows. */
struct stn_part {
	SLIST_ENTRY(stn_part) chain; /* of its bucket */
	uint32_t place;		     /* in the queue, if queued */
	struct stn_parts *array;
	uint32_t number;
	uint32_t home;	   /* as far as this node knows */
	uint32_t epoch;	   /* how often it has moved */
	bool here;	   /* its memory is here, and its layers are complete */
	bool arriving;	   /* its layers are on their way to this node */
	bool queued;	   /* it waits for a worker */
	bool running;	   /* a worker sweeps it */
	bool leaves;	   /* its scheduler gives it away after the turn */
	bool edge;	   /* a neighbour was on another node, last time */
	uint64_t copied;   /* the version of its newest copy */
	uint32_t stored;   /* the newest written version, as in GIVE */
	bool restored;	   /* its neighbours lack its version's pieces */
	bool joining;	   /* of cells: its records have not all come */
	uint32_t expected; /* where its home will be soon, or STN_NOBODY */
	uint32_t counted; /* 1 + the view in which a node has last counted it as
			   * finished; of no use if it isn't finished */
	double value;	  /* its measure */
	uint32_t needs;	  /* pieces for its halo */
	uint64_t version; /* how many fills and blocks it has had */
	uint64_t fresh;	  /* the version that its halo has */
	uint64_t granted; /* it may be swept to this version despite a pause */
	uint32_t finished; /* the last operation that it has finished */

	/* Pieces of its version and of the next one, by the lowest bit. */
	struct stn_landings landings[2];
	uint32_t landed[2];
	struct stn_points *dealt;     /* that the part will get, or NULL */
	struct stn_cells_part *cells; /* see cells.h; NULL: nothing is known */
	struct stn_memory memory;
};

SLIST_HEAD(stn_bucket, stn_part);

/* The queue of parts that can be swept: see ready.c. */
struct stn_ready {
	struct stn_part **heap;
	uint32_t room;
	_Atomic(uint32_t) count; /* written under the net lock; without it, a
				  * hint that pairs with nothing */
};

/* An operation on an array. */
struct stn_operation {
	struct stn_parts_operate order;
	const struct stn_task *kernel;
	uint64_t base;	   /* the array's version before it */
	uint64_t blocks;   /* by which it raises the version */
	uint64_t begin_ns; /* when it began on this node */
	bool active; /* the array has had an operation, and is not freed */
};

/* The kernel that computes the points outside of the grid, if there is one. */
struct stn_boundary {
	const struct stn_task *kernel;
	struct stn_record record; /* its arguments */
};

/* What this node and its subtree have finished of the array's operation. */
struct stn_gather {
	uint32_t number;	/* of the operation */
	uint32_t children_left; /* children that have not reported yet */
	uint32_t nodes;		/* nodes of the subtree that have reported */
	uint64_t parts;		/* parts finished and not told to the parent */
	bool reported;		/* this node has reported itself */
	struct stn_folds folds;
	struct stn_harvest harvest; /* of cells */
};

/* How long parts take on this node. */
struct stn_pace {
	uint64_t busy_ns; /* of all workers, in kernels */
	uint64_t points;  /* that they have computed in it */
	uint64_t turns;	  /* kernels counted in it, for parts */

	/* Of all sweeps so far. */
	uint64_t swept_ns, swept_points;
};

/* Copies of an array's parts on this node; see copies.h. */
struct stn_copy;
SLIST_HEAD(stn_copy_list, stn_copy);
struct stn_copies {
	struct stn_copy_list list;
	bool wanted;	   /* parts are copied at all */
	uint64_t complete; /* the newest version of which all copies are there;
			    * 0: none */
	uint64_t next;	   /* parts are copied when they reach this version */
	uint32_t parts;	   /* of cells, in that version; 0: not begun yet */
	uint32_t unsent;   /* copies of @next whose second copy is missing */
	uint32_t safe;	   /* others, which the root has not been told */
	bool missed;	   /* a part has passed @next without a copy */
	uint64_t count,
		ns; /* of copies made, which the root has not been told */

	/* A piece of a second copy leaves when parts reach version @beat. */
	uint64_t beat;			/* 0: not known yet */
	uint64_t reached;		/* number of parts that have */
	uint64_t beat_version, beat_ns; /* of the last time */

	/* On the root: of version @next. */
	uint64_t all_safe, newest;
	uint64_t all_count, all_ns, all_turns, all_turn_ns;
};

/* Versions that are written to disk; see store.h. */
struct stn_store_file;
SLIST_HEAD(stn_store_files, stn_store_file);
struct stn_storing {
	bool wanted;   /* versions are written at all */
	bool failed;   /* this node can't write */
	bool trimmed;  /* what the run has resumed from was removed */
	uint64_t next; /* parts are written when they reach this version; @kept
			* or less: none */
	uint64_t kept; /* the newest version that is on disk; 0: none */
	uint64_t before; /* the one before it, in case that a log is damaged */
	uint32_t parts;	 /* of cells, in version @next; 0: not begun yet */
	struct stn_store_files files; /* of this node */
	uint64_t lineage;	      /* of version @next; see stored.h */
	uint32_t unwritten;	      /* parts of it that the log writer has */
	uint32_t written; /* others, of which the root has not been told */
	bool missed;	  /* a part has passed @next without being written */
	uint64_t took_ns; /* to copy and write them */

	/* On the root. */
	bool all_failed;      /* a node can't write */
	uint64_t all_written; /* parts of @next */
	uint64_t begun_ns;    /* when @next was announced */
	uint64_t most_ns;     /* that a node needed for it */
	uint64_t due_ns;      /* when another one may be announced */
};

/* Points of parts that a caller on this node collects; see points.h. */
struct stn_fetching {
	struct stn_points **points;   /* of the parts of the range, or NULL */
	struct stn_parts_range range; /* empty: nothing is collected */
	uint32_t missing, serial;
	_Atomic(bool) over; /* all are there, or must be asked for again; set
			     * under the net lock, pairs with the generation of
			     * the node */
};

struct stn_parts {
	SLIST_ENTRY(stn_parts) link;
	struct stn_parts_service *service;
	struct stn_array_id id;
	struct stn_parts_create create; /* what has made it */
	struct stn_shape shape;
	struct stn_cells *cells; /* NULL: it is a grid */
	uint32_t count;		 /* of parts */
	uint32_t nodes;		 /* that have parts at first: the lowest ranks,
				  * unless there is a base map */
	struct stn_homes homes;	 /* the base map */
	struct stn_history history;
	uint32_t here;	     /* of parts on this node */
	uint32_t unfinished; /* of them, those in the current operation */
	uint64_t version;    /* after the current operation */
	uint64_t pause; /* parts of this version are not swept, but wait for
			 * the scheduler; UINT64_MAX: all are swept */
	struct stn_operation operation;
	struct stn_boundary boundary;
	struct stn_gather gather;
	struct stn_pace pace;
	struct stn_copies copies;
	struct stn_storing storing;
	struct stn_revival *revival; /* its parts are to come from disk, or not:
				      * that is not decided or done yet */
	bool revived;		     /* they have come from disk */
	uint32_t revived_calls;	     /* up to the version on disk; 0: none */
	uint64_t revived_sweeps;     /* of the last of these calls */
	struct stn_bucket *buckets;
	uint32_t bucket_mask, known; /* parts in the buckets */
	unsigned char **spares;	     /* a layer for each worker, which alone
				      * uses it: see stn_memory_lend */
	void *scheduling;	     /* the scheduler's state */
	bool freed;		     /* its parts have been freed */
	uint32_t running;	     /* parts that workers sweep */
	bool restoring;		     /* its parts are to return to an earlier
				      * version, when none of them is running */
	uint64_t restored; /* the version to which they have returned last */
	uint32_t noticed;  /* operations in its last notice */
	bool regrouped;	   /* the membership has changed since it was made */
	bool repeating; /* on the root: since a view, it doesn't know yet that
			 * the last operation is finished */
	bool lent;	/* a task that has not made it uses it; see again.h */
	bool caller_gone; /* a node is gone, since the last notices, whose
			   * tasks have called an operation */

	/* On the root: what all nodes have finished. */
	uint64_t finished_parts;
	uint32_t finished_nodes;

	/* On the root, and on the node that has made the array. */
	struct stn_folds result;
	struct stn_harvest harvested;

	/* On a caller's node. */
	uint32_t called;  /* on the root: operations that main has reached */
	uint64_t resumed; /* on the root: sweeps of them that were on disk */
	uint32_t awaited; /* the number of the operation that is waited for */
	struct stn_parts_operate
		wanted;		   /* the same, if it was sent to the root */
	bool calling;		   /* a call waits, or copies points */
	bool closed;		   /* the caller has freed it */
	bool got;		   /* main has got points of it */
	uint32_t dealt_generation; /* in which points were dealt */
	struct stn_fetching fetching;
	_Atomic(bool) passes; /* on the root: it is a grid, and has begun to
				* repeat operations: main's calls up to the last
				* of them need not wait; set and read as done is */
	_Atomic(bool) done; /* of the current operation; set under the net lock,
			     * pairs with the generation of the node */
};

SLIST_HEAD(stn_arrays, stn_parts);

/* Messages that wait; see early.h. */
struct stn_early;
STAILQ_HEAD(stn_early_queue, stn_early);
struct stn_early_list {
	struct stn_early_queue queue;
	const struct stn_early *now; /* is being handled */
	bool again;		     /* and has to wait longer */
	bool retrying;
	bool due; /* look_after is to retry */
};

/* How far this node has come with leaving; see depart.h. */
struct stn_departure {
	uint32_t round; /* in which it tells where its parts are */
	bool told;	/* it has told that in this round */
	uint32_t owed;	/* answers that have not come */
	bool clear;	/* it has said that it has no parts */
};

struct stn_parts_service {
	struct stn_node *node;
	const struct stn_program *program;
	const struct stn_scheduler *scheduler;
	struct stn_arrays arrays; /* that are not freed */
	struct stn_arrays freed;  /* messages about them may still come */
	_Atomic(bool) used; /* there is, or was, an array; a hint, which pairs
			     * with nothing */
	uint32_t made;	    /* arrays made by this node's tasks */
	uint32_t made_by_main; /* on this node */
	struct stn_ready ready;
	uint32_t running; /* parts that workers sweep */
	struct stn_parts_counts counts;
	bool warned; /* a sum of an array without data was asked for */
	uint32_t unkept; /* bits: what the user has been told (unkept.h) */

	uint32_t view;	    /* of the membership, which this node has applied */
	uint32_t noticed;   /* the last view whose notices have come */
	bool lost;	    /* a node has died whose parts are lost */
	uint32_t root;	    /* of that view */
	bool new_root;	    /* it has another root than the one before */
	uint64_t *clear;    /* a bit for each node that has sent CLEAR */
	uint32_t under_way; /* pieces and parts that leave or arrive */
	struct stn_early_list early;
	struct stn_departure departure;
	uint32_t seat;	 /* the resident set on this node, or STN_NOBODY */
	uint32_t *seats; /* the node of each; NULL: where they were at first */
	uint32_t *reported; /* on the root: the same, as the nodes have told */
	uint32_t heir;	    /* the node to which the last set of this node */
	/* has gone, or STN_NOBODY */
	bool sets_move;	     /* resident sets move */
	bool scattered;	     /* a node has gone, perhaps with sets */
	uint32_t *pieces_to; /* sent to each node; NULL: not counted */
	bool inside;	 /* the fractiling master is on the root, with no set */
	bool foresees;	 /* sets ask for parts before they run out of them */
	uint32_t spares; /* nodes without parts at first: the highest ranks */
	uint64_t copy_bytes;	   /* of all copies on this node */
	uint64_t begin_ns;	   /* when the first array was made */
	uint32_t writing;	   /* entries that the log writer has */
	struct stn_stored *stored; /* with --resume; else NULL */

	/* Second copies. */
	uint32_t copying;    /* pieces that are being sent */
	uint64_t copy_ns;    /* when the next pieces may be sent */
	size_t piece_bytes;  /* of them */
	double byte_ns;	     /* what a byte takes; 0: unknown */
	uint64_t sending_ns; /* when the last ones were sent */
	uint64_t left_ns;    /* when the first of them has left; 0: not yet */
	size_t later_bytes;  /* of the others that have left */

	/*
	 * Calls of files below those that need them: a message is to be
	 * handled; on the root: all nodes have finished an array's operation;
	 * the root is to be told about this node's copies; a question for the
	 * fractiling master takes another way than straight to it (NULL: no).
	 */
	enum stn_err (*handle)(struct stn_parts_service *service,
			       const struct stn_message *message);
	void (*finished)(struct stn_parts *array);
	void (*report)(struct stn_parts *array); /* of copies */
	void (*request)(struct stn_parts_service *service,
			const struct stn_parts_ask *ask);
};

extern const struct stn_service stn_parts_service;

#endif
