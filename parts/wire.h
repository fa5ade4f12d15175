/*
 * wire.h: the messages of the parts service, all little-endian.
 *
 *	kind		header			payload
 *	CREATE 30	stn_parts_create	-
 *	OPERATE 31	stn_parts_operate	-
 *	FINISHED 32	stn_parts_finished	folds, as struct stn_fold, or a
 *						harvest (cells/harvest.h)
 *	PIECE 33	stn_parts_piece		the points of a piece
 *	GIVE 34		stn_parts_give		the layers of a part
 *	MOVED 35	stn_parts_moved		-
 *	ASK 36		stn_parts_ask		-
 *	NONE 37		stn_parts_ask		-
 *	SPEED 38	stn_parts_speed		-
 *	RECUT 39	stn_parts_recut		the first part of each node,
 *						32 bits each; with the first
 *						cuts in a view, the version
 *						of the pause, in two halves
 *	KNOW 40		stn_parts_know		see stn_parts_known
 *	HOMES 41	stn_parts_homes		as struct stn_home
 *	NOTED 42	stn_parts_homes		-
 *	CLEAR 43	stn_parts_clear		-
 *	OUTCOME 44	stn_parts_outcome	-
 *	COPY 45		stn_parts_copy		some bytes of what GIVE has
 *	SAFE 46		stn_parts_safe		-
 *	VERSION 47	stn_parts_version	-
 *	COLLECTED 55	stn_parts_points	the points of a part
 *	DEALT 56	stn_parts_points	the same
 *	FETCH 57	stn_parts_points	-
 *	PLAN 60		stn_parts_plan		questions (cut.h), leaves (octree.h),
 *						or a summary of each branch
 *	ROWS 61		stn_parts_rows		see rows.h
 *	WANT 62		stn_parts_want		numbers of parts, 32 bits each
 *	BLOCK 63	stn_parts_block		see block.h
 *	STORED 80	stn_parts_stored	runs (stn_parts_run); then the
 *						history (stored.h), if known
 *	REVIVE 81	stn_parts_revive	holders of parts, as struct
 *						stn_home; then the history
 *	NEED 82		stn_parts_need		-
 *	REVIVED 83	stn_parts_need		what GIVE has
 *
 * CREATE, OPERATE, PLAN, OUTCOME, VERSION and REVIVE go from the root down the
 * tree of the membership (node/membership_tree.h). The first three are commands
 * of a caller, which sends them to the root. FINISHED goes up the tree, and
 * from the root to the caller. These messages carry the view
 * (node/membership.h) whose tree they use. In a later view they are void, and
 * at a receiver that has not applied their view yet they wait (early.h). Most
 * others are void if the parts have returned to an earlier version meanwhile:
 * see the generation.
 */
#ifndef STN_PARTS_WIRE_H
#define STN_PARTS_WIRE_H

#include "node/service.h"
#include "parts/sateen_cells.h"
#include "parts/shape.h"
#include "steal/sateen_record.h"
#include "steal/task.h"

enum {
	STN_PARTS_KIND_CREATE = 30,
	STN_PARTS_KIND_OPERATE,
	STN_PARTS_KIND_FINISHED,
	STN_PARTS_KIND_PIECE,
	STN_PARTS_KIND_GIVE,
	STN_PARTS_KIND_MOVED,
	STN_PARTS_KIND_ASK,
	STN_PARTS_KIND_NONE,
	STN_PARTS_KIND_SPEED,
	STN_PARTS_KIND_RECUT,
	STN_PARTS_KIND_KNOW,
	STN_PARTS_KIND_HOMES,
	STN_PARTS_KIND_NOTED,
	STN_PARTS_KIND_CLEAR,
	STN_PARTS_KIND_OUTCOME,
	STN_PARTS_KIND_COPY,
	STN_PARTS_KIND_SAFE,
	STN_PARTS_KIND_VERSION,
	STN_PARTS_KIND_COLLECTED = 55,
	STN_PARTS_KIND_DEALT,
	STN_PARTS_KIND_FETCH,
	STN_PARTS_KIND_PLAN = 60,
	STN_PARTS_KIND_ROWS,
	STN_PARTS_KIND_WANT,
	STN_PARTS_KIND_BLOCK,
	STN_PARTS_KIND_STORED = 80,
	STN_PARTS_KIND_REVIVE,
	STN_PARTS_KIND_NEED,
	STN_PARTS_KIND_REVIVED
};

#define STN_PARTS_KINDS 29
extern const struct stn_kind stn_parts_kinds[STN_PARTS_KINDS];

/*
 * An array: 1 + the node whose task has made it, or 0 if main has made it; and
 * how many arrays that node's tasks, or main, had made before. So the next
 * root, on which main runs again, finds the arrays that main has made.
 * @generation is the view in which the parts were made, or have last returned
 * to an earlier version. Of cells, its upper half has how often they have been
 * cut since then, modulo 65536.
 */
struct stn_array_id {
	uint32_t rank, number, generation;
};

/* stn_generation_cut: the next one, after a cut of cells. */
static inline uint32_t
stn_generation_cut(uint32_t generation)
{
	return generation + (UINT32_C(1) << 16);
}

/* stn_generation_same_view: whether only cuts lie between @a and @b. */
static inline bool
stn_generation_same_view(uint32_t a, uint32_t b)
{
	return (uint16_t)a == (uint16_t)b;
}

/* stn_generation_before: whether @a was before @b. */
static inline bool
stn_generation_before(uint32_t a, uint32_t b)
{
	return stn_generation_same_view(a, b)
		       ? (int16_t)((a >> 16) - (b >> 16)) < 0
		       : (uint16_t)a < (uint16_t)b;
}

#define STN_OF_MAIN 0 /* instead of 1 + a rank */

struct stn_parts_create {
	struct stn_array_id array;
	uint32_t view;
	uint64_t planes, rows, columns;
	uint32_t element, halo, copies, colours, block;
	uint32_t part_planes, part_rows, part_columns;
	uint8_t star, periodic, number;
	uint8_t copied : 4;   /* STN_COPIED_... */
	uint8_t progress : 4; /* 1: sweeps count as progress */
	uint32_t nodes; /* among which the parts are divided at first */
};

/* Parts are copied in memory, for the case of deaths; and to disk. */
enum { STN_COPIED_IN_MEMORY = 1, STN_COPIED_TO_DISK = 2 };

/* What all nodes are to do with an array. */
struct stn_parts_operate {
	struct stn_array_id array;
	uint32_t number; /* among the array's operations; CREATE is 0 */
	uint64_t sweeps;
	uint32_t view;
	uint8_t what; /* enum stn_parts_what, or one of those below */
	uint8_t argument_bytes : 7;
	uint8_t after_get : 1; /* main has had STN_GET before it */
	uint16_t task_id;
	uint32_t caller : 24;	/* as the rank of an array's id */
	uint32_t base_high : 8; /* the array's version before it: */
	uint32_t base_low;
	unsigned char arguments[STN_ARGUMENT_BYTES];
};

_Static_assert(sizeof(struct stn_parts_operate) <= STN_HEADER_BYTES,
	       "OPERATE is a header");
#define STN_BASE_MOST (UINT64_C(1) << 40)

/* Operations without a kernel. */
enum {
	STN_PARTS_FREE = 16, /* the array's last operation */
	STN_PARTS_DEAL,	     /* parts get points from the caller */
	STN_PARTS_REFRESH,   /* halos get the points of other parts */

	/* On cells: see cells.h. */
	STN_CELLS_BOX,
	STN_CELLS_COUNT,
	STN_CELLS_SPLIT,
	STN_CELLS_PLACE,  /* as SPLIT, but the caller has all records */
	STN_CELLS_JOIN,
	STN_CELLS_BRIEFS, /* all nodes get those of all larger cells */
	STN_CELLS_GET,	  /* the caller gets some records */
	STN_CELLS_END
};

/* The argument of an operation on cells without a kernel. */
struct stn_cells_order {
	uint32_t plan;	  /* the serial of the plan that it needs, or 0 */
	uint32_t revised; /* of SPLIT and PLACE: as in the plan */
	uint64_t first, count; /* of GET: indices */
};

/*
 * An operation on cells with a kernel may have another task with the same
 * arguments: a reach or a combination. Its 1 + id is behind the arguments, and
 * then the serial of the newest plan, which has what the kernel sees.
 */
#define STN_CELLS_OTHER_AT STN_CELLS_ARGUMENT_BYTES
#define STN_CELLS_PLAN_AT (STN_CELLS_OTHER_AT + sizeof(uint32_t))

/* The argument of DEAL: parts @first to @end - 1. */
struct stn_parts_range {
	uint32_t first, end;
};

/*
 * The points of a part, to node @to. FETCH: node @to wants them; the answer, as
 * of the array's last operation, has the same header.
 */
struct stn_parts_points {
	struct stn_array_id array;
	uint32_t part, to;
	uint32_t serial; /* how often node @to had asked for points before */
};

static inline uint64_t
stn_operate_base(const struct stn_parts_operate *operate)
{
	return (uint64_t)operate->base_high << 32 | operate->base_low;
}

static inline void
stn_operate_set_base(struct stn_parts_operate *operate, uint64_t base)
{
	operate->base_high = (uint8_t)(base >> 32);
	operate->base_low = (uint32_t)base;
}

/* @parts more parts, and @nodes more nodes, have finished an operation. */
struct stn_parts_finished {
	struct stn_array_id array;
	uint32_t number, view, nodes;
	uint64_t parts;
};

/* The result of the operation before the next OPERATE, if it is a measure. */
struct stn_parts_outcome {
	struct stn_array_id array;
	uint32_t number, view;
	double value;
};

struct stn_parts_piece {
	struct stn_array_id array;
	uint32_t to, place;
	uint64_t version;
};

/* A part moves to the receiver. */
struct stn_parts_give {
	struct stn_array_id array;
	uint32_t part, epoch;
	uint32_t counted; /* as in struct stn_part */
	uint64_t version, fresh;
	uint32_t finished;
	uint32_t restored; /* bit 0: as in struct stn_part; and behind it the
			    * newest version that is written, modulo 2^31 */
	double value;
	uint64_t copied;
};

/* Part @part has moved to node @home, for the @epoch'th time. */
struct stn_parts_moved {
	struct stn_array_id array;
	uint32_t part, home, epoch;
};

/* The sender asks for parts; or the answer: what it gives. */
struct stn_parts_ask {
	struct stn_array_id array;
	uint64_t ns_per_part; /* what a part takes on the sender; 0: unknown */
	uint64_t gift_ns;     /* what a part needs to get there; 0: unknown */
	uint64_t lowest;      /* version of the sender's parts */
	union {
		uint64_t left;	/* settle: sweeps of parts that it has to do */
		double squares; /* chunks: sum of squared times of parts, ns */
	};
	uint32_t parts; /* that the sender has */
	uint32_t next;	/* the node that gets the parts; in an answer without
			 * parts: the node to ask instead */
	uint32_t gifts; /* that it wants, or gives; 0: any number, or none */
	uint32_t passed; /* 1: the first home has passed it on (fractiling) */
};

/*
 * What the sender's speed will be, in points a ns; 0: unknown. @round has the
 * number of the view in its upper half, and in the lower one, how often the
 * array has been cut anew in this view, both modulo 65536.
 */
struct stn_parts_speed {
	struct stn_array_id array;
	uint32_t round;
	double speed;
};

/* Each node gets a new range of parts. */
struct stn_parts_recut {
	struct stn_array_id array;
	uint32_t round; /* as in stn_parts_speed */
};

/* The receiver lacks this array, because it has joined the run. */
struct stn_parts_know {
	struct stn_array_id array;
	uint32_t view;
	uint32_t calls, orders, homes; /* entries of the payload */
};

/*
 * The payload of KNOW. Behind it are the calls and the newest orders of the
 * history (history.h), and homes of all parts as in HOMES.
 */
struct stn_parts_known {
	struct stn_parts_create create;
	struct stn_parts_operate operate;  /* the current operation */
	uint64_t base;			   /* as in struct stn_operation */
	uint64_t complete, next;	   /* as in stn_parts_version */
	struct stn_parts_operate boundary; /* as in struct stn_history */
	uint32_t active, freed, lent;
	uint32_t got;  /* as in struct stn_history */
	uint64_t kept, stores; /* as in stn_parts_version */
	uint64_t revived_sweeps; /* as in struct stn_parts */
	uint32_t revived_calls, unused;

	/* Of cells: which plans have made their state; how many plans the root
	 * sends besides, and the last one of them. */
	uint32_t cut, briefs, plans, last_plan;
};

/*
 * The sender leaves the run, and has none of these parts any more. The receiver
 * answers by NOTED with the same header; then it sends no more pieces to the
 * sender.
 */
struct stn_parts_homes {
	struct stn_array_id array;
	uint32_t round; /* how often the sender has told its parts' homes */
};

/* Parts @first to @first + @count - 1: at @home, since their moves @epoch. */
struct stn_home {
	uint32_t first, count, home, epoch;
};

/* The sender leaves the run, and all its parts are on other nodes. */
struct stn_parts_clear {
	struct stn_array_id array; /* not used */
	uint32_t unused;
};

/* Bytes of a copy of a part. @array is of the generation that has made it. */
struct stn_parts_copy {
	struct stn_array_id array;
	uint32_t part;
	uint64_t version;
	uint64_t offset; /* of the bytes of the payload in the copy */
	uint64_t bytes;	 /* of the whole copy */
	uint32_t parts;	 /* of the array in that version */
	uint32_t unused;
};

/*
 * To the root: @parts more parts have their copies of version @version. On the
 * sender @copies more copies took @copy_ns, and of late @turns turns took
 * @turn_ns. @newest: the highest version of its parts.
 */
struct stn_parts_safe {
	struct stn_array_id array;
	uint32_t view, parts;
	uint32_t missed; /* a part has passed the version without a copy */
	uint64_t version, newest;
	uint64_t copies, copy_ns, turns, turn_ns;

	/* The same for parts that are written to disk. */
	uint64_t stored_version;
	uint32_t stored, store_missed;
	uint64_t store_ns; /* to copy and write; STN_STORE_FAILED: it failed */
};

/*
 * All copies of version @complete are there; 0: none yet. The parts are to be
 * copied when they reach version @next. @kept and @stores are the same for what
 * is written to disk; if @stores is not above @kept, no version is chosen yet.
 */
struct stn_parts_version {
	struct stn_array_id array;
	uint32_t view;
	uint64_t complete, next;
	uint64_t kept, stores;
};

/*
 * What all nodes need before operation @what on cells. A command: it goes from
 * the caller to the root, and from there down the tree.
 */
struct stn_parts_plan {
	struct stn_array_id array;
	uint32_t view;
	uint32_t serial; /* how many plans there have been for the array */
	uint32_t since;	 /* the serial of the first plan with the same cube; of
			  * briefs: that of the plan that has cut the parts */
	uint32_t what;
	uint32_t revised; /* of a cut: the view in which the root has chosen
			   * other homes, because nodes are gone; or 0 */
	double low[3], width; /* the cube */
};

/* Records for new parts of the receiver, as plan @serial has cut them. */
struct stn_parts_rows {
	struct stn_array_id array;
	uint32_t serial, segments, unused;
};

/* Node @to needs copies of parts for the kernels of operation @number. */
struct stn_parts_want {
	struct stn_array_id array;
	uint32_t number, to;
};

struct stn_parts_block {
	struct stn_array_id array;
	uint32_t number, part;
};

/*
 * To the root, when an array is made in a run with --resume: the sender has
 * parts of version @version on disk. Version 0: it has none.
 */
struct stn_parts_stored {
	struct stn_array_id array;
	uint32_t view;
	uint64_t version, lineage; /* see stored.h */
	uint32_t left;		   /* messages that follow from this node */
	uint32_t runs;		   /* entries of the payload */
};

/*
 * The parts begin in version @version, from disk; 0: they are new. A command of
 * the root, which goes down the tree.
 */
struct stn_parts_revive {
	struct stn_array_id array;
	uint32_t view;
	uint64_t version, lineage;
	uint32_t holders; /* entries of the payload */
	uint32_t unused;
};

/* Node @to needs the part of that version; and the answer. */
struct stn_parts_need {
	struct stn_array_id array;
	uint32_t view;
	uint64_t version, lineage;
	uint32_t part, to;
};

struct stn_parts_wire {
	uint8_t kind;
	struct stn_array_id array;
	union {
		struct stn_parts_create create;
		struct stn_parts_operate operate;
		struct stn_parts_finished finished;
		struct stn_parts_piece piece;
		struct stn_parts_give give;
		struct stn_parts_moved moved;
		struct stn_parts_ask ask;
		struct stn_parts_speed speed;
		struct stn_parts_recut recut;
		struct stn_parts_know know;
		struct stn_parts_homes homes;
		struct stn_parts_clear clear;
		struct stn_parts_outcome outcome;
		struct stn_parts_copy copy;
		struct stn_parts_safe safe;
		struct stn_parts_version version;
		struct stn_parts_points points;
		struct stn_parts_plan plan;
		struct stn_parts_rows rows;
		struct stn_parts_want want;
		struct stn_parts_block block;
		struct stn_parts_stored stored;
		struct stn_parts_revive revive;
		struct stn_parts_need need;
	};
};

/*
 * These return STN_MALFORMED if a length, a task or a member is impossible,
 * whatever the array.
 * stn_parts_wire_parse: reads the header of @message.
 * stn_parts_operate_check: checks an operation.
 * stn_parts_known_check: checks the start of the payload of KNOW.
 */
STN_CHECKED enum stn_err stn_parts_wire_parse(const struct stn_message *message,
					      const struct stn_table *table,
					      struct stn_parts_wire *wire);
STN_CHECKED enum stn_err
stn_parts_operate_check(const struct stn_parts_operate *operate,
			const struct stn_table *table);
STN_CHECKED enum stn_err
stn_parts_known_check(const struct stn_parts_known *known,
		      const struct stn_table *table);

#endif
