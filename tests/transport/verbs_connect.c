/*
 * verbs_connect.c: how the verbs backend connects to a peer, on a made-up
 * device. Needs no device.
 */
#include "tests/tap.h"
#include "tests/transport/verbs_nic.h"

/* An endpoint that knows its peer's address, but isn't connected to it. */
static struct verbs *
endpoint_alone(void)
{
	static unsigned char out[VERBS_DATAGRAMS * VERBS_DATAGRAM_ROOM];
	static unsigned char in[VERBS_DATAGRAM_ROOM];
	struct verbs *verbs = endpoint_open();
	struct verbs_peer *peer = &verbs->peers[PEER];
	unsigned char address[STN_ADDRESS_BYTES];
	struct stn_why why;
	size_t bytes;

	verbs_peer_del(&verbs->base, PEER);
	peer->dead = peer->joined = peer->peer_joined = false;
	verbs->connector = &nic.connector;
	verbs->datagrams_out = out;
	verbs->datagrams_in = in;
	verbs->region = register_memory(NULL, NULL, 0, 0);
	bytes = verbs_address(&verbs->base, address);
	if (verbs_connect(&verbs->base, PEER, address, bytes, &why))
		printf("# %s\n", why.text);
	return verbs;
}

/* The peer's CONNECT arrives. */
static void
answer(struct verbs *verbs)
{
	struct stn_packet packet =
		stn_packet_make(PEER, STN_PACKET_CONNECT, 0, 0, 0);
	struct stn_connect_block block = { .pair = 7, .joined = 1 };
	struct ibv_wc completion = {
		.byte_len = VERBS_ROUTE_BYTES + VERBS_DATAGRAM_BYTES,
		.src_qp = verbs->peers[PEER].address.connector,
	};
	unsigned char *at = verbs->datagrams_in + VERBS_ROUTE_BYTES;

	memcpy(mempcpy(at, &packet, sizeof(packet)), &block, sizeof(block));
	verbs_datagram_received(verbs, &completion);
}

/* The time of the next repetition has come. */
static void
repeat(struct verbs *verbs)
{
	verbs->peers[PEER].resend_ns = 0;
	verbs_progress(&verbs->base);
}

/* This node lacks memory, or the peer's host does not answer at once. */
static void
test_retry(void)
{
	struct verbs *verbs = endpoint_alone();
	struct verbs_peer *peer = &verbs->peers[PEER];

	nic.short_of = nic.unanswered = 1;
	send_some(verbs, 1);
	tap_ok(!peer->pair && !peer->broken && verbs_waits(&verbs->base),
	       "a shortage of memory at this node doesn't break a connection");
	repeat(verbs);
	tap_ok(peer->pair, "it is tried again");
	answer(verbs);
	tap_ok(!peer->joined && !peer->broken && !nic.posted,
	       "nor does an address that isn't resolved at once");
	repeat(verbs);
	tap_ok(nic.posted == 1, "then the message leaves");
	endpoint_close(verbs, 0);
	verbs = endpoint_alone();
	peer = &verbs->peers[PEER];
	nic.short_of = 2;
	send_some(verbs, 1);
	peer->failing_ns = 1;
	repeat(verbs);
	tap_ok(peer->broken && strstr(peer->failure, "making a queue pair") &&
		       strstr(peer->failure, "Cannot allocate memory"),
	       "a shortage that lasts is reported");
	endpoint_close(verbs, 0);
}

static bool
routes_by_gid(uint8_t flags)
{
	struct verbs *verbs = endpoint_alone();

	verbs->port.attributes.flags = flags;
	send_some(verbs, 1);
	endpoint_close(verbs, 0);
	return nic.global;
}

static void
test_route(void)
{
	tap_ok(!routes_by_gid(0), "inside a subnet, a route uses the LID");
	tap_ok(routes_by_gid(IBV_QPF_GRH_REQUIRED),
	       "it uses the GID if the port requires that");
}

/* Can a card with GID @mine connect to one with GID @theirs? */
static bool
connects(union ibv_gid mine, union ibv_gid theirs)
{
	struct verbs *verbs = endpoint_alone();
	unsigned char address[STN_ADDRESS_BYTES];
	struct stn_why why = { .text = "" };
	enum stn_err err;
	size_t bytes;

	verbs->port.attributes.link_layer = IBV_LINK_LAYER_ETHERNET;
	verbs->port.gid.gid_type = IBV_GID_TYPE_ROCE_V2;
	verbs->port.gid.gid = theirs;
	bytes = verbs_address(&verbs->base, address);
	verbs->port.gid.gid = mine;
	err = verbs_connect(&verbs->base, PEER, address, bytes, &why);
	printf("# %s\n", why.text);
	endpoint_close(verbs, 0);
	return !(err == STN_INVALID && strstr(why.text, "IPv4"));
}

static void
test_families(void)
{
	const union ibv_gid ipv4 = { .raw = { [10] = 0xff, [11] = 0xff, 10 } };
	const union ibv_gid ipv6 = { .raw = { 0xfe, 0x80, [15] = 1 } };

	tap_ok(connects(ipv4, ipv4) && connects(ipv6, ipv6),
	       "cards whose addresses are of one family connect");
	tap_ok(!connects(ipv4, ipv6) && !connects(ipv6, ipv4),
	       "others don't, and the reason says why");
}

int
main(void)
{
	tap_begin();
	test_retry();
	test_route();
	test_families();
	return tap_end();
}
