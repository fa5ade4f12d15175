/*
 * conformance_load.h: messages in numbers, and what is copied of them. Each
 * call is a test of its own, true if it went as its name promises.
 */
#ifndef TESTS_CONFORMANCE_LOAD_H
#define TESTS_CONFORMANCE_LOAD_H

#include "tests/conformance.h"

/*
 * load_flood: two nodes send each other @count small messages, and wait for
 * nothing but that not too many of their own are under way. All arrive in
 * order, and memory doesn't grow with their number.
 */
bool load_flood(struct net *net, unsigned count);

/*
 * load_congested: headers sent without an end, behind more than the fabric can
 * take, are copied: they arrive whole although they are spoiled at once.
 */
bool load_congested(struct net *net);

/* load_copies_headers: short messages are sent and received uncopied. */
bool load_copies_headers(struct net *net);

/* load_copies_payloads: of offered ones at most the headers are copied. */
bool load_copies_payloads(struct net *net);

#endif
