/*
 * verbs_connect.c: establishes connections. Each endpoint creates a queue pair,
 * sends its number to the other endpoint in a CONNECT datagram, and connects it
 * to the other's queue pair. A CONNECT says whether its sender is connected,
 * and whether it wants an answer. Datagrams may be lost. So an endpoint that
 * doesn't know yet that the other one is connected repeats its CONNECT and asks
 * for an answer. If both endpoints begin at once, their first datagrams answer
 * each other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "transport/peers.h"
#include "transport/verbs/verbs.h"

#define VERBS_MAGIC 0x6273627265766eull /* "nverbsb", opens an address */

#define ASK_LEAST_NS 20000000ull /* before the first repetition */
#define ASK_MOST_NS 1000000000ull
#define PATIENCE_NS (30 * STN_SECOND_NS) /* if peers may be silent for ever */
#define READS_MOST 16 /* at the same time, on one connection */

/*
 * How long the hardware waits for an acknowledgement (4.096 µs * 2^17 = 0.54
 * s), and how often it repeats. It reports a dead peer after 3.8 s, or up to
 * four times as late, since it may wait longer than it is told to. With a
 * shorter time, it would repeat packets that only queue before a slow link.
 * transport/peers.c notices a dead node sooner. Soft RoCE takes 7 repetitions
 * to mean infinitely many.
 */
#define ACK_TIMEOUT 17
#define ACK_RETRIES 6

/*
 * If the receiver has no buffer ready, repeats every 0.64 ms, without an end.
 */
#define NO_BUFFER_RETRIES 7
#define NO_BUFFER_TIMER 12

bool
verbs_is_open(const struct verbs_peer *peer)
{
	return peer->joined && peer->peer_joined && !peer->broken &&
	       !peer->dead;
}

bool
verbs_is_connecting(const struct verbs_peer *peer)
{
	return (peer->pair || peer->failing_ns) && !peer->broken &&
	       !(peer->joined && peer->peer_joined);
}

void
verbs_set_pending(struct verbs *verbs, struct verbs_peer *peer)
{
	if (peer->pending)
		return;
	peer->pending = true;
	peer->next_pending = verbs->pending;
	verbs->pending = peer;
}

void
verbs_broken(struct verbs *verbs, struct verbs_peer *peer, const char *how)
{
	if (peer->broken || peer->dead)
		return;
	peer->broken = true;
	stn_peers_lost(&verbs->base, verbs_rank(verbs, peer), how);
}

static uint8_t
verbs_least(int a, int b)
{
	return (uint8_t)(a < b ? a : b);
}

/*
 * On Ethernet, between subnets, and if the port says so (a virtual function of
 * InfiniBand), a route must use the GID.
 */
static struct ibv_ah_attr
verbs_route_to(const struct verbs *verbs, const struct verbs_address *address)
{
	const union ibv_gid *mine = &verbs->port.gid.gid;
	bool global = address->link_layer == IBV_LINK_LAYER_ETHERNET ||
		      address->gid.global.subnet_prefix !=
			      mine->global.subnet_prefix ||
		      (verbs->port.attributes.flags & IBV_QPF_GRH_REQUIRED);

	return (struct ibv_ah_attr){
		.grh.dgid = address->gid,
		.grh.sgid_index = (uint8_t)verbs->port.gid.gid_index,
		.grh.hop_limit = 64,
		.dlid = address->lid,
		.is_global = global,
		.port_num = verbs->port.number,
	};
}

struct ibv_qp *
verbs_create_pair(struct verbs *verbs, uint32_t inline_bytes)
{
	struct ibv_qp_init_attr attributes = {
		.send_cq = verbs->sends.cq,
		.recv_cq = verbs->arrivals.cq,
		.srq = verbs->receives,
		.cap.max_send_wr = verbs->depth,
		.cap.max_send_sge = verbs->gathered,
		.cap.max_inline_data = inline_bytes,
		.qp_type = IBV_QPT_RC,
	};

	return verbs->library.create_qp(verbs->domain, &attributes);
}

/* Returns false, with errno, if the queue pair can't enter the new state. */
static bool
modify(struct verbs *verbs, struct ibv_qp *pair, struct ibv_qp_attr *attributes,
       int mask)
{
	int err = verbs->library.modify_qp(pair, attributes, mask);

	if (err)
		errno = err;
	return !err;
}

static bool
initialise(struct verbs *verbs, struct ibv_qp *pair)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_INIT,
		.port_num = verbs->port.number,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ,
	};

	return modify(verbs, pair, &attributes,
		      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			      IBV_QP_ACCESS_FLAGS);
}

static bool
make_pair(struct verbs *verbs, struct verbs_peer *peer)
{
	struct ibv_qp *pair;

	if (peer->pair)
		return true;
	if (getrandom(&peer->first, sizeof(peer->first), 0) < 0)
		return false;
	peer->first &= 0xffffff;
	if (!peer->in_flight)
		peer->in_flight = stn_or_abort(
			calloc(verbs->depth, sizeof(peer->in_flight[0])));
	pair = verbs_create_pair(verbs, verbs->inline_bytes);
	if (pair && !initialise(verbs, pair)) {
		int err = errno;

		verbs->library.destroy_qp(pair);
		errno = err;
		return false;
	}
	peer->pair = pair;
	return pair;
}

/* How many reads this endpoint serves at the same time. */
static uint8_t
verbs_reads(const struct verbs *verbs)
{
	return verbs_least(verbs->port.device.max_qp_rd_atom, READS_MOST);
}

static bool
ready_to_receive(struct verbs *verbs, struct verbs_peer *peer)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_RTR,
		.ah_attr = verbs_route_to(verbs, &peer->address),
		.path_mtu = verbs_least(verbs->port.attributes.active_mtu,
					peer->address.mtu),
		.dest_qp_num = peer->theirs,
		.rq_psn = peer->their_first,
		.max_dest_rd_atomic = verbs_reads(verbs),
		.min_rnr_timer = NO_BUFFER_TIMER,
	};

	return modify(verbs, peer->pair, &attributes,
		      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			      IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static bool
ready_to_send(struct verbs *verbs, struct verbs_peer *peer)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = peer->first,
		.timeout = ACK_TIMEOUT,
		.retry_cnt = ACK_RETRIES,
		.rnr_retry = NO_BUFFER_RETRIES,
		.max_rd_atomic = verbs_least(
			verbs_least(verbs->port.device.max_qp_init_rd_atom,
				    READS_MOST),
			peer->address.reads),
	};

	/*
	 * A read too many would stop the queue, and messages behind it. Half of
	 * the queue is left to messages.
	 */
	peer->reads_most =
		verbs_least(attributes.max_rd_atomic, (int)verbs->depth / 2);
	return modify(verbs, peer->pair, &attributes,
		      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			      IBV_QP_MAX_QP_RD_ATOMIC);
}

static struct verbs_address
verbs_own_address(const struct verbs *verbs)
{
	const struct verbs_port *port = &verbs->port;

	return (struct verbs_address){
		.magic = VERBS_MAGIC,
		.gid = port->gid.gid,
		.connector = verbs->connector->qp_num,
		.key = verbs->key,
		.lid = port->attributes.lid,
		.link_layer = port->attributes.link_layer,
		.gid_type = (uint8_t)port->gid.gid_type,
		.mtu = (uint8_t)port->attributes.active_mtu,
		.reads = verbs_reads(verbs),
	};
}

size_t
verbs_address(struct stn_transport *transport,
	      unsigned char address[STN_ADDRESS_BYTES])
{
	struct verbs_address mine = verbs_own_address(verbs_of(transport));

	memcpy(address, &mine, sizeof(mine));
	return sizeof(mine);
}

/* Sends the state of this end to the peer. The datagram may be lost. */
static void
verbs_send_connect(struct verbs *verbs, struct verbs_peer *peer)
{
	unsigned char *at = verbs->datagrams_out +
			    (size_t)(verbs->datagrams_sent % VERBS_DATAGRAMS) *
				    VERBS_DATAGRAM_ROOM;
	struct stn_packet packet = stn_packet_make(verbs->base.opening.rank,
						   STN_PACKET_CONNECT, 0, 0, 0);
	struct stn_connect_block block = { peer->pair->qp_num,
					   peer->first,
					   peer->joined,
					   !peer->peer_joined,
					   { 0 } };
	const struct verbs_address mine = verbs_own_address(verbs);
	struct ibv_sge entry = { (uintptr_t)at, VERBS_DATAGRAM_BYTES,
				 verbs->region->lkey };
	struct ibv_send_wr *bad, work = {
		.wr_id = VERBS_CONNECTOR,
		.sg_list = &entry,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};

	if (verbs->datagrams_sent - verbs->datagrams_completed ==
	    VERBS_DATAGRAMS)
		return;
	memcpy(block.address, &mine, sizeof(mine));
	memcpy(mempcpy(at, &packet, sizeof(packet)), &block, sizeof(block));
	work.wr.ud.ah = peer->route;
	work.wr.ud.remote_qpn = peer->address.connector;
	work.wr.ud.remote_qkey = peer->address.key;
	if (!ibv_post_send(verbs->connector, &work, &bad))
		verbs->datagrams_sent++;
}

static bool
verbs_has_route(struct verbs *verbs, struct verbs_peer *peer)
{
	struct ibv_ah_attr attributes = verbs_route_to(verbs, &peer->address);

	if (!peer->route)
		peer->route =
			verbs->library.create_ah(verbs->domain, &attributes);
	return peer->route;
}

/* Does what can be done now. Returns the step that failed, with errno. */
static const char *
take_steps(struct verbs *verbs, struct verbs_peer *peer)
{
	if (!make_pair(verbs, peer))
		return "making a queue pair";
	if (!verbs_has_route(verbs, peer))
		return "finding a route";
	if (!peer->heard || peer->joined)
		return NULL;
	if (!peer->receives && !ready_to_receive(verbs, peer))
		return "preparing to receive";
	peer->receives = true;
	if (!ready_to_send(verbs, peer))
		return "preparing to send";
	peer->joined = true;
	return NULL;
}

/*
 * A step that fails says nothing about the peer: this node may be short of
 * memory, or the answer to an address resolution was lost. So verbs_establish
 * takes the step again. The connection counts as broken before the peer counts
 * as silent, so that the reason is reported.
 */
static void
try_steps(struct verbs *verbs, struct verbs_peer *peer)
{
	uint64_t silence_ns = verbs->base.opening.silence_ns;
	uint64_t patience_ns = silence_ns ? silence_ns / 4 * 3 : PATIENCE_NS;
	const char *step = take_steps(verbs, peer);
	int err = errno;
	uint64_t now = stn_machine_now(&verbs->base);

	if (!step) {
		peer->failing_ns = 0;
		return;
	}
	if (!peer->failing_ns)
		peer->failing_ns = now;
	if (now - peer->failing_ns < patience_ns)
		return;
	snprintf(peer->failure, sizeof(peer->failure),
		 "no connection to it can be made: %s failed: %s", step,
		 strerror(err));
	verbs_broken(verbs, peer, peer->failure);
}

void
verbs_establish(struct verbs *verbs, struct verbs_peer *peer)
{
	if (!peer->known || peer->broken ||
	    stn_machine_now(&verbs->base) < peer->resend_ns)
		return;
	try_steps(verbs, peer);
	if (peer->pair && peer->route)
		verbs_send_connect(verbs, peer);
	if (!peer->interval_ns)
		peer->interval_ns = ASK_LEAST_NS;
	peer->resend_ns = stn_machine_now(&verbs->base) + peer->interval_ns;
	if (peer->interval_ns < ASK_MOST_NS)
		peer->interval_ns *= 2;
}

/*
 * Handles a peer's CONNECT, which may be the first one for this connection. If
 * a step has failed, verbs_establish takes it again.
 */
static void
handle_connect(struct verbs *verbs, struct verbs_peer *peer,
	       const struct stn_connect_block *block)
{
	if (peer->heard && peer->theirs != block->pair) {
		stn_packet_malformed(&verbs->base.opening,
				     verbs_rank(verbs, peer));
		return;
	}
	peer->heard = true;
	peer->theirs = block->pair;
	peer->their_first = block->first;
	if (block->joined)
		peer->peer_joined = true;
	if (!peer->joined && !peer->failing_ns) {
		try_steps(verbs, peer);
		peer->resend_ns = stn_machine_now(&verbs->base) + ASK_LEAST_NS;
	}
	if (block->asks && peer->pair && peer->route)
		verbs_send_connect(verbs, peer);
	verbs_set_pending(verbs, peer);
}

enum stn_err
verbs_connect(struct stn_transport *transport, uint32_t rank,
	      const unsigned char *address, size_t bytes, struct stn_why *why)
{
	struct verbs *verbs = verbs_of(transport);
	const struct verbs_port *port = &verbs->port;
	struct verbs_address theirs;
	enum stn_err err;

	memcpy(&theirs, address, bytes);
	if (theirs.magic != VERBS_MAGIC)
		return stn_because(why, STN_INVALID,
				   "node %u's address is none of the verbs "
				   "transport; use one transport on all nodes",
				   rank);
	if (theirs.link_layer != port->attributes.link_layer ||
	    theirs.gid_type != port->gid.gid_type)
		return stn_because(why, STN_INVALID,
				   "node %u uses another kind of network; name "
				   "each node's card by --device",
				   rank);
	err = verbs_port_reaches(port, verbs->base.opening.rank, rank,
				 &theirs.gid, why);
	if (err)
		return err;
	verbs->peers[rank].address = theirs;
	verbs->peers[rank].known = true;
	return STN_OK;
}

/* A CONNECT contains its sender's address, in case that is not known yet. */
static bool
knows(struct verbs *verbs, uint32_t rank, const struct stn_connect_block *block)
{
	struct stn_why why;

	return verbs->peers[rank].known ||
	       !verbs_connect(&verbs->base, rank, block->address,
			      sizeof(block->address), &why);
}

static void
parse_datagram(struct verbs *verbs, const unsigned char *bytes, size_t size,
	       uint32_t connector)
{
	struct stn_parsed parsed;
	struct verbs_peer *peer;
	enum stn_err err = stn_packet_parse_connect(bytes, size,
						    verbs->base.nodes, &parsed);

	peer = &verbs->peers[parsed.packet.from];
	if (err || !knows(verbs, parsed.packet.from, &parsed.connect) ||
	    peer->address.connector != connector)
		stn_packet_malformed(&verbs->base.opening, parsed.packet.from);
	else if (!peer->broken && !peer->dead)
		handle_connect(verbs, peer, &parsed.connect);
}

void
verbs_datagram_received(struct verbs *verbs, const struct ibv_wc *completion)
{
	uint32_t buffer = (uint32_t)completion->wr_id;
	const unsigned char *bytes =
		verbs->datagrams_in + (size_t)buffer * VERBS_DATAGRAM_ROOM;

	if (!completion->status && completion->byte_len >= VERBS_ROUTE_BYTES)
		parse_datagram(verbs, bytes + VERBS_ROUTE_BYTES,
			       completion->byte_len - VERBS_ROUTE_BYTES,
			       completion->src_qp);
	verbs_post_datagram(verbs, buffer);
}

int
verbs_post_datagram(struct verbs *verbs, uint32_t buffer)
{
	struct ibv_sge entry = {
		.addr = (uintptr_t)verbs->datagrams_in +
			(uintptr_t)buffer * VERBS_DATAGRAM_ROOM,
		.length = VERBS_DATAGRAM_ROOM,
		.lkey = verbs->region->lkey,
	};
	struct ibv_recv_wr *bad, work = {
		.wr_id = VERBS_CONNECTOR | buffer,
		.sg_list = &entry,
		.num_sge = 1,
	};

	return ibv_post_recv(verbs->connector, &work, &bad);
}

void
verbs_disconnect(struct verbs *verbs, struct verbs_peer *peer)
{
	if (peer->pair)
		verbs->library.destroy_qp(peer->pair);
	if (peer->route)
		verbs->library.destroy_ah(peer->route);
	peer->pair = NULL;
	peer->route = NULL;
	peer->joined = peer->peer_joined = false;
	peer->failing_ns = 0;
}
