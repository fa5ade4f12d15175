/*
 * door.h: a node's way to its cluster's gateway, which is `sateen join`. That
 * has set, for all it started,
 *
 *	STN_GATEWAY=TOKEN@ADDRESS:PORT[,ADDRESS:PORT...]
 *
 * with an IPv6 address in brackets.
 * All calls block, for some seconds at most unless they say more.
 */
#ifndef STN_TRANSPORT_WAN_DOOR_H
#define STN_TRANSPORT_WAN_DOOR_H

#include <stddef.h>

#include "transport/wan/knock.h"

#define STN_GATEWAY "STN_GATEWAY"
#define STN_GATEWAY_ADDRESSES 16 /* at most */
#define STN_GATEWAY_BYTES 1024	 /* nor is the text longer */

struct stn_door {
	unsigned char token[STN_TOKEN_BYTES];
	char text[STN_GATEWAY_BYTES]; /* cut into what @addresses point to */
	const char *addresses[STN_GATEWAY_ADDRESSES];
	const char *ports[STN_GATEWAY_ADDRESSES];
	size_t count;
	size_t best;	     /* that has answered */
	uint64_t silence_ns; /* after which the gateway is gone; 0: never */
};

/*
 * stn_door_read: takes what STN_GATEWAY says apart. STN_INVALID if a gateway
 * wouldn't say that. The silence is the caller's to set.
 */
STN_CHECKED enum stn_err stn_door_read(const char *text, struct stn_door *door,
				       struct stn_why *why);

/*
 * stn_door_write: the same text, for @count addresses with ports, "A:P",
 * "[A]:P". STN_INVALID if they don't fit.
 */
STN_CHECKED enum stn_err
stn_door_write(char text[STN_GATEWAY_BYTES],
	       const unsigned char token[STN_TOKEN_BYTES],
	       const char *const *addresses, size_t count);

/*
 * stn_door_control: this node is the cluster's @rank of @nodes.
 * @layout  of the run, told when all nodes of all clusters have come; waits for
 *     that as long as it takes
 * @fd_p  the socket for stn_wireup_socket
 */
STN_CHECKED enum stn_err stn_door_control(struct stn_door *door, uint32_t rank,
					  uint32_t nodes,
					  struct stn_layout *layout, int *fd_p,
					  struct stn_why *why);

/*
 * stn_door_road: a connection for segments between node @rank of the run and
 * the nodes of @cluster, to be closed by the caller.
 */
STN_CHECKED enum stn_err stn_door_road(struct stn_door *door, uint32_t rank,
				       uint32_t cluster, int *fd_p,
				       struct stn_why *why);

#endif
