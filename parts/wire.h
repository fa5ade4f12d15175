/*
 * wire.h: the messages of the parts service, all little-endian.
 *
 *	kind		header			payload
 *	CREATE 30	stn_parts_create	-
 *	OPERATE 31	stn_parts_operate	-
 *	FINISHED 32	stn_parts_finished	folds, as struct stn_fold
 *	PIECE 33	stn_parts_piece		the points of a piece
 *	GIVE 34		stn_parts_give		the layers of a part
 *	MOVED 35	stn_parts_moved		-
 *	ASK 36		stn_parts_ask		-
 *	NONE 37		stn_parts_ask		-
 *	SPEED 38	stn_parts_speed		-
 *	RECUT 39	stn_parts_recut		the first part of each node,
 *						32 bits each
 *	COLLECTED 55	stn_parts_points	the points of a part
 *	DEALT 56	stn_parts_points	the same
 *
 * CREATE and OPERATE are commands: they go from the caller to the root, and
 * from there down the tree of the membership (node/membership_tree.h). FINISHED
 * goes up the tree, and from the root to the caller.
 */
#ifndef STN_PARTS_WIRE_H
#define STN_PARTS_WIRE_H

#include "node/service.h"
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
	STN_PARTS_KIND_COLLECTED = 55,
	STN_PARTS_KIND_DEALT
};

#define STN_PARTS_KINDS 12
extern const struct stn_kind stn_parts_kinds[STN_PARTS_KINDS];

/* An array: the node that has made it, and how many it had made before. */
struct stn_array_id {
	uint32_t rank, number;
};

struct stn_parts_create {
	struct stn_array_id array;
	uint64_t planes, rows, columns;
	uint32_t element, halo, copies, colours, block;
	uint32_t part_planes, part_rows, part_columns;
	uint8_t star, periodic, number, unused;
	uint32_t nodes; /* among which the parts are divided at first */
};

/* What all nodes are to do with an array. */
struct stn_parts_operate {
	struct stn_array_id array;
	uint32_t
		number; /* of the operations on this array; CREATE is the 0th */
	uint8_t what;	/* enum stn_parts_what, or one of those below */
	uint8_t argument_bytes, unused[2];
	uint64_t sweeps;
	uint32_t task_id;
	uint32_t caller; /* the node that waits for the operation */
	unsigned char arguments[STN_ARGUMENT_BYTES];
};

/* Operations without a kernel. */
enum {
	STN_PARTS_FREE = 16, /* the array's last operation */
	STN_PARTS_COLLECT,   /* points of parts go to the caller */
	STN_PARTS_DEAL,	     /* parts get points from the caller */
	STN_PARTS_REFRESH    /* halos get the points of other parts */
};

/* The argument of COLLECT and DEAL: parts @first to @end - 1. */
struct stn_parts_range {
	uint32_t first, end;
};

/* The points of a part, for the caller or from it. */
struct stn_parts_points {
	struct stn_array_id array;
	uint32_t part, unused;
};

/* @parts more parts, and @nodes more nodes, have finished an operation. */
struct stn_parts_finished {
	struct stn_array_id array;
	uint32_t number, nodes;
	uint64_t parts;
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
	uint64_t version, fresh;
	uint32_t finished, layers;
};

/* Part @part has moved to node @home, for the @epoch'th time. */
struct stn_parts_moved {
	struct stn_array_id array;
	uint32_t part, home, epoch, unused;
};

/* The sender asks for parts; or the answer: what it gives. */
struct stn_parts_ask {
	struct stn_array_id array;
	uint64_t ns_per_part; /* what a part takes on the sender; 0: unknown */
	uint64_t gift_ns;     /* what a part needs to get there; 0: unknown */
	uint64_t lowest;      /* version of the sender's parts */
	uint64_t left;	/* sweeps of parts that the sender has to do (settle) */
	uint32_t parts; /* that the sender has */
	uint32_t next;	/* the node to which the parts are to go; in an answer
			 * without parts: the node to ask instead */
	uint32_t gifts; /* that the sender wants, or has given; 0: any number,
			 * or none */
	uint32_t unused;
};

/* What the sender's speed will be, in points a ns; 0: unknown. */
struct stn_parts_speed {
	struct stn_array_id array;
	uint32_t round, unused; /* how often the array has been cut anew */
	double speed;
};

/* Each node is to have another run of parts. */
struct stn_parts_recut {
	struct stn_array_id array;
	uint32_t round, unused; /* as in stn_parts_speed */
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
		struct stn_parts_points points;
	};
};

/*
 * stn_parts_wire_parse: the header of @message. STN_MALFORMED if its length, a
 * task or a member is impossible, whatever the array.
 */
STN_CHECKED enum stn_err stn_parts_wire_parse(const struct stn_message *message,
					      const struct stn_table *table,
					      struct stn_parts_wire *wire);

#endif
