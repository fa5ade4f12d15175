/*
 * wire.h: the messages of the stealing service. All numbers are little-endian,
 * as on all machines this runs on. A message is a kind, a header, and a
 * payload; the transport carries them and tells the receiver which node sent
 * them.
 *
 *	kind      header, by byte                      payload
 *	REQUEST   0 number, 4 patience in us, then     -
 *	          the link as the thief has seen it:
 *	          8 round trip in us, 12 KB/s;
 *	          inside a cluster: 8 duration of a
 *	          stolen call in us
 *	GRANT     0 rank, 4 slot, 8 epoch, 12 number   contents of the in and
 *	          16 task id (16), 18 hops (8),        inout buffers, packed
 *	          19 flags (8), 20 arguments
 *	REFUSE    0 number                             nothing, or a probe
 *	CANCEL    0 number                             -
 *	PUSH      as GRANT; number is 0                as GRANT
 *	RESULT    0 slot, 4 epoch                      the result, contents of
 *	                                               out and inout buffers
 *	LOAD      0 records queued                     -
 *	TAKEN     -                                    -
 *	MOVED     0 slot, 4 epoch, 8 hops, 12 rank     -
 *	WHERE     0 slot, 4 epoch                      -
 *	GONE      0 slot, 4 epoch                      -
 *	FETCH     0 key (128), 16 slot, 20 epoch       -
 *	DEPOSIT   0 key (128), 16 time (64), 24 hint,  as RESULT
 *	          28 number of keys, 32 rank, 36 zero  behind it keys (128)
 *	RUN       0 number of the run (64)             -
 *	CLAIMED   0 nodes that have died or left       -
 *	BUNDLE    0 number of records                  the records
 *	RESULTS   0 number of results                  the results
 *	SPAN      0 slot, 4 epoch, 8 time (64)         -
 *
 * REQUEST asks for a record. GRANT or REFUSE answers it and repeats its number.
 * A victim without a record may park the request for the thief's patience,
 * whose highest bit is a flag (STN_REQUEST_BOUND).
 * CANCEL: the thief no longer wants a record for the request of that number.
 * The request is answered all the same, and the answer may already be under
 * way. PUSH carries a record that the receiver has not asked for. LOAD tells
 * the length of the sender's queue to the coordinator of its cluster.
 *
 * The header of GRANT and PUSH is struct stn_record from its member rank on.
 * Rank, slot and epoch are the record's home. RESULT goes to that rank, and is
 * accepted if a lent record has that slot and epoch. TAKEN says that a PUSH has
 * arrived, or that its record can't be taken; it is sent where the transport
 * doesn't tell the sender.
 *
 * In a run that survives deaths: MOVED tells a record's home that the sender
 * passes the record on to the node of that rank. WHERE asks whether the
 * receiver has the sender's record of that slot and epoch; GONE says that it
 * does not. A node that can't take a record, or can't send its result, says
 * unasked that it has it (MOVED), and then GONE. FETCH asks for the result with that key, as the RESULT of that slot
 * and epoch; GONE refuses it. DEPOSIT has a result that the receiver keeps for
 * the case that the node of that rank dies, the nanoseconds that the call took,
 * and the call's hint (stn_key_hint). The rank is the sender's, unless the
 * sender leaves and has kept the result for another node (leave.h). The keys
 * are of deposits of the sender that the result supersedes, if the receiver
 * keeps it (nested.h).
 *
 * RUN tells the number that the root has chosen for the run (keep.h).
 *
 * BUNDLE follows a GRANT and carries further records: for each what a PUSH has
 * as its header, and then its payload. RESULTS carries several results: for
 * each 0 slot, 4 epoch, 8 size, and 12 what a RESULT has as its payload. The
 * payload of either has at most STN_BUNDLE_BYTES, so that it always travels
 * with the message (eager).
 *
 * SPAN precedes the result of that slot and epoch, if spans are measured: the
 * nanoseconds on the longest path of the call (span.h).
 *
 * CLAIMED tells the root that the sender runs no unclaimed orphans any more,
 * and tells the other nodes that no node does (claims.h).
 */
#ifndef STN_STEAL_WIRE_H
#define STN_STEAL_WIRE_H

#include "node/service.h"
#include "steal/balance.h"
#include "steal/key.h"
#include "steal/task.h"
#include "transport/transport.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Sateen's wire format is little-endian, and so must the machine be."
#endif

enum stn_wire_kind {
	STN_REQUEST = 1,
	STN_GRANT,
	STN_REFUSE,
	STN_CANCEL,
	STN_PUSH,
	STN_RESULT,
	STN_LOAD,
	STN_TAKEN = 10,
	STN_MOVED = 14, /* 11 to 13: node/membership.h */
	STN_WHERE,
	STN_GONE,
	STN_FETCH,
	STN_DEPOSIT,
	STN_RUN = 24,
	STN_CLAIMED,
	STN_BUNDLE,
	STN_RESULTS,
	STN_SPAN
};

#define STN_WIRE_KINDS 18
extern const struct stn_kind stn_wire_kinds[STN_WIRE_KINDS];

/* The part of a record that travels: from its member rank on. */
#define STN_WIRE_AT offsetof(struct stn_record, rank)
#define STN_WIRE_BYTES (offsetof(struct stn_record, arguments) - STN_WIRE_AT)

_Static_assert(STN_WIRE_BYTES == 20, "as in the table above");
_Static_assert(STN_WIRE_BYTES + STN_ARGUMENT_BYTES <= STN_HEADER_BYTES,
	       "a record is a message's header");

struct stn_wire_request {
	uint32_t number, patience_us;
	struct stn_seen seen;
};

/* In patience_us: the thief takes no record that is run again (steal.h). */
#define STN_REQUEST_BOUND 0x80000000u

struct stn_wire_refusal { /* and of a CANCEL */
	uint32_t number;
};

#define STN_PROBE_BYTES 4096 /* size of a probe, REFUSE's payload */

struct stn_wire_load {
	uint32_t records;
};

struct stn_wire_result { /* and of a WHERE and a GONE */
	uint32_t slot, epoch;
};

struct stn_wire_moved {
	uint32_t slot, epoch, hops, to;
};

struct stn_wire_fetch {
	struct stn_key key;
	uint32_t slot, epoch;
};

struct stn_wire_deposit {
	struct stn_key key;
	uint64_t spent_ns;
	uint32_t hint;
	uint32_t keys;
	uint32_t of;
	uint32_t zero;
};

struct stn_wire_span {
	uint32_t slot, epoch;
	uint64_t path_ns;
};

struct stn_wire_run {
	uint64_t run;
};

struct stn_wire_claimed {
	uint32_t gone;
};

/* Less than each transport sends with its message. */
#define STN_BUNDLE_BYTES 4096

struct stn_wire_bundle { /* and of RESULTS */
	uint32_t count;
};

struct stn_wire_bundled { /* a result in RESULTS, before its payload */
	uint32_t slot, epoch, bytes;
};

/*
 * A message from outside that was found well-formed. @kind tells which member
 * is valid.
 */
struct stn_wire {
	enum stn_wire_kind kind;
	struct stn_wire_request request;
	struct stn_wire_refusal refusal;
	struct stn_wire_result result;
	struct stn_wire_load load;
	struct stn_wire_moved moved;
	struct stn_wire_fetch fetch;
	struct stn_wire_deposit deposit;
	struct stn_wire_run run;
	struct stn_wire_span span;
	struct stn_wire_claimed claimed;
	struct stn_wire_bundle bundle;
	struct stn_record record; /* of a GRANT or PUSH; its task is set */
};

/*
 * stn_wire_parse: checks a message from outside and takes it apart. Returns
 * STN_MALFORMED if the kind, the size or the task is impossible, or if a
 * record's payload doesn't match its arguments. The caller judges whether the
 * message makes sense now.
 */
STN_CHECKED enum stn_err stn_wire_parse(const struct stn_message *message,
					const struct stn_table *table,
					struct stn_wire *wire);

/*
 * stn_wire_unpack_record: takes the next record of a BUNDLE apart.
 * stn_wire_unpack_result: the same with the next result of RESULTS.
 * @at_p     the next byte; moved behind the record's header, or the result's
 *	     size, where the contents begin. The caller moves it behind these.
 * @bytes_p  size of the contents, which end before @end
 * Both return STN_MALFORMED if these bytes can't be one.
 */
STN_CHECKED enum stn_err stn_wire_unpack_record(const struct stn_table *table,
						const unsigned char **at_p,
						const unsigned char *end,
						struct stn_record *record,
						size_t *bytes_p);
STN_CHECKED enum stn_err
stn_wire_unpack_result(const unsigned char **at_p, const unsigned char *end,
		       struct stn_wire_bundled *result);

#endif
