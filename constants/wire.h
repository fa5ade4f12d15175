/*
 * wire.h: the messages of the service of constants. All numbers are
 * little-endian.
 *
 *	kind      header: offset in bytes, and member        payload
 *	WANT      0 hash (64), 8 source, 12 zero             -
 *	CONSTANT  0 hash (64)                                the data
 *	LACK      0 hash (64)                                -
 *
 * WANT asks for the constant with that hash. The receiver answers by CONSTANT;
 * if it has not got the constant, it asks node source first. LACK says that the
 * sender could not get it. A CONSTANT may also come unasked.
 */
#ifndef STN_CONSTANTS_WIRE_H
#define STN_CONSTANTS_WIRE_H

#include "node/service.h"

#define STN_CONSTANTS_KINDS 3
enum stn_constants_kind { STN_CONST_WANT = 90, STN_CONST_DATA, STN_CONST_LACK };
extern const struct stn_kind stn_constants_kinds[STN_CONSTANTS_KINDS];

struct stn_const_want {
	uint64_t hash;
	uint32_t source, zero;
};

struct stn_const_name { /* of a CONSTANT and of a LACK */
	uint64_t hash;
};

/*
 * A message from outside that was found well-formed; in a CONSTANT and a LACK
 * only the hash is valid.
 */
union stn_constants_wire {
	struct stn_const_want want;
	struct stn_const_name name;
};

/*
 * stn_constants_parse: checks a message from outside, in a run of @nodes nodes,
 * and takes it apart. Returns STN_MALFORMED if its size or its source is
 * impossible.
 */
STN_CHECKED enum stn_err stn_constants_parse(const struct stn_message *message,
					     uint32_t nodes,
					     union stn_constants_wire *wire);

#endif
