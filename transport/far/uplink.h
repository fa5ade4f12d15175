/*
 * uplink.h: a node's connections to its cluster's gateway, which is a process
 * `sateen join`. The gateway sets this variable for all processes that it
 * starts:
 *
 *	STN_GATEWAY=TOKEN@ADDRESS:PORT[,ADDRESS:PORT...]
 *
 * An IPv6 address stands in brackets. All calls block, for some seconds at most
 * unless said otherwise.
 */
#ifndef STN_TRANSPORT_FAR_UPLINK_H
#define STN_TRANSPORT_FAR_UPLINK_H

#include <stddef.h>

#include "transport/far/handshake.h"

#define STN_GATEWAY "STN_GATEWAY"
#define STN_GATEWAY_ADDRESSES 16 /* most in the variable */
#define STN_GATEWAY_BYTES 1024	 /* longest text, with its zero byte */

struct stn_uplink {
	unsigned char token[STN_TOKEN_BYTES];
	char text[STN_GATEWAY_BYTES]; /* cut into the strings of @addresses */
	const char *addresses[STN_GATEWAY_ADDRESSES];
	const char *ports[STN_GATEWAY_ADDRESSES];
	size_t count;
	size_t best;	     /* index of the address that answered last */
	uint64_t silence_ns; /* without an answer the gateway counts as dead
				after this; 0: never */
};

/*
 * stn_uplink_read: parses the value of STN_GATEWAY. STN_INVALID if it is not
 * one. The caller sets silence_ns afterwards.
 */
STN_CHECKED enum stn_err stn_uplink_read(const char *text,
					 struct stn_uplink *uplink,
					 struct stn_why *why);

/*
 * stn_uplink_write: makes that value for @count addresses with ports, "A:P" or
 * "[A]:P". STN_INVALID if they don't fit.
 */
STN_CHECKED enum stn_err
stn_uplink_write(char text[STN_GATEWAY_BYTES],
		 const unsigned char token[STN_TOKEN_BYTES],
		 const char *const *addresses, size_t count);

/*
 * stn_uplink_open_control: connects node @rank of the cluster's @nodes.
 * @layout  of the run. The gateway tells it when all nodes of all clusters have
 *     come; the call waits for that without a limit.
 * @fd_p  the socket for stn_wireup_socket, which the caller owns
 */
STN_CHECKED enum stn_err stn_uplink_open_control(struct stn_uplink *uplink,
						 uint32_t rank, uint32_t nodes,
						 struct stn_layout *layout,
						 int *fd_p,
						 struct stn_why *why);

/*
 * stn_uplink_open_segments: opens a connection for segments between node @rank
 * of the run and the nodes of @cluster. The caller closes it.
 */
STN_CHECKED enum stn_err stn_uplink_open_segments(struct stn_uplink *uplink,
						  uint32_t rank,
						  uint32_t cluster, int *fd_p,
						  struct stn_why *why);

/*
 * stn_uplink_open_launcher: connects the launcher of the cluster's @nodes
 * nodes, which reports their ends and kills them for the gateway. The caller
 * closes the connection, which blocks.
 */
STN_CHECKED enum stn_err stn_uplink_open_launcher(struct stn_uplink *uplink,
						  uint32_t nodes, int *fd_p,
						  struct stn_why *why);

/*
 * stn_keepalive_set: the TCP connection @fd ends with an error when its other
 * end has answered nothing for about @silence_ns, but not before a second. 0:
 * never.
 * @reads  the other end always reads: so the connection also ends when sent
 *     data has waited for that long. Otherwise it only ends while no data is
 *     under way.
 */
void stn_keepalive_set(int fd, uint64_t silence_ns, bool reads);

#endif
