/*
 * conformance_load.h: many messages, and how much of them is copied. Each call
 * is one test, and returns true if it passed.
 */
#ifndef TESTS_TRANSPORT_CONFORMANCE_LOAD_H
#define TESTS_TRANSPORT_CONFORMANCE_LOAD_H

#include "tests/transport/conformance.h"

/*
 * load_flood: two nodes send each other @count small messages; each pauses only
 * while too many of its own are under way. All arrive in order, and memory
 * doesn't grow with their number.
 */
bool load_flood(struct net *net, unsigned count);

/*
 * load_congested: headers sent without done, behind more messages than the
 * fabric can take, arrive unchanged, although the sender overwrites them at
 * once.
 */
bool load_congested(struct net *net);

/* load_copies_headers: short messages are sent and received without a copy. */
bool load_copies_headers(struct net *net);

/* load_copies_payloads: of offered messages at most the headers are copied. */
bool load_copies_payloads(struct net *net);

#endif
