/*
 * trunk.h: what gateways say to each other, besides the segments of nodes:
 * segments of their own, whose receiver is STN_SEGMENT_GATEWAY. All numbers are
 * little-endian.
 *
 *	HELLO	0 version (32)  4 number of clusters (32)  8 the run's name, and
 *		the cluster's, each ended by a zero byte
 *	CHOSEN	of all connections between two gateways this is the one to use.
 *		The gateway whose cluster's name comes first says so. No data
 *	SIZE	the number of the cluster's nodes (32)
 *	CARDS	a round's cards of the cluster's nodes, as in a launcher's CARDS
 *		frame; in several segments, if need be
 *	ARRIVED	all its nodes are at the barrier. No data
 *	FAILED	the run is over, for the reason in the text
 *	ALIVE	sent now and then: a gateway that is stopped answers as far as
 *		the kernel goes, but doesn't say this. No data
 */
#ifndef STN_TRANSPORT_WAN_TRUNK_H
#define STN_TRANSPORT_WAN_TRUNK_H

#include "transport/wan/segment.h"

#define STN_TRUNK_VERSION 1
#define STN_NAME_BYTES 64 /* of a run or cluster, with its zero byte */
#define STN_TRUNK_HELLO_BYTES (8 + 2 * STN_NAME_BYTES)

enum stn_trunk_type {
	STN_TRUNK_HELLO = STN_SEGMENT_TYPES,
	STN_TRUNK_CHOSEN,
	STN_TRUNK_SIZE,
	STN_TRUNK_CARDS,
	STN_TRUNK_ARRIVED,
	STN_TRUNK_FAILED,
	STN_TRUNK_ALIVE
};

struct stn_trunk_hello {
	uint32_t version, clusters;
	char run[STN_NAME_BYTES], cluster[STN_NAME_BYTES];
};

/* stn_name_good: 1 to 63 letters, digits, dots, lines: a run or a cluster? */
bool stn_name_good(const char *name);

/* stn_trunk_hello_write: returns how many bytes it takes. */
size_t stn_trunk_hello_write(unsigned char bytes[STN_TRUNK_HELLO_BYTES],
			     const struct stn_trunk_hello *hello);

/* stn_trunk_hello_read: STN_MALFORMED if @size bytes aren't exactly one. */
STN_CHECKED enum stn_err stn_trunk_hello_read(const unsigned char *bytes,
					      size_t size,
					      struct stn_trunk_hello *hello);

/* stn_trunk_size_write, _read: of a SIZE's data. */
void stn_trunk_size_write(unsigned char bytes[4], uint32_t size);
STN_CHECKED enum stn_err stn_trunk_size_read(const unsigned char *bytes,
					     size_t size, uint32_t *size_p);

#endif
