/*
 * far_gateway.h: a gateway of one cluster, as a thread of the test. It only
 * answers handshakes and switches. Several groups of nodes may use it at once:
 * a node whose rank is taken begins a new group.
 */
#ifndef TESTS_TRANSPORT_FAR_GATEWAY_H
#define TESTS_TRANSPORT_FAR_GATEWAY_H

#include <stdbool.h>

/* far_gateway_start: also sets STN_GATEWAY. Returns false if it fails. */
bool far_gateway_start(void);

#endif
