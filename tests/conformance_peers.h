/*
 * conformance_peers.h: nodes that don't know each other, and nodes declared
 * dead. Each call is a test of its own, which gets a net open, and closes it.
 */
#ifndef TESTS_CONFORMANCE_PEERS_H
#define TESTS_CONFORMANCE_PEERS_H

#include "tests/conformance.h"

/*
 * On a net of strangers: who sends must know the receiver, and nothing more.
 * peers_later: messages from whom one doesn't know are handled; who is met
 * later can be sent to, and pulled from. peers_offered: offers from a stranger
 * are taken or refused; all ends, once, at the latest by closing.
 */
bool peers_later(struct net *net);
bool peers_offered(struct net *net);

/*
 * peers_declared: node 0 declares node 2 dead, when it has sent and been sent
 * all kinds of messages, and has pulled some, or is only about to. What it has
 * to do with node 2 ends, once; what with node 1 goes on; nothing more is
 * heard of node 2.
 * @pulling  node 0 has handled what it was sent
 */
bool peers_declared(struct net *net, bool pulling);

#endif
