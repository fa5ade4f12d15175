/*
 * knock.h: what a node says to its cluster's gateway on each connection that
 * it opens, and what the gateway answers. All numbers are little-endian.
 *
 *	knock	0 magic (64)  8 version (32)  12 what for (32)
 *		16 rank (32)  20 count (32)  24 token
 *	   for CONTROL: the rank, and the number of nodes, are those inside the
 *	   cluster; the connection then is one to a launcher (wireup_frame.h)
 *	   for a ROAD: the rank is that in the run; the count, the cluster to
 *	   whose nodes the connection leads; it then carries segments
 *
 *	answer	0 magic (64)  8 refused? (32)  12 bytes that follow (32)
 *		16 if refused, a text; else, for CONTROL, the layout of the run:
 *	layout	0 our cluster (32)  4 number of clusters (32)  8 first rank of
 *		each (32 each), and the number of all nodes (32)
 *
 * The token is one that only the nodes which the gateway has started know.
 */
#ifndef STN_TRANSPORT_WAN_KNOCK_H
#define STN_TRANSPORT_WAN_KNOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"

#define STN_TOKEN_BYTES 16
#define STN_KNOCK_BYTES (24 + STN_TOKEN_BYTES)
#define STN_ANSWER_BYTES 16
#define STN_CLUSTERS_MOST 256 /* that gateways join */
#define STN_LAYOUT_BYTES (4 * (3 + STN_CLUSTERS_MOST))

enum stn_knock_for { STN_KNOCK_CONTROL = 1, STN_KNOCK_ROAD };

struct stn_knock {
	uint32_t what_for, rank, count;
	unsigned char token[STN_TOKEN_BYTES];
};

struct stn_answer {
	bool refused;
	uint32_t bytes; /* that follow */
};

struct stn_layout {
	uint32_t mine, clusters;
	uint32_t first[STN_CLUSTERS_MOST + 1];
};

void stn_knock_write(unsigned char bytes[STN_KNOCK_BYTES],
		     const struct stn_knock *knock);

/* stn_knock_read: STN_MALFORMED if no node of this version says that. */
STN_CHECKED enum stn_err
stn_knock_read(const unsigned char bytes[STN_KNOCK_BYTES],
	       struct stn_knock *knock);

void stn_answer_write(unsigned char bytes[STN_ANSWER_BYTES],
		      const struct stn_answer *answer);

/* stn_answer_read: STN_MALFORMED if no gateway says that. */
STN_CHECKED enum stn_err
stn_answer_read(const unsigned char bytes[STN_ANSWER_BYTES],
		struct stn_answer *answer);

/* stn_layout_write: returns how many bytes it takes. */
size_t stn_layout_write(unsigned char bytes[STN_LAYOUT_BYTES],
			const struct stn_layout *layout);

/* stn_layout_read: STN_MALFORMED if @size bytes aren't exactly a layout. */
STN_CHECKED enum stn_err stn_layout_read(const unsigned char *bytes,
					 size_t size,
					 struct stn_layout *layout);

#endif
