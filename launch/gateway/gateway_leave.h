/*
 * gateway_leave.h: the cluster leaves the run, because its gateway has got
 * SIGTERM, or because all its nodes have been told to leave. Each node hands
 * over its work; then the gateway ends, with status 0, and the run goes on in the
 * other clusters.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_LEAVE_H
#define STN_LAUNCH_GATEWAY_GATEWAY_LEAVE_H

#include <stdbool.h>

struct gateway;

/*
 * gateway_leave_possible: can nodes leave the run? Not before it has begun, not
 * after its end, and not if it does not survive deaths.
 */
bool gateway_leave_possible(const struct gateway *gateway);

/*
 * gateway_leave: all nodes of the cluster are to leave. Returns false, and
 * nothing happens, if that is not possible.
 */
bool gateway_leave(struct gateway *gateway);

/* gateway_leave_attend: to be called after each handling of events. */
void gateway_leave_attend(struct gateway *gateway);

#endif
