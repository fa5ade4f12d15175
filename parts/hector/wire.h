/*
 * wire.h: the messages of Hector, all little-endian.
 *
 *	kind		header			payload, way
 *	REPORT 70	stn_hector_report	-, slave to master allocator
 *	MIGRATE 71	stn_hector_migrate	-, master to slave allocator
 *	SET 72		stn_hector_migrate	-, to the set's new node
 *	STATE 73	stn_hector_state	a scheduler's state; the same
 *	MOVED 74	stn_hector_moved	-, slave to master allocator
 *	REQUEST 75	stn_parts_ask		-, to the master allocator
 *	REGISTER 76	stn_hector_migrate	-, the same
 */
#ifndef STN_PARTS_HECTOR_WIRE_H
#define STN_PARTS_HECTOR_WIRE_H

#include "parts/wire.h"

enum {
	STN_HECTOR_REPORT = 70,
	STN_HECTOR_MIGRATE,
	STN_HECTOR_SET,
	STN_HECTOR_STATE,
	STN_HECTOR_MOVED,
	STN_HECTOR_REQUEST,
	STN_HECTOR_REGISTER
};

#define STN_HECTOR_KINDS 7
extern const struct stn_kind stn_hector_kinds[STN_HECTOR_KINDS];

#define STN_PARTNERS 3

/* What a slave allocator tells about its node. */
struct stn_hector_report {
	uint32_t set;	 /* that is on the node, or STN_NOBODY */
	uint32_t parts;	 /* of all arrays */
	uint64_t bytes;	 /* of these */
	uint64_t unused; /* bytes of memory; 0: unknown */
	double share;	 /* that workers get of their cores, 0 to 1 */
	uint32_t partners[STN_PARTNERS]; /* nodes that get most pieces of halos
					  * from here, or STN_NOBODY */
	uint32_t number;		 /* of the report */
};

/*
 * MIGRATE: resident set @set is to move to node @to. SET: it comes, and the
 * states of @states arrays follow. REGISTER: the fractiling master, which is
 * set @set, is on the sender.
 */
struct stn_hector_migrate {
	uint32_t set, to, states, unused;
};

/* The scheduler's state of an array for a resident set that moves. */
struct stn_hector_state {
	struct stn_array_id array;
};

/* All parts of set @set have left the sender. */
struct stn_hector_moved {
	uint32_t set, to;
	uint64_t bytes, ns;
};

struct stn_hector_wire {
	uint8_t kind;
	union {
		struct stn_hector_report report;
		struct stn_hector_migrate migrate;
		struct stn_hector_state state;
		struct stn_hector_moved moved;
		struct stn_parts_ask ask;
	};
};

/*
 * stn_hector_parse: the header of @message, in a run of @nodes nodes.
 * STN_MALFORMED if its length or a member is impossible.
 */
STN_CHECKED enum stn_err stn_hector_parse(const struct stn_message *message,
					  uint32_t nodes,
					  struct stn_hector_wire *wire);

#endif
