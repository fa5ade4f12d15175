/*
 * gateway_trunk.c: two gateways may have several connections, as either side
 * opens some. The gateway whose cluster's name comes first chooses one, says so
 * on it, and closes the others.
 */
#include <endian.h>
#include <string.h>
#include <sys/epoll.h>

#include "transport/transport.h"
#include "launch/gateway/gateway_private.h"

/*
 * Added to the silence that a new trunk is allowed, as the other gateway may
 * still be waiting for the meeting point.
 */
#define BEGIN_NS (6 * STN_SECOND_NS)

static void
watch_pending(struct gateway *gateway, struct pending *pending)
{
	uint32_t events = EPOLLIN;

	stn_stream_flush(&pending->stream);
	if (stn_stream_unsent(&pending->stream))
		events |= EPOLLOUT;
	gateway_rewatch(&gateway->loop, &pending->watch, pending->fd, events);
}

void
gateway_send_hello(struct gateway *gateway, struct pending *pending)
{
	struct stn_trunk_hello hello = {
		.version = STN_TRUNK_VERSION,
		.clusters = gateway->options->clusters,
	};
	unsigned char bytes[STN_TRUNK_HELLO_BYTES];

	strcpy(hello.run, gateway->options->run);
	strcpy(hello.cluster, gateway->options->cluster);
	gateway_put_segment(&pending->stream, STN_TRUNK_HELLO, bytes,
			    stn_trunk_hello_write(bytes, &hello));
	watch_pending(gateway, pending);
	/*
	 * Bytes that arrived with the end of the TLS handshake cause no event.
	 */
	gateway_read_pending(gateway, pending);
}

/* Begins the run if all trunks are established. */
void
gateway_begin_if_connected(struct gateway *gateway)
{
	struct pending *at;

	if (gateway->begun)
		return;
	for (uint32_t i = 0; i < gateway->known; i++)
		if (i != gateway->mine && !gateway->clusters[i].trunk &&
		    !gateway->clusters[i].lost)
			return;
	gateway->begun = true;
	gateway->begun_ns = gateway_now();
	if (!gateway->late.ours) /* whose number is not known yet */
		gateway_late_publish(gateway);
	LIST_FOREACH (at, &gateway->pending.all, link)
		if (at->state != PENDING_HANDSHAKE)
			gateway_close_pending(gateway, at, NULL);
	gateway_start_command(gateway);
}

static void
drop_others(struct gateway *gateway, const struct cluster *cluster)
{
	struct pending *at;

	LIST_FOREACH (at, &gateway->pending.all, link)
		if (!strcmp(at->cluster, cluster->name))
			gateway_close_pending(gateway, at, NULL);
}

/* Makes this connection the cluster's trunk. */
static void
trunk_choose(struct gateway *gateway, struct pending *pending,
	     struct cluster *cluster)
{
	struct stn_port port = {
		.cluster = (uint32_t)(cluster - gateway->clusters),
		.trunk = true,
	};
	uint64_t identity = htole64(gateway->discovery.entry.identity);
	struct connection *connection;

	if (gateway->mine < port.cluster)
		gateway_put_segment(&pending->stream, STN_TRUNK_CHOSEN, NULL,
				    0);
	connection = gateway_establish(gateway, pending, port);
	if (!connection)
		return;
	cluster->trunk = connection;
	cluster->heard_ns = gateway_now() + BEGIN_NS;
	drop_others(gateway, cluster);
	if (stn_switch_add(&gateway->hub, &connection->port)) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	if (gateway->late.joining)
		gateway_tell_gateway(gateway, port.cluster, STN_TRUNK_LATE,
				     &identity, sizeof(identity));
	if (gateway->begun)
		gateway_late_welcome(gateway);
	else
		gateway_begin_if_connected(gateway);
	/* Segments that were read before cause no event. */
	stn_switch_ready(&gateway->hub, &connection->port, EPOLLIN | EPOLLOUT);
}

/*
 * Takes the next segment, which must be one for the gateway; false if there is
 * no complete one, or if the connection was closed.
 */
static bool
take_pending_segment(struct gateway *gateway, struct pending *pending,
		     struct stn_segment *segment, const unsigned char **data_p)
{
	const unsigned char *at = stn_stream_input(&pending->stream);

	if (stn_stream_input_bytes(&pending->stream) < STN_SEGMENT_HEAD)
		return false;
	if (stn_segment_read(at, segment) ||
	    segment->to != STN_SEGMENT_GATEWAY) {
		gateway_close_pending(gateway, pending,
				      "it has sent an invalid segment");
		return false;
	}
	if (stn_stream_input_bytes(&pending->stream) <
	    STN_SEGMENT_HEAD + (size_t)segment->bytes)
		return false;
	*data_p = at + STN_SEGMENT_HEAD;
	stn_stream_consume(&pending->stream, STN_SEGMENT_HEAD + segment->bytes);
	return true;
}

/*
 * Another cluster can't join the run. The connection remains until that has read
 * the reason.
 */
static void
refuse_joining(struct gateway *gateway, struct pending *pending, const char *why)
{
	gateway_say_refused(gateway, &pending->address, why);
	gateway_put_segment(&pending->stream, STN_TRUNK_REFUSED, why,
			    strlen(why));
	pending->state = PENDING_REFUSED;
	watch_pending(gateway, pending);
}

/* Returns false if the connection was closed, or the run has failed. */
static bool
take_hello(struct gateway *gateway, struct pending *pending,
	   const struct stn_segment *segment, const unsigned char *data)
{
	const struct stn_gateway_options *options = gateway->options;
	struct stn_trunk_hello hello;

	if (segment->type != STN_TRUNK_HELLO ||
	    stn_trunk_hello_read(data, segment->bytes, &hello) ||
	    strcmp(hello.run, options->run) ||
	    strcmp(hello.cluster, pending->cluster)) {
		gateway_close_pending(gateway, pending,
				      "it has sent an invalid segment");
		return false;
	}
	if (hello.version != STN_TRUNK_VERSION && gateway->begun) {
		refuse_joining(gateway, pending,
			    "it is of another version of Sateen");
		return false;
	}
	if (hello.version != STN_TRUNK_VERSION) {
		gateway_fail(gateway,
			     "cluster %s has another version of `sateen join`",
			     pending->cluster);
		return false;
	}
	pending->state = PENDING_CHOICE;
	return true;
}

/* A gateway of another cluster has connected while the run runs. */
static void
choose_late(struct gateway *gateway, struct pending *pending)
{
	struct cluster *place =
		gateway_find_cluster(gateway, pending->cluster);
	const char *why;

	if (place && place->dead && !place->joining) {
		refuse_joining(gateway, pending,
			       "a cluster of this name has been in the run; "
			       "give this one another --cluster");
		return;
	}
	if (place) {
		/* It has a trunk already. */
		gateway_close_pending(gateway, pending, NULL);
		return;
	}
	place = gateway_late_admit(gateway, pending->cluster, &why);
	if (place)
		trunk_choose(gateway, pending, place);
	else
		refuse_joining(gateway, pending, why);
}

/* The other gateway has sent HELLO, and perhaps CHOSEN. */
static void
choose_trunk(struct gateway *gateway, struct pending *pending)
{
	struct cluster *cluster =
		gateway_find_cluster(gateway, pending->cluster);
	const unsigned char *data;
	struct stn_segment segment;

	if (gateway->failure.declared)
		return;
	if (gateway->known < gateway->options->clusters) {
		/*
		 * The other gateway knows all clusters already. Its command may
		 * fail, and so end this connection, before gateway_discover
		 * looks again.
		 */
		gateway->pending.calls->look(gateway); /* may decide */
		return;
	}
	if (gateway->begun) {
		choose_late(gateway, pending);
		return;
	}
	if (!cluster || cluster->trunk) {
		gateway_close_pending(gateway, pending,
				      cluster ? NULL
					      : "its cluster is unknown");
		return;
	}
	if (cluster > &gateway->clusters[gateway->mine]) {
		trunk_choose(gateway, pending, cluster);
		return;
	}
	if (!take_pending_segment(gateway, pending, &segment, &data))
		return;
	if (segment.type == STN_TRUNK_CHOSEN)
		trunk_choose(gateway, pending, cluster);
	else if (segment.type == STN_TRUNK_REFUSED && gateway->late.ours)
		gateway_end_part(gateway, "%.*s", (int)segment.bytes,
				 (const char *)data);
	else
		gateway_close_pending(gateway, pending,
				      "it has sent an invalid segment");
}

void
gateway_read_pending(struct gateway *gateway, struct pending *pending)
{
	const unsigned char *data;
	struct stn_segment segment;

	stn_stream_read(&pending->stream);
	if (pending->state == PENDING_HELLO &&
	    (!take_pending_segment(gateway, pending, &segment, &data) ||
	     !take_hello(gateway, pending, &segment, data))) {
		if (!pending->watch.dead && pending->stream.lost)
			gateway_close_pending(gateway, pending, NULL);
		return;
	}
	if (pending->state != PENDING_REFUSED)
		choose_trunk(gateway, pending);
	if (pending->watch.dead)
		return;
	if (pending->stream.lost)
		gateway_close_pending(gateway, pending, NULL);
	else
		watch_pending(gateway, pending);
}

static void
fail_invalid(struct gateway *gateway, const struct cluster *cluster)
{
	gateway_fail(gateway,
		     "the gateway of cluster %s has sent an invalid segment",
		     cluster->name);
}

/*
 * Collects another cluster's cards. These may already be of the next round: its
 * gateway may have dealt this round's cards before. They can't be of a later
 * round, which needs ours.
 */
static void
take_cards(struct gateway *gateway, struct cluster *cluster,
	   const struct stn_segment *segment, const unsigned char *data)
{
	struct collected_cards *collected =
		cluster->cards.complete ? &cluster->next : &cluster->cards;
	size_t most = (size_t)cluster->size * (STN_CARD_BYTES + 4);

	if (collected->complete || !cluster->size ||
	    stn_bytes_count(&collected->bytes) + segment->bytes > most) {
		fail_invalid(gateway, cluster);
		return;
	}
	if (!stn_bytes_add(&collected->bytes, data, segment->bytes)) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	collected->complete = !(segment->flags & STN_SEGMENT_MORE);
	if (collected->complete)
		gateway_deal_cards(gateway);
}

static void
take_size(struct gateway *gateway, struct cluster *cluster,
	  const struct stn_segment *segment, const unsigned char *data)
{
	if (cluster->size ||
	    stn_trunk_size_read(data, segment->bytes, &cluster->size))
		fail_invalid(gateway, cluster);
	else
		gateway_tell_layout(gateway);
}

static void
take_trunk_segment(void *arg, struct stn_port *port,
		   const struct stn_segment *segment, const unsigned char *data)
{
	struct gateway *gateway = arg;
	struct cluster *cluster = &gateway->clusters[port->cluster];
	enum stn_err err;

	if (cluster->lost && !cluster->joining)
		return;
	err = gateway_late_take(gateway, port->cluster, segment, data);
	if (err == STN_MISSING)
		err = gateway_membership_take(gateway, port->cluster, segment, data);
	if (err != STN_MISSING) {
		if (err)
			fail_invalid(gateway, cluster);
		return;
	}
	switch (segment->type) {
	case STN_TRUNK_SIZE:
		take_size(gateway, cluster, segment, data);
		return;
	case STN_TRUNK_CARDS:
		take_cards(gateway, cluster, segment, data);
		return;
	case STN_TRUNK_ARRIVED:
		cluster->arrived = true;
		gateway_release(gateway);
		return;
	case STN_TRUNK_HEARTBEAT:
		return;
	case STN_TRUNK_INTERRUPTED:
	case STN_TRUNK_FAILED:
		gateway->failure.reported = true;
		gateway->failure.interrupted |=
			segment->type == STN_TRUNK_INTERRUPTED;
		gateway_fail(gateway, "cluster %s: %.*s", cluster->name,
			     (int)segment->bytes, (const char *)data);
		return;
	}
	fail_invalid(gateway, cluster);
}

/*
 * A node ends all its connections when it ends. In a run that survives deaths,
 * its control connection tells the rest, unless the node hangs.
 */
static void
node_disconnected(struct gateway *gateway, uint32_t rank, const char *how)
{
	if (!gateway->membership.begun)
		gateway_attribute_connection(gateway, rank, how);
	else if (strcmp(how, STN_SWITCH_ENDED))
		gateway_membership_suspect(gateway, rank);
}

static void
connection_lost(void *arg, struct stn_port *port, const char *how)
{
	struct connection *connection =
		(struct connection *)((char *)port -
				      offsetof(struct connection, port));
	struct gateway *gateway = arg;
	struct cluster *cluster = &gateway->clusters[port->cluster];

	if (port->trunk) {
		cluster->trunk = NULL;
		gateway_hurry_command(gateway);
		if (cluster->joining)
			gateway_late_drop(gateway, "its gateway is gone");
		else
			gateway_lose_cluster(gateway, port->cluster,
					     "is gone, or can't be reached any "
					     "more");
	} else if (!gateway->over) {
		stn_switch_tell_lost(&gateway->hub, port->rank);
		gateway_read_members(gateway, port->rank);
		node_disconnected(gateway, port->rank, how);
	}
	gateway_drop_connection(gateway, connection);
}

static void
watch_connection(void *arg, struct stn_port *port, uint32_t events)
{
	struct connection *connection =
		(struct connection *)((char *)port -
				      offsetof(struct connection, port));

	struct gateway *gateway = arg;

	gateway_rewatch(&gateway->loop, &connection->watch, port->stream.fd,
			events);
}

const struct stn_switch_calls gateway_switch_calls = {
	.control = take_trunk_segment,
	.lost = connection_lost,
	.watch = watch_connection,
};
