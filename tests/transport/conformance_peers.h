/*
 * conformance_peers.h: nodes that are not connected, and nodes declared dead.
 * Each call is one test, which gets an open net, and closes it.
 */
#ifndef TESTS_TRANSPORT_CONFORMANCE_PEERS_H
#define TESTS_TRANSPORT_CONFORMANCE_PEERS_H

#include "tests/transport/conformance.h"

/*
 * A sender must know its receiver's address; the receiver need not know the
 * sender's. Both calls get a net without connections. peers_later: messages
 * from an unknown node are handled; a node connected later can be sent to and
 * pulled from. peers_offered: offers from an unknown node are taken or refused.
 * Each send ends once, at the latest when its endpoint closes.
 */
bool peers_later(struct net *net);
bool peers_offered(struct net *net);

/*
 * peers_declared: node 0 declares node 2 dead, after both have sent each other
 * all kinds of messages. Each operation of node 0 with node 2 ends once;
 * operations with node 1 go on; node 0 handles no more messages from node 2.
 * @pulling  node 0 has handled the messages from node 2, and pulls payloads
 */
bool peers_declared(struct net *net, bool pulling);

#endif
