/*
 * shm_broken.c: wrong data that a broken node puts into shared memory do no
 * harm, and wrong addresses are refused.
 */
#include "tests/transport/shm_pair.h"

/* Puts a packet into the ring that a correct node would not send. */
static void
forge(struct node *node, uint8_t type, uint64_t token, uint64_t status,
      size_t block_bytes, size_t payload_bytes)
{
	struct shm *shm = shm_inside(node);
	struct shm_packet packet =
		shm_packet_make(shm, STN_PACKET_EAGER, payload_bytes);
	struct iovec piece = { memory, payload_bytes };
	struct stn_pieces_walk walk = { .from = &piece };

	packet.packet.type = type;
	packet.block[0] = token;
	packet.block[1] = status;
	packet.block_bytes = block_bytes;
	if (!shm_put(shm, 1, &packet, &walk, payload_bytes))
		abort();
}

/* Does node 1 find exactly one more malformed packet? */
static bool
finds_malformed(struct node nodes[NODES])
{
	unsigned before = nodes[1].malformed;

	settle(&nodes[1]);
	return nodes[1].malformed == before + 1;
}

static void
test_broken_packets(void)
{
	struct node nodes[NODES];
	struct shm *shm;

	if (!pair_open(nodes))
		return;
	shm = shm_inside(&nodes[0]);
	forge(&nodes[0], STN_PACKET_DATA + 1, 1, 0, 8, 0);
	tap_ok(finds_malformed(nodes),
	       "a packet of an unknown type is malformed");
	shm->base.opening.rank = 1;
	forge(&nodes[0], STN_PACKET_EAGER, 0, 0, 0, 10);
	shm->base.opening.rank = 0;
	tap_ok(finds_malformed(nodes),
	       "a packet that names another sender is malformed");
	forge(&nodes[0], STN_PACKET_PULL, 1, 0, STN_PULL_BYTES, 0);
	tap_ok(finds_malformed(nodes),
	       "the pull of a payload that was never offered is malformed");
	forge(&nodes[0], STN_PACKET_DONE, 1, 0, 16, 0);
	tap_ok(finds_malformed(nodes), "so is its end");
	forge(&nodes[0], STN_PACKET_DATA, 1, 0, STN_DATA_BYTES, 100);
	tap_ok(finds_malformed(nodes),
	       "data that no node has asked for are malformed");
	post(&nodes[1], 0, LARGE);
	forge(&nodes[0], STN_PACKET_DONE, 1, 0, 16, 0);
	tap_ok(finds_malformed(nodes),
	       "the end of an offer that is not pulled yet is malformed");
	forge(&nodes[0], STN_PACKET_PULL, 1, 0, STN_PULL_BYTES, 0);
	forge(&nodes[0], STN_PACKET_PULL, 1, 0, STN_PULL_BYTES, 0);
	tap_ok(finds_malformed(nodes), "a second pull is malformed");
	forge(&nodes[0], STN_PACKET_DONE, 1, 1, 16, 0);
	tap_ok(finds_malformed(nodes), "a refusal after a pull is malformed");
	tap_ok(!nodes[1].done && !nodes[1].seen,
	       "malformed packets end no send, and no handler sees them");
	pair_close(nodes);
	tap_ok(nodes[1].done == 1, "closing ends the send");
}

static void
test_broken_data(void)
{
	struct node nodes[NODES];

	if (!pair_open(nodes))
		return;
	post(&nodes[0], 1, 20000);
	stn_transport_progress(nodes[1].transport);
	forge(&nodes[0], STN_PACKET_DATA, 1, 0, STN_DATA_BYTES, 20001);
	tap_ok(finds_malformed(nodes),
	       "more data than were offered are malformed");
	forge(&nodes[0], STN_PACKET_DATA, 2, 0, STN_DATA_BYTES, 20000);
	tap_ok(finds_malformed(nodes), "data of another offer are malformed");
	while (nodes[0].done < 1 || nodes[1].taken < 1) {
		stn_transport_progress(nodes[0].transport);
		stn_transport_progress(nodes[1].transport);
	}
	tap_ok(!nodes[0].lost, "the payload is taken all the same");
	pair_close(nodes);
}

static void
test_broken_ring(void)
{
	struct node nodes[NODES];
	struct shm_producer *out;
	uint64_t lie = UINT64_MAX;

	if (!pair_open(nodes))
		return;
	post(&nodes[0], 1, 10);
	post(&nodes[1], 0, LARGE);
	stn_transport_progress(nodes[1].transport);
	out = &shm_inside(&nodes[0])->peers[1].out;
	memcpy(out->bytes + out->head % SHM_RING_BYTES, &lie, sizeof(lie));
	tap_ok(finds_malformed(nodes) && nodes[1].dead == 1 &&
		       nodes[1].lost == 1,
	       "a node whose ring can't be read any further is reported dead");
	tap_ok(!stn_transport_progress(nodes[1].transport) &&
		       nodes[1].malformed == 1,
	       "its ring is not read again");
	pair_close(nodes);
}

static void
test_impostor(void)
{
	unsigned char address[STN_ADDRESS_BYTES];
	struct node nodes[NODES], impostor;
	struct stn_why why;
	size_t bytes;

	if (!pair_open(nodes) || !node_open(&impostor, 0))
		return;
	post(&nodes[0], 1, 10);
	bytes = stn_transport_address(nodes[1].transport, address);
	tap_ok(!connect_to(&impostor, 1, address, bytes, &why),
	       "an endpoint may connect to one that knows another endpoint by "
	       "the same rank");
	post(&impostor, 1, 10);
	stn_transport_progress(impostor.transport);
	settle(&nodes[1]);
	tap_ok(impostor.lost == 1 && impostor.dead == 1 &&
		       nodes[1].taken == 1 && !nodes[1].malformed,
	       "but can't send into the other endpoint's ring");
	node_close(&impostor);
	pair_close(nodes);
}

/* Offsets in an address; it begins with the identity that transport.c adds. */
#define AT_MAGIC STN_IDENTITY_BYTES
#define AT_TOKEN (AT_MAGIC + 8)
#define AT_NODES (AT_TOKEN + 16 + 12)
#define AT_HOST (AT_NODES + 4)

static void
test_addresses(void)
{
	unsigned char address[STN_ADDRESS_BYTES];
	struct node nodes[NODES], third;
	struct stn_why why;
	size_t bytes;

	if (!pair_open(nodes) || !node_open(&third, 0))
		return;
	bytes = stn_transport_address(nodes[1].transport, address);
	address[AT_HOST] ^= 1;
	tap_ok(connect_to(&third, 1, address, bytes, &why) == STN_INVALID &&
		       strstr(why.text, "another host"),
	       "an address on another host is refused: %s", why.text);
	address[AT_HOST] ^= 1;
	address[AT_NODES] ^= 1;
	tap_ok(connect_to(&third, 1, address, bytes, &why) == STN_INVALID &&
		       strstr(why.text, "another run"),
	       "an address of a run of another size is refused: %s", why.text);
	address[AT_NODES] ^= 1;
	address[AT_TOKEN] ^= 1;
	tap_ok(connect_to(&nodes[0], 1, address, bytes, &why) == STN_INVALID,
	       "a second address for a connected node is refused: %s",
	       why.text);
	tap_ok(!connect_to(&third, 1, address, bytes, &why),
	       "an address whose endpoint no longer exists is accepted at "
	       "first");
	post(&third, 1, 10);
	tap_ok(third.lost == 1, "a message sent to it is lost");
	node_close(&third);
	pair_close(nodes);
}

int
main(void)
{
	tap_begin();
	test_broken_packets();
	test_broken_data();
	test_broken_ring();
	test_impostor();
	test_addresses();
	return tap_end();
}
