/*
 * gateway_trunk.c: what gateways say to each other. Two may have several
 * connections, opened from either side: the one whose cluster's name comes
 * first chooses one, says so on it, and closes the others.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "transport/transport.h"
#include "transport/wan/gateway_own.h"

#define BEGIN_NS                                                               \
	(6 * STN_SECOND_NS) /* for which the meeting point may take            \
			     */
#define ALIVE_PARTS 4	    /* of the silence that is allowed */

static void
put(struct stn_line *line, enum stn_trunk_type type, const void *bytes,
    size_t size)
{
	struct stn_segment segment = {
		.to = STN_SEGMENT_GATEWAY,
		.bytes = (uint16_t)size,
		.type = (uint8_t)type,
	};
	unsigned char head[STN_SEGMENT_HEAD];

	stn_segment_write(head, &segment);
	stn_line_put(line, head, sizeof(head));
	stn_line_put(line, bytes, size);
}

void
gateway_tell(struct gateway *gateway, enum stn_trunk_type type,
	     const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (uint32_t i = 0; i < gateway->known; i++) {
		struct seat *trunk = gateway->parties[i].trunk;
		size_t done = 0;

		if (!trunk)
			continue;
		do {
			size_t part = size - done < STN_SEGMENT_DATA
					      ? size - done
					      : STN_SEGMENT_DATA;
			struct stn_segment segment = {
				.to = STN_SEGMENT_GATEWAY,
				.bytes = (uint16_t)part,
				.type = (uint8_t)type,
				.flags = done + part < size ? STN_SEGMENT_MORE
							    : 0,
			};

			stn_switch_put(&gateway->hub, &trunk->port, &segment,
				       at + done);
			done += part;
		} while (done < size);
	}
}

/* Has the gateway at its other end said nothing for too long? */
static bool
is_silent(const struct gateway *gateway, struct party *party, uint64_t now)
{
	struct stn_port *port = &party->trunk->port;

	if (port->heard || port->waits) {
		port->heard = false;
		if (now > party->heard_ns)
			party->heard_ns = now;
	}
	return now > party->heard_ns &&
	       now - party->heard_ns > gateway->options->silence_ns;
}

/* Who was stopped, perhaps with its host, can't tell who was silent then. */
static void
forgive(struct gateway *gateway, uint64_t now)
{
	uint64_t before = gateway->looked_ns;

	gateway->looked_ns = now;
	if (!before || now - before < STN_SECOND_NS)
		return;
	for (uint32_t i = 0; i < gateway->known; i++)
		gateway->parties[i].heard_ns += now - before;
}

void
gateway_look_at_trunks(struct gateway *gateway, uint64_t now)
{
	uint64_t silence_ns = gateway->options->silence_ns;

	if (!silence_ns || gateway->over)
		return;
	forgive(gateway, now);
	for (uint32_t i = 0; i < gateway->known; i++) {
		struct party *party = &gateway->parties[i];

		if (party->trunk && !party->arrived &&
		    is_silent(gateway, party, now))
			gateway_fail(gateway,
				     "the gateway of cluster %s has been "
				     "silent for too long",
				     party->name);
	}
	if (now < gateway->alive_ns)
		return;
	gateway->alive_ns = now + silence_ns / ALIVE_PARTS;
	gateway_tell(gateway, STN_TRUNK_ALIVE, NULL, 0);
}

static void
watch_guest(struct gateway *gateway, struct guest *guest)
{
	uint32_t events = EPOLLIN;

	stn_line_flush(&guest->line);
	if (stn_line_waiting(&guest->line))
		events |= EPOLLOUT;
	if (events == guest->events)
		return;
	guest->events = events;
	gateway_rewatch(gateway, &guest->watch, guest->fd, events);
}

void
gateway_greet(struct gateway *gateway, struct guest *guest)
{
	struct stn_trunk_hello hello = {
		.version = STN_TRUNK_VERSION,
		.clusters = gateway->options->clusters,
	};
	unsigned char bytes[STN_TRUNK_HELLO_BYTES];

	strcpy(hello.run, gateway->options->run);
	strcpy(hello.cluster, gateway->options->cluster);
	put(&guest->line, STN_TRUNK_HELLO, bytes,
	    stn_trunk_hello_write(bytes, &hello));
	watch_guest(gateway, guest);
	/* What came with the end of the handshake makes no event. */
	gateway_heard(gateway, guest);
}

static void
seat_ready(struct gateway *gateway, struct watch *watch, uint32_t events)
{
	struct seat *seat = (struct seat *)watch;

	stn_switch_ready(&gateway->hub, &seat->port, events);
}

/* All trunks are there: the run begins. */
static void
begin(struct gateway *gateway)
{
	for (uint32_t i = 0; i < gateway->known; i++)
		if (i != gateway->mine && !gateway->parties[i].trunk)
			return;
	gateway->begun = true;
	gateway->begun_ns = gateway_now();
	stn_meeting_begin(gateway->meeting);
	for (struct guest *at = gateway->guests, *next; at; at = next) {
		next = at->next;
		if (at->state != GUEST_KNOCKS)
			gateway_dismiss(gateway, at, NULL);
	}
	gateway_start_command(gateway);
}

static void
drop_others(struct gateway *gateway, const struct party *party)
{
	for (struct guest *at = gateway->guests, *next; at; at = next) {
		next = at->next;
		if (!strcmp(at->cluster, party->name))
			gateway_dismiss(gateway, at, NULL);
	}
}

/* This connection it is. */
static void
choose(struct gateway *gateway, struct guest *guest, struct party *party)
{
	struct stn_port port = {
		.cluster = (uint32_t)(party - gateway->parties),
		.trunk = true,
	};
	struct seat *seat;

	if (gateway->mine < port.cluster)
		put(&guest->line, STN_TRUNK_CHOSEN, NULL, 0);
	seat = gateway_seat(gateway, guest, port);
	if (!seat)
		return;
	party->trunk = seat;
	party->heard_ns = gateway_now() + BEGIN_NS;
	drop_others(gateway, party);
	seat->watch.ready = seat_ready;
	if (stn_switch_add(&gateway->hub, &seat->port)) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	begin(gateway);
	/* What has been read with it makes no event. */
	stn_switch_ready(&gateway->hub, &seat->port, EPOLLIN | EPOLLOUT);
}

/* Takes the next of a guest's segments, if it is there, and one to us. */
static bool
next_segment(struct gateway *gateway, struct guest *guest,
	     struct stn_segment *segment, const unsigned char **data_p)
{
	const unsigned char *at = stn_line_there(&guest->line);

	if (stn_line_there_bytes(&guest->line) < STN_SEGMENT_HEAD)
		return false;
	if (stn_segment_read(at, segment) ||
	    segment->to != STN_SEGMENT_GATEWAY) {
		gateway_dismiss(gateway, guest, "what it says makes no sense");
		return false;
	}
	if (stn_line_there_bytes(&guest->line) <
	    STN_SEGMENT_HEAD + (size_t)segment->bytes)
		return false;
	*data_p = at + STN_SEGMENT_HEAD;
	stn_line_take(&guest->line, STN_SEGMENT_HEAD + segment->bytes);
	return true;
}

/* False if it is not who it should be, and has been dismissed. */
static bool
hear_hello(struct gateway *gateway, struct guest *guest,
	   const struct stn_segment *segment, const unsigned char *data)
{
	const struct stn_gateway_options *options = gateway->options;
	struct stn_trunk_hello hello;

	if (segment->type != STN_TRUNK_HELLO ||
	    stn_trunk_hello_read(data, segment->bytes, &hello) ||
	    strcmp(hello.run, options->run) ||
	    strcmp(hello.cluster, guest->cluster)) {
		gateway_dismiss(gateway, guest, "what it says makes no sense");
		return false;
	}
	if (hello.version != STN_TRUNK_VERSION) {
		gateway_fail(gateway,
			     "cluster %s has another version of `sateen join`",
			     guest->cluster);
		return false;
	}
	guest->state = GUEST_WAITS;
	return true;
}

/* It has said HELLO, or more. */
static void
consider(struct gateway *gateway, struct guest *guest)
{
	struct party *party = gateway_find(gateway, guest->cluster);
	const unsigned char *data;
	struct stn_segment segment;

	if (gateway->known < gateway->options->clusters || gateway->failed)
		return; /* later */
	if (!party || party->trunk) {
		gateway_dismiss(gateway, guest,
				party ? NULL : "its cluster is unknown");
		return;
	}
	if (party > &gateway->parties[gateway->mine]) {
		choose(gateway, guest, party);
		return;
	}
	if (!next_segment(gateway, guest, &segment, &data))
		return;
	if (segment.type == STN_TRUNK_CHOSEN)
		choose(gateway, guest, party);
	else
		gateway_dismiss(gateway, guest, "what it says makes no sense");
}

void
gateway_heard(struct gateway *gateway, struct guest *guest)
{
	const unsigned char *data;
	struct stn_segment segment;

	stn_line_read(&guest->line);
	if (guest->state == GUEST_SPEAKS &&
	    (!next_segment(gateway, guest, &segment, &data) ||
	     !hear_hello(gateway, guest, &segment, data))) {
		if (!guest->watch.dead && guest->line.lost)
			gateway_dismiss(gateway, guest, NULL);
		return;
	}
	consider(gateway, guest);
	if (guest->watch.dead)
		return;
	if (guest->line.lost)
		gateway_dismiss(gateway, guest, NULL);
	else
		watch_guest(gateway, guest);
}

/*
 * The cards of another cluster's nodes come in. Those of the next round may,
 * too: there, this round's have been dealt; but none later, without ours.
 */
static void
take_cards(struct gateway *gateway, struct party *party,
	   const struct stn_segment *segment, const unsigned char *data)
{
	struct pile *pile = party->cards.whole ? &party->next : &party->cards;
	size_t most = (size_t)party->size * (STN_CARD_BYTES + 4);

	if (pile->whole || !party->size || pile->size + segment->bytes > most) {
		gateway_fail(gateway, "what cluster %s says makes no sense",
			     party->name);
		return;
	}
	if (!gateway_pile(pile, data, segment->bytes)) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	pile->whole = !(segment->flags & STN_SEGMENT_MORE);
	if (pile->whole)
		gateway_deal(gateway);
}

static void
take_size(struct gateway *gateway, struct party *party,
	  const struct stn_segment *segment, const unsigned char *data)
{
	if (party->size ||
	    stn_trunk_size_read(data, segment->bytes, &party->size))
		gateway_fail(gateway, "what cluster %s says makes no sense",
			     party->name);
	else
		gateway_plan(gateway);
}

static void
control(void *arg, struct stn_port *port, const struct stn_segment *segment,
	const unsigned char *data)
{
	struct gateway *gateway = arg;
	struct party *party = &gateway->parties[port->cluster];

	switch (segment->type) {
	case STN_TRUNK_SIZE:
		take_size(gateway, party, segment, data);
		return;
	case STN_TRUNK_CARDS:
		take_cards(gateway, party, segment, data);
		return;
	case STN_TRUNK_ARRIVED:
		party->arrived = true;
		gateway_go(gateway);
		return;
	case STN_TRUNK_ALIVE:
		return;
	case STN_TRUNK_FAILED:
		gateway->told = true;
		gateway_fail(gateway, "cluster %s: %.*s", party->name,
			     (int)segment->bytes, (const char *)data);
		return;
	}
	gateway_fail(gateway, "what cluster %s says makes no sense",
		     party->name);
}

static void
lost(void *arg, struct stn_port *port, const char *how)
{
	struct seat *seat =
		(struct seat *)((char *)port - offsetof(struct seat, port));
	struct gateway *gateway = arg;
	struct party *party = &gateway->parties[port->cluster];

	if (port->trunk) {
		party->trunk = NULL;
		/* Who has all at the barrier may leave before we know it. */
		if (!gateway->over && !party->arrived)
			gateway_fail(gateway,
				     "the gateway of cluster %s is gone, or "
				     "can't be reached any more",
				     party->name);
	} else if (!gateway->over) {
		stn_switch_tell_lost(&gateway->hub, port->rank);
		gateway_hear(gateway, port->rank);
		gateway_doubt_road(gateway, port->rank, how);
	}
	gateway_unwatch(gateway, port->line.fd);
	stn_line_fini(&port->line);
	gateway_bury(gateway, &seat->watch);
}

static void
watch_port(void *arg, struct stn_port *port, uint32_t events)
{
	struct seat *seat =
		(struct seat *)((char *)port - offsetof(struct seat, port));

	gateway_rewatch(arg, &seat->watch, port->line.fd, events);
}

const struct stn_switch_calls gateway_switch_calls = {
	.control = control,
	.lost = lost,
	.watch = watch_port,
};
