/*
 * launch_gateway.h: the launcher's connection to its cluster's gateway, in a
 * run of several clusters that survives deaths. The launcher tells the gateway
 * how its nodes end, and which are to leave; the gateway, which nodes to kill. One
 * thread.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_GATEWAY_H
#define STN_LAUNCH_RUN_LAUNCH_GATEWAY_H

#include "launch/run/launch.h"

/*
 * launch_gateway_open: connects to the gateway. STN_IO or another error if that
 * is impossible.
 * launch_gateway_close: if it is open.
 */
STN_CHECKED enum stn_err launch_gateway_open(struct launch *launch,
					     struct stn_why *why);
void launch_gateway_close(struct launch *launch);

/* launch_gateway_fd: the descriptor to poll for POLLIN, or -1. */
int launch_gateway_fd(const struct launch *launch);

/*
 * launch_gateway_listen: reads what the gateway has sent, after poll() has
 * found that there is something. Returns false when the gateway has ended;
 * nothing is open then.
 * @kill  called for each node that is to be killed
 */
bool launch_gateway_listen(struct launch *launch,
			   void (*kill)(struct launch *launch, uint32_t rank));

/*
 * launch_gateway_failed: tells the gateway that the run can't go on, for the
 * reason @text, which the gateway tells the user. False if none is open.
 * launch_gateway_ended: tells the gateway that node @rank has ended.
 * launch_gateway_leave: asks it to let node @rank leave.
 */
bool launch_gateway_failed(struct launch *launch, const char *text);
void launch_gateway_ended(struct launch *launch, uint32_t rank, int status);
void launch_gateway_leave(struct launch *launch, uint32_t rank);

#endif
