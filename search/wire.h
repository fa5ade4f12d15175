/*
 * wire.h: the messages of the service of bounds. All numbers are little-endian.
 * No message has a payload: a witness travels in the headers, in pieces. So the
 * whole witness arrives before any message that its sender sends afterwards.
 *
 *	kind     header: offset in bytes, and member (bits if not 32)
 *	IMPROVE  0 bound (64), 8 value (64), 16 key (64), 24 version,
 *	         28 bytes of the witness (16), 30 offset of the piece (16),
 *	         32 flags, 36 rank of the node that has found it, 40 the piece
 *	HAVE     0 bound (64), 8 version, 12 zero
 *
 * IMPROVE has the sender's incumbent. A witness that is longer than
 * STN_SEARCH_PIECE_BYTES takes several of them, one after the other, with no
 * other IMPROVE to the same node between them; each but the last has
 * STN_SEARCH_PIECE_BYTES of the witness. HAVE says that an IMPROVE with the
 * flag STN_SEARCH_ANSWER has arrived, with the whole witness, and repeats its
 * version.
 */
#ifndef STN_SEARCH_WIRE_H
#define STN_SEARCH_WIRE_H

#include "node/service.h"

#define STN_SEARCH_KINDS 2
enum stn_search_kind { STN_IMPROVED = 88, STN_HAVE };
extern const struct stn_kind stn_search_kinds[STN_SEARCH_KINDS];

#define STN_WITNESS_BYTES 4096 /* of a witness, at most */

/* Flags of an IMPROVE. */
#define STN_SEARCH_FOUND 1  /* it has a witness; else the value is a limit */
#define STN_SEARCH_ANSWER 2 /* the sender waits for HAVE */

struct stn_search_improve {
	uint64_t bound;
	int64_t value;
	uint64_t key;
	uint32_t version;
	uint16_t bytes, at;
	uint32_t flags, finder;
};

struct stn_search_have {
	uint64_t bound;
	uint32_t version, zero;
};

#define STN_SEARCH_PIECE_BYTES                                                 \
	(STN_HEADER_BYTES - sizeof(struct stn_search_improve))

/* An IMPROVE with a piece of its witness. */
struct stn_search_piece {
	struct stn_search_improve improve;
	unsigned char bytes[STN_SEARCH_PIECE_BYTES];
};

/*
 * A message from outside that was found well-formed. Its kind tells which
 * member is valid.
 */
union stn_search_wire {
	struct stn_search_piece piece;
	struct stn_search_have have;
};

/*
 * stn_search_piece_bytes: the length of the piece that an IMPROVE has.
 */
size_t stn_search_piece_bytes(const struct stn_search_improve *improve);

/*
 * stn_search_parse: checks a message from outside and takes it apart. Returns
 * STN_MALFORMED if its size, its flags or its offsets are impossible.
 */
STN_CHECKED enum stn_err stn_search_parse(const struct stn_message *message,
					  union stn_search_wire *wire);

#endif
