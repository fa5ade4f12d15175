/*
 * meeting_entry.h: the entry that a gateway leaves at the meeting point: a line
 * of text, "3 STATE IDENTITY CLUSTERS ADDRESS [ADDRESS...]". The state is
 * "waits" or "runs", the identity has 16 hexadecimal digits. If other clusters
 * may join the run while it runs, CLUSTERS is followed by "+MAX/PLACES:NUMBER",
 * the largest numbers of nodes and of clusters of the run and, once it runs,
 * this cluster's number.
 *
 * Anybody with access to the server can write entries. Malformed entries are
 * rejected; a gateway at a forged address fails the TLS handshake, because it
 * doesn't know the run's secret.
 */
#ifndef STN_LAUNCH_GATEWAY_MEETING_ENTRY_H
#define STN_LAUNCH_GATEWAY_MEETING_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"
#include "launch/gateway/host_port.h"

#define STN_ENTRY_ADDRESSES 16
#define STN_ENTRY_BYTES 1024 /* the longest entry, with its zero byte */

struct stn_meeting_entry {
	bool runs;	   /* all clusters have joined */
	uint64_t identity; /* differs from all other gateways' */
	uint32_t clusters;  /* that the run begins with */
	uint32_t max_nodes; /* 0: no cluster can join it later; else also: */
	uint32_t max_clusters;
	uint32_t number; /* of this cluster */
	size_t count;
	struct stn_host_port addresses[STN_ENTRY_ADDRESSES];
};

/* stn_meeting_entry_write: false if the entry is too long. */
bool stn_meeting_entry_write(char text[STN_ENTRY_BYTES],
			     const struct stn_meeting_entry *entry);

/*
 * stn_meeting_entry_read: STN_MALFORMED if the @size bytes of @text aren't
 * exactly one entry.
 */
STN_CHECKED enum stn_err
stn_meeting_entry_read(const char *text, size_t size,
		       struct stn_meeting_entry *entry);

#endif
