#include "launch/gateway/gateway_late.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "launch/gateway/gateway_private.h"

/*
 * Limits of the bytes of PEERS, the cards of new nodes. The shortest has one rank
 * and one size of a card.
 */
#define PEERS_LEAST (2 * sizeof(uint32_t))
#define PEERS_MOST (UINT32_C(1) << 30)

static uint32_t
late_room(const struct gateway *gateway)
{
	const uint32_t *first = &gateway->hub.first[gateway->late.next];

	return first[1] - first[0];
}

static bool
late_is_host(const struct gateway *gateway)
{
	return gateway->membership.host == gateway->mine;
}

struct cluster *
gateway_late_admit(struct gateway *gateway, const char *name,
		   const char **why_p)
{
	struct cluster *place = gateway_late_cluster(gateway);

	*why_p = NULL;
	if (!gateway->late.max_nodes)
		*why_p = "the run has begun without --max-nodes, so no other "
			 "cluster can join it";
	else if (!gateway->membership.begun)
		*why_p = "the run has not begun yet; try again";
	else if (gateway->over || gateway->failure.declared ||
		 gateway->membership.parting)
		*why_p = "the run is ending";
	else if (!place)
		*why_p = GATEWAY_LATE_FULL;
	else if (*place->name)
		*why_p = "another cluster is joining the run; try again";
	if (*why_p)
		return NULL;
	strcpy(place->name, name);
	place->joining = true;
	return place;
}

static void
put_number(struct stn_bytes *bytes, const void *number, size_t size)
{
	if (!stn_bytes_add(bytes, number, size))
		abort(); /* a few bytes */
}

static void
send_welcome(struct gateway *gateway, uint32_t place)
{
	uint64_t number = htole64(gateway_run_number(gateway));
	struct stn_bytes body = { NULL };
	uint32_t word = htole32(place);

	put_number(&body, &number, sizeof(number));
	put_number(&body, &word, sizeof(word));
	for (uint32_t i = 0; i < gateway->options->clusters; i++) {
		word = htole32(gateway->hub.first[i + 1] -
			       gateway->hub.first[i]);
		put_number(&body, &word, sizeof(word));
	}
	for (uint32_t i = 0; i < gateway->known; i++) {
		word = htole32(gateway->clusters[i].lost && i != place);
		put_number(&body, &word, sizeof(word));
	}
	gateway_tell_gateway(gateway, place, STN_TRUNK_WELCOME,
			     stn_bytes_front(&body), stn_bytes_count(&body));
	stn_bytes_fini(&body);
}

void
gateway_late_welcome(struct gateway *gateway)
{
	uint32_t index = gateway->late.next;
	const struct stn_bytes *joined = &gateway->late.joined;

	if (!late_is_host(gateway))
		return;
	send_welcome(gateway, index);
	if (stn_bytes_count(joined))
		gateway_tell_gateway(gateway, index, STN_TRUNK_PEERS,
				     stn_bytes_front(joined),
				     stn_bytes_count(joined));
	for (uint32_t i = 0; i < gateway->late.round_count; i++)
		gateway_tell_gateway(gateway, index, STN_TRUNK_ROUND,
				     stn_bytes_front(&gateway->late.rounds[i]),
				     stn_bytes_count(&gateway->late.rounds[i]));
}

/*
 * Only the trunk's own stream is flushed: a flush of the switch may lose ports,
 * and with this trunk drop the cluster a second time.
 */
void
gateway_late_drop(struct gateway *gateway, const char *why)
{
	struct late_cluster *late = &gateway->late;
	struct cluster *place = gateway_late_cluster(gateway);
	struct connection *trunk = place->trunk;

	if (!place->joining)
		return;
	if (!gateway->over)
		gateway_say(gateway,
			    "cluster %s can't join: %s; the run goes on "
			    "without it",
			    place->name, why);
	if (trunk) {
		gateway_tell_gateway(gateway, gateway->late.next,
				     STN_TRUNK_REFUSED, why, strlen(why));
		stn_stream_flush(&trunk->port.stream);
		place->trunk = NULL;
		stn_switch_remove(&gateway->hub, &trunk->port);
		gateway_drop_connection(gateway, trunk);
	}
	place->joining = false;
	place->name[0] = '\0';
	stn_bytes_fini(&late->peers);
	late->asked = late->answered = late->partial = false;
}

/* Our cluster gets its place, which no cluster has had. */
static void
move_to_place(struct gateway *gateway, uint32_t place)
{
	struct cluster *old = &gateway->clusters[gateway->mine];

	gateway->late.next = place;
	if (place != gateway->mine) {
		gateway->clusters[place] = *old;
		*old = (struct cluster){ .lost = true, .dead = true };
		gateway->mine = place;
		stn_switch_set_mine(&gateway->hub, place);
	}
	gateway_late_publish(gateway);
}

/* Takes what the host says about a cluster. */
static void
note_lost(struct gateway *gateway, uint32_t index, bool lost)
{
	struct cluster *cluster = &gateway->clusters[index];

	if (!lost && cluster->lost)
		gateway_fail(gateway, "another cluster of the run is missing at "
				      "the meeting point; try again");
	if (lost)
		cluster->lost = cluster->dead = true;
}

/* The host's welcome to our cluster. */
static enum stn_err
take_welcome(struct gateway *gateway, const unsigned char *data, size_t size)
{
	uint32_t clusters = gateway->options->clusters, place;
	uint32_t words[1 + 2 * STN_CLUSTERS_MOST];
	uint64_t number;

	if (gateway->late.welcome ||
	    size != sizeof(number) +
			    (1 + clusters + gateway->known) * sizeof(words[0]))
		return STN_MALFORMED;
	memcpy(&number, data, sizeof(number));
	memcpy(words, data + sizeof(number), size - sizeof(number));
	place = le32toh(words[0]);
	if (place < clusters || place >= gateway->known ||
	    (place != gateway->mine && gateway->clusters[place].trunk))
		return STN_MALFORMED;
	gateway->late.run_number = le64toh(number);
	gateway->late.welcome = true;
	move_to_place(gateway, place);
	for (uint32_t i = 0; i < clusters; i++) {
		if (stn_trunk_size_read((const void *)&words[1 + i],
					sizeof(words[0]),
					&gateway->clusters[i].size))
			return STN_MALFORMED;
	}
	for (uint32_t i = 0; i < gateway->known; i++)
		note_lost(gateway, i, words[1 + clusters + i]);
	gateway_begin_if_connected(gateway);
	gateway_tell_layout(gateway);
	return STN_OK;
}

/* Cards of the nodes that join have come. */
static enum stn_err
take_peers(struct gateway *gateway, const struct stn_segment *segment,
	   const unsigned char *data)
{
	struct late_cluster *late = &gateway->late;

	if (late->asked || stn_bytes_count(&late->peers) > PEERS_MOST)
		return STN_MALFORMED;
	if (!stn_bytes_add(&late->peers, data, segment->bytes)) {
		gateway_late_drop(gateway, "out of memory");
		return STN_OK;
	}
	if (segment->flags & STN_SEGMENT_MORE)
		return STN_OK;
	if (stn_bytes_count(&late->peers) < PEERS_LEAST)
		return STN_MALFORMED; /* our nodes would end the run */
	gateway_nodes_meet(gateway);
	late->asked = true;
	gateway_members_tell(gateway, STN_WIREUP_PEERS,
			     stn_bytes_front(&late->peers),
			     stn_bytes_count(&late->peers));
	return STN_OK;
}

/* All nodes of all clusters have met those of the cluster that joins. */
static enum stn_err
take_join(struct gateway *gateway, const unsigned char *data, size_t size)
{
	uint32_t count, first = gateway->hub.first[gateway->late.next];
	struct stn_sequencer *sequencer = &gateway->membership.sequencer;

	if (!stn_trunk_number_read(data, size, &count) || !count ||
	    count > late_room(gateway))
		return STN_MALFORMED;
	if (!late_is_host(gateway))
		return STN_OK; /* its gateway finds out that the host is lost */
	for (uint32_t i = 0; i < count; i++)
		if (!stn_sequencer_joined(sequencer, first + i)) {
			gateway_late_drop(gateway, "it has joined before");
			return STN_OK;
		}
	gateway_late_joined(gateway);
	return STN_OK;
}

/* What the cluster that joins sends. */
static enum stn_err
take_from_joining(struct gateway *gateway, const struct stn_segment *segment,
		  const unsigned char *data)
{
	struct cluster *place = gateway_late_cluster(gateway);
	uint64_t identity;
	struct stn_why why;

	switch (segment->type) {
	case STN_TRUNK_LATE:
		if (segment->bytes != sizeof(identity))
			return STN_MALFORMED;
		memcpy(&identity, data, sizeof(identity));
		place->entry.identity = le64toh(identity);
		return STN_OK;
	case STN_TRUNK_PEERS:
		return take_peers(gateway, segment, data);
	case STN_TRUNK_JOIN:
		return take_join(gateway, data, segment->bytes);
	case STN_TRUNK_FAILED:
	case STN_TRUNK_INTERRUPTED:
		stn_because(&why, STN_OK, "%.*s", (int)segment->bytes,
			    (const char *)data);
		gateway_late_drop(gateway, why.text);
		return STN_OK;
	case STN_TRUNK_HEARTBEAT:
		return STN_OK;
	}
	return STN_MALFORMED;
}

/* Cards of nodes that have joined before: our nodes connect to them, too. */
static enum stn_err
take_joined(struct gateway *gateway, const unsigned char *data, size_t size)
{
	struct stn_bytes *joined = &gateway->late.joined;

	if (stn_bytes_count(joined) > PEERS_MOST)
		return STN_MALFORMED;
	if (!stn_bytes_add(joined, data, size))
		gateway_fail(gateway, "out of memory");
	return STN_OK;
}

/* What the others send to our cluster, which joins. */
static enum stn_err
take_before_joined(struct gateway *gateway, const struct stn_segment *segment,
		   const unsigned char *data)
{
	switch (segment->type) {
	case STN_TRUNK_WELCOME:
		return take_welcome(gateway, data, segment->bytes);
	case STN_TRUNK_ROUND:
		gateway_late_add_round(gateway, data, segment->bytes,
			       segment->flags & STN_SEGMENT_MORE);
		gateway_deal_cards(gateway);
		return STN_OK;
	case STN_TRUNK_PEERS:
		return take_joined(gateway, data, segment->bytes);
	case STN_TRUNK_MET:
		gateway->late.met++;
		return STN_OK;
	case STN_TRUNK_REFUSED:
		gateway_end_part(gateway, "%.*s", (int)segment->bytes,
				 (const char *)data);
		return STN_OK;
	case STN_TRUNK_OVER:
		gateway_end_part(gateway, "the run has ended before this "
					  "cluster could join it");
		return STN_OK;
	}
	return STN_MISSING;
}

enum stn_err
gateway_late_take(struct gateway *gateway, uint32_t cluster,
		  const struct stn_segment *segment, const unsigned char *data)
{
	enum stn_err err;

	if (gateway->late.joining)
		return take_before_joined(gateway, segment, data);
	/* The host's view has overtaken the JOIN, which all gateways get. */
	if (!gateway->clusters[cluster].joining)
		return segment->type == STN_TRUNK_JOIN &&
				       cluster >= gateway->options->clusters
			       ? STN_OK
			       : STN_MISSING;
	err = take_from_joining(gateway, segment, data);
	if (err)
		gateway_late_drop(gateway, "it has sent an invalid segment");
	return STN_OK;
}

/* Puts their ranks before the cards that our nodes showed in the last round. */
static bool
add_ranks(struct gateway *gateway)
{
	struct stn_bytes cards = gateway->late.peers;
	uint32_t rank = gateway->hub.first[gateway->mine], size;
	struct stn_bytes *body = &gateway->late.peers;
	bool added = true;

	*body = (struct stn_bytes){ NULL };
	for (size_t at = 0; added && at < stn_bytes_count(&cards);
	     at += sizeof(size) + size, rank++) {
		const unsigned char *card = stn_bytes_front(&cards) + at;

		memcpy(&size, card, sizeof(size));
		added = stn_bytes_add(body, &rank, sizeof(rank)) &&
			stn_bytes_add(body, card, sizeof(size) + size);
	}
	stn_bytes_fini(&cards);
	return added;
}

/* Our nodes and all others get to know each other. */
void
gateway_late_ready(struct gateway *gateway)
{
	struct late_cluster *late = &gateway->late;

	if (late->dealt != late->round_count) {
		gateway_fail(gateway,
			     "its nodes plan otherwise than the first nodes");
		return;
	}
	if (!add_ranks(gateway)) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	gateway_tell_gateways(gateway, STN_TRUNK_PEERS,
			      stn_bytes_front(&late->peers),
			      stn_bytes_count(&late->peers));
	late->asked = true;
	if (!stn_bytes_count(&late->joined))
		return;
	gateway_nodes_meet(gateway);
	gateway_members_tell(gateway, STN_WIREUP_PEERS,
			     stn_bytes_front(&late->joined),
			     stn_bytes_count(&late->joined));
}

/* Our cluster joins, when all other gateways have answered, and its nodes. */
static void
late_ask_to_join(struct gateway *gateway)
{
	struct late_cluster *late = &gateway->late;
	uint32_t others = 0;

	if (*gateway->nodes.refused.text)
		gateway_fail(gateway, "%s", gateway->nodes.refused.text);
	for (uint32_t i = 0; i < gateway->known; i++)
		others += gateway->clusters[i].trunk != NULL;
	if (!late->asked || late->answered || late->met < others ||
	    !gateway_nodes_have_met(gateway))
		return;
	late->answered = true;
	for (uint32_t i = 0; i < gateway->known; i++)
		gateway_tell_number(gateway, i, STN_TRUNK_JOIN,
				    gateway->members.size);
}

/* Our nodes may have met those of the cluster that joins. */
static void
late_answer(struct gateway *gateway)
{
	struct late_cluster *late = &gateway->late;
	const char *refused = gateway->nodes.refused.text;

	if (!late->asked || late->answered)
		return;
	if (*refused) {
		gateway_late_drop(gateway, refused);
		return;
	}
	if (!gateway_nodes_have_met(gateway))
		return;
	late->answered = true;
	gateway_tell_gateway(gateway, gateway->late.next, STN_TRUNK_MET, NULL,
			     0);
}

void
gateway_late_attend(struct gateway *gateway)
{
	struct cluster *place = gateway_late_cluster(gateway);

	if (gateway->failure.declared)
		return;
	if (gateway->late.joining)
		late_ask_to_join(gateway);
	else if (place && place->joining && gateway->over)
		gateway_late_drop(gateway, "the run is ending");
	else if (place && place->joining)
		late_answer(gateway);
}
