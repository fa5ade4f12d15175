/*
 * conformance_endpoints.h: the half of the suite that is about endpoints, each
 * test of which opens its own.
 */
#ifndef TESTS_CONFORMANCE_ENDPOINTS_H
#define TESTS_CONFORMANCE_ENDPOINTS_H

#include "tests/conformance_life.h"

void conformance_endpoints(struct net *net, const struct plan *plan);

#endif
