#include "tests/transport/peers_net.h"

static struct peers_net *
net_of(const struct stn_transport *transport)
{
	return (struct peers_net *)transport;
}

bool
peers_net_open(struct peers_net *net, const struct stn_transport_ops *ops,
	       const struct stn_opening *opening)
{
	net->transport.ops = ops;
	net->transport.limits.eager_bytes = PEERS_LARGE_BYTES / 2;
	net->peers = stn_peers_create(opening);
	if (!net->peers)
		return false;
	net->inner = stn_peers_opening(net->peers);
	stn_peers_attach(net->peers, &net->transport);
	return true;
}

void
peers_net_close(struct peers_net *net)
{
	stn_peers_destroy(net->peers);
}

unsigned
peers_net_progress(struct stn_transport *transport)
{
	struct peers_net *net = net_of(transport);
	const struct stn_arrival *arriving = net->arriving;

	if (arriving && net->repeats)
		net->repeats--;
	else
		net->arriving = NULL;
	if (arriving)
		net->inner.handler(net->inner.arg, &arriving->message);
	return arriving != NULL;
}

uint64_t
peers_net_arm(struct stn_transport *transport)
{
	(void)transport;
	return STN_FOREVER;
}

uint64_t
peers_net_now(const struct stn_transport *transport)
{
	return net_of(transport)->now;
}

void
peers_net_arrive(struct peers_net *net, const struct stn_arrival *arrival)
{
	net->arriving = arrival;
	stn_transport_progress(&net->transport);
}

void
peers_net_pass(struct peers_net *net, uint64_t ns)
{
	net->now += ns;
	if (stn_transport_arm(&net->transport) == STN_NOT_NOW)
		stn_transport_progress(&net->transport);
}

void
peers_net_send(struct peers_net *net, uint32_t to, size_t payload_bytes,
	       stn_done *done)
{
	static char payload[PEERS_LARGE_BYTES];
	struct iovec piece = { payload, payload_bytes };

	stn_transport_send(&net->transport, to, 1, NULL, 0, &piece, 1, done,
			   NULL);
}

void
peers_net_take(struct peers_net *net, const struct stn_message *message,
	       stn_done *done)
{
	static char room[PEERS_LARGE_BYTES];
	struct iovec piece = { room, message->payload_bytes };

	stn_transport_take(&net->transport, message, &piece, 1, done, NULL);
}
