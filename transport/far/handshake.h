/*
 * handshake.h: the handshake: what a node sends first on each connection that
 * it opens to its cluster's gateway, and the answer. All numbers are
 * little-endian.
 *
 *	handshake
 *		0 magic (64)  8 version (32)  12 what for (32)
 *		16 rank (32)  20 count (32)  24 token
 *	   for CONTROL: rank in the cluster, and the cluster's number of nodes;
 *	   then the connection is one to a launcher (wireup_frame.h)
 *	   for SEGMENTS: rank in the run, and the cluster to whose nodes the
 *	   connection leads; then the connection carries segments
 *	   for LAUNCHER, from the cluster's launcher: rank 0, and the cluster's
 *	   number of nodes; then the launcher speaks as an agent does
 *
 *	answer	0 magic (64)  8 refused? (32)  12 bytes that follow (32)
 *		16 if refused, a text; else, for CONTROL, the layout of the run:
 *	layout	0 our cluster (32)  4 number of clusters (32)  8 number of nodes
 *		that the wire-up has (32)  12 first reserved rank (32)  16 first
 *		rank of each cluster (32 each), and the number of all ranks (32)
 *
 * The gateway hands the token only to the nodes that it has started.
 */
#ifndef STN_TRANSPORT_FAR_HANDSHAKE_H
#define STN_TRANSPORT_FAR_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"

#define STN_TOKEN_BYTES 16
#define STN_HANDSHAKE_BYTES (24 + STN_TOKEN_BYTES)
#define STN_HANDSHAKE_ANSWER_BYTES 16
#define STN_CLUSTERS_MOST 256 /* of a run that gateways join */
#define STN_LAYOUT_BYTES (4 * (5 + STN_CLUSTERS_MOST))

enum stn_handshake_for {
	STN_HANDSHAKE_CONTROL = 1,
	STN_HANDSHAKE_SEGMENTS,
	STN_HANDSHAKE_LAUNCHER
};

struct stn_handshake {
	uint32_t what_for, rank, count;
	unsigned char token[STN_TOKEN_BYTES];
};

struct stn_handshake_answer {
	bool refused;
	uint32_t bytes; /* that follow the answer */
};

struct stn_layout {
	uint32_t mine, clusters;
	/*
	 * The nodes that show their cards. Ranks from @reserved on are reserved
	 * (transport/topology.h): those of clusters that join the run while it
	 * runs. If this cluster is one of them, its nodes show their cards,
	 * too.
	 */
	uint32_t nodes, reserved;
	uint32_t first[STN_CLUSTERS_MOST + 1];
};

void stn_handshake_write(unsigned char bytes[STN_HANDSHAKE_BYTES],
			 const struct stn_handshake *handshake);

/*
 * stn_handshake_read: STN_MALFORMED if no node of this version sends these
 * bytes.
 */
STN_CHECKED enum stn_err
stn_handshake_read(const unsigned char bytes[STN_HANDSHAKE_BYTES],
		   struct stn_handshake *handshake);

void stn_handshake_answer_write(unsigned char bytes[STN_HANDSHAKE_ANSWER_BYTES],
				const struct stn_handshake_answer *answer);

/* stn_handshake_answer_read: STN_MALFORMED if no gateway sends these bytes. */
STN_CHECKED enum stn_err
stn_handshake_answer_read(const unsigned char bytes[STN_HANDSHAKE_ANSWER_BYTES],
			  struct stn_handshake_answer *answer);

/* stn_layout_write: returns the number of bytes written. */
size_t stn_layout_write(unsigned char bytes[STN_LAYOUT_BYTES],
			const struct stn_layout *layout);

/*
 * stn_layout_read: STN_MALFORMED if the @size bytes aren't exactly one layout.
 */
STN_CHECKED enum stn_err stn_layout_read(const unsigned char *bytes,
					 size_t size,
					 struct stn_layout *layout);

#endif
