/*
 * wire.h: the messages between nodes. All numbers are little-endian, as are
 * all machines this runs on. A message is a kind, a header, and a payload; the
 * transport carries them and knows who sent it.
 *
 *	kind      header, by byte                      payload
 *	REQUEST   0 number, 4 patience in us, what     -
 *	          the thief has seen of the link:
 *	          8 round trip in us, 12 KB/s
 *	GRANT     0 rank, 4 slot, 8 epoch, 12 number   contents of the in and
 *	          16 task id, 20 arguments             inout buffers, packed
 *	REFUSE    0 number                             nothing, or what shows
 *	                                               how fast the link is
 *	CANCEL    0 number                             -
 *	PUSH      as GRANT; number is 0                as GRANT
 *	RESULT    0 slot, 4 epoch                      the result, contents of
 *	                                               out and inout buffers
 *	LOAD      0 records queued                     -
 *	EXIT      -                                    -
 *	STATS     -                                    struct stn_stats
 *	TAKEN     -                                    -
 *
 * REQUEST asks for a record. GRANT or REFUSE answers it, and names its number;
 * a victim that has nothing may keep the thief waiting, as long as its patience
 * lasts, for something to be spawned.
 * CANCEL: the request of that number is no longer wanted; it is answered all
 * the same, and may have been. PUSH: a record that was not asked for. LOAD: the
 * length of the sender's queue, for the coordinator of its cluster.
 * A GRANT's and a PUSH's header is struct stn_record from its member rank on;
 * rank, slot and epoch are the record's home. RESULT goes there, and is
 * accepted if slot and epoch are those of a record that is out. EXIT: node 0's
 * main has returned. STATS: this node's workers have stopped; the last it says.
 * TAKEN: a PUSH has arrived, where its sender doesn't learn that otherwise.
 */
#ifndef STN_STEAL_WIRE_H
#define STN_STEAL_WIRE_H

#include "steal/balance.h"
#include "steal/task.h"
#include "transport/transport.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Sateen's wire format is little-endian, and so must the machine be."
#endif

enum stn_kind {
	STN_REQUEST = 1,
	STN_GRANT,
	STN_REFUSE,
	STN_CANCEL,
	STN_PUSH,
	STN_RESULT,
	STN_LOAD,
	STN_EXIT,
	STN_STATS,
	STN_TAKEN
};

/* stn_kind_name: "request"; NULL for what is no kind. */
const char *stn_kind_name(unsigned kind);

/* The part of a record that travels: all from rank on. */
#define STN_WIRE_AT offsetof(struct stn_record, rank)
#define STN_WIRE_BYTES (offsetof(struct stn_record, arguments) - STN_WIRE_AT)

_Static_assert(STN_WIRE_BYTES == 20, "as in the table above");
_Static_assert(STN_WIRE_BYTES + STN_ARGUMENT_BYTES <= STN_HEADER_BYTES,
	       "a record is a message's header");

struct stn_wire_request {
	uint32_t number, patience_us;
	struct stn_seen seen;
};

struct stn_wire_refusal { /* and a CANCEL */
	uint32_t number;
};

#define STN_GAUGE_BYTES 4096 /* such a payload */

struct stn_wire_load {
	uint32_t records;
};

struct stn_wire_result {
	uint32_t slot, epoch;
};

/* A message from outside, found well-formed; @kind says which member holds. */
struct stn_wire {
	enum stn_kind kind;
	struct stn_wire_request request;
	struct stn_wire_refusal refusal;
	struct stn_wire_result result;
	struct stn_wire_load load;
	struct stn_record record; /* a GRANT's or PUSH's; task is set */
};

/*
 * stn_wire_parse: looks at a message from outside. STN_MALFORMED if its kind,
 * its size, or the task it names can't be, or if a record's payload isn't what
 * its arguments say. Whether it makes sense now is the caller's to judge.
 */
STN_CHECKED enum stn_err stn_wire_parse(const struct stn_message *message,
					const struct stn_table *table,
					struct stn_wire *wire);

#endif
