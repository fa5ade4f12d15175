/*
 * peers_net.h: a network in virtual time for tests of the failure detection
 * (transport/peers.h). It does nothing by itself: the test says which message
 * arrives when. The test's own table has the other calls of a backend.
 */
#ifndef TESTS_TRANSPORT_PEERS_NET_H
#define TESTS_TRANSPORT_PEERS_NET_H

#include "transport/peers.h"

#define PEERS_LARGE_BYTES 4096 /* a payload of this size is offered */

struct peers_net {
	struct stn_transport transport; /* first: calls get its address */
	struct stn_peers *peers;
	struct stn_opening inner; /* of the backend */
	uint64_t now;
	const struct stn_arrival *arriving;
	unsigned repeats; /* so many more calls let @arriving arrive again */
};

/*
 * peers_net_open: puts the failure detection over a backend with the table
 * @ops, in which progress, arm and now must be the three functions below. @net
 * must be filled with zeros. False if there is no memory. peers_net_close:
 * undoes it.
 */
bool peers_net_open(struct peers_net *net, const struct stn_transport_ops *ops,
		    const struct stn_opening *opening);
void peers_net_close(struct peers_net *net);

unsigned peers_net_progress(struct stn_transport *transport);
uint64_t peers_net_arm(struct stn_transport *transport);
uint64_t peers_net_now(const struct stn_transport *transport);

/* peers_net_arrive: lets @arrival arrive. */
void peers_net_arrive(struct peers_net *net, const struct stn_arrival *arrival);

/* peers_net_pass: advances the time by @ns. */
void peers_net_pass(struct peers_net *net, uint64_t ns);

/* peers_net_send: sends node @to a message with a payload of this size. */
void peers_net_send(struct peers_net *net, uint32_t to, size_t payload_bytes,
		    stn_done *done);

/* peers_net_take: takes the payload of a message that has one. */
void peers_net_take(struct peers_net *net, const struct stn_message *message,
		    stn_done *done);

#endif
