/*
 * conformance_endpoints.h: the second half of the suite. Each of its tests
 * opens its own endpoints.
 */
#ifndef TESTS_TRANSPORT_CONFORMANCE_ENDPOINTS_H
#define TESTS_TRANSPORT_CONFORMANCE_ENDPOINTS_H

#include "tests/transport/conformance_life.h"

void conformance_endpoints(struct net *net, const struct plan *plan);

#endif
