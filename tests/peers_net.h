/*
 * peers_net.h: a network with a time of its own, under the layer that looks who
 * is alive (transport/peers.h). It does nothing by itself: what arrives, and
 * when, the test says. What else a backend does, the test's own table does.
 */
#ifndef TESTS_PEERS_NET_H
#define TESTS_PEERS_NET_H

#include "transport/peers.h"

#define PEERS_LARGE_BYTES 4096 /* of payload: so much is offered */

struct peers_net {
	struct stn_transport transport; /* first: the table gets its address */
	struct stn_peers *peers;
	struct stn_opening inner; /* how the backend was opened */
	uint64_t now;
	const struct stn_arrival *arriving;
};

/*
 * peers_net_open: the layer over a backend of these @ops, which have, among
 * others, the three calls below. @net was filled with zeros. False if there is
 * no memory. peers_net_close: undoes it.
 */
bool peers_net_open(struct peers_net *net, const struct stn_transport_ops *ops,
		    const struct stn_opening *opening);
void peers_net_close(struct peers_net *net);

unsigned peers_net_progress(struct stn_transport *transport);
uint64_t peers_net_arm(struct stn_transport *transport);
uint64_t peers_net_now(const struct stn_transport *transport);

/* peers_net_arrive: @arrival comes in. */
void peers_net_arrive(struct peers_net *net, const struct stn_arrival *arrival);

/* peers_net_pass: some time passes. */
void peers_net_pass(struct peers_net *net, uint64_t ns);

/* peers_net_send: a message to node @to, with so much payload. */
void peers_net_send(struct peers_net *net, uint32_t to, size_t payload_bytes,
		    stn_done *done);

/* peers_net_take: reads the payload of a message, which has one. */
void peers_net_take(struct peers_net *net, const struct stn_message *message,
		    stn_done *done);

#endif
