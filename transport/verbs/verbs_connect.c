/*
 * verbs_connect.c: how two endpoints come to a connection. Each makes a pair
 * of queues, tells the other its number by a datagram, and joins it with the
 * other's. Datagrams get lost, so each is repeated until it is known to have
 * been understood: who does not know yet that the other has joined its pair
 * asks, and who is asked answers. Both may begin at once; then the first
 * datagrams are each other's answers.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "transport/verbs/verbs.h"

#define ASK_LEAST_NS 20000000ull /* before one asks again; then longer */
#define ASK_MOST_NS 1000000000ull
#define READS_MOST 16 /* at once, on one connection */

/*
 * How long one waits for an acknowledgement, 4.096 µs * 2^this = 0.54 s, and
 * how often one tries again. So a peer that is gone is noticed after 3.8 s (or
 * up to four times as long: the hardware may wait longer than it is told to).
 * Less would repeat in vain what queues before a slow link; and a node that
 * dies is noticed sooner by transport/peers.c. To soft-RoCE seven times would
 * mean for ever.
 */
#define ACK_TIMEOUT 17
#define ACK_RETRIES 6

/* For ever does one try again, after 0.64 ms, where no buffer is ready. */
#define NO_BUFFER_RETRIES 7
#define NO_BUFFER_TIMER 12

bool
verbs_is_open(const struct verbs_peer *peer)
{
	return peer->joined && peer->met && !peer->broken && !peer->dead;
}

bool
verbs_joining(const struct verbs_peer *peer)
{
	return peer->pair && !peer->broken && !(peer->joined && peer->met);
}

static uint8_t
least(int a, int b)
{
	return (uint8_t)(a < b ? a : b);
}

/* On Ethernet there is no other way than by GID; nor between subnets. */
static struct ibv_ah_attr
route_to(const struct verbs *verbs, const struct verbs_address *address)
{
	const union ibv_gid *mine = &verbs->port.gid.gid;
	bool global =
		address->link_layer == IBV_LINK_LAYER_ETHERNET ||
		address->gid.global.subnet_prefix != mine->global.subnet_prefix;

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

static bool
initialise(struct verbs *verbs, struct verbs_peer *peer)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_INIT,
		.port_num = verbs->port.number,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ,
	};

	return !verbs->library.modify_qp(peer->pair, &attributes,
					 IBV_QP_STATE | IBV_QP_PKEY_INDEX |
						 IBV_QP_PORT |
						 IBV_QP_ACCESS_FLAGS);
}

static bool
make_pair(struct verbs *verbs, struct verbs_peer *peer)
{
	if (peer->pair)
		return true;
	if (getrandom(&peer->first, sizeof(peer->first), 0) < 0)
		return false;
	peer->first &= 0xffffff;
	peer->interval_ns = ASK_LEAST_NS;
	peer->flights = calloc(verbs->depth, sizeof(struct verbs_op *));
	if (!peer->flights)
		abort();
	peer->pair = verbs_create_pair(verbs, verbs->inline_bytes);
	return peer->pair && initialise(verbs, peer);
}

static bool
ready_to_receive(struct verbs *verbs, struct verbs_peer *peer,
		 const struct stn_connect_block *block)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_RTR,
		.ah_attr = route_to(verbs, &peer->address),
		.path_mtu = least(verbs->port.attributes.active_mtu,
				  peer->address.mtu),
		.dest_qp_num = block->pair,
		.rq_psn = block->first,
		.max_dest_rd_atomic = verbs_reads(verbs),
		.min_rnr_timer = NO_BUFFER_TIMER,
	};

	return !verbs->library.modify_qp(
		peer->pair, &attributes,
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			IBV_QP_MIN_RNR_TIMER);
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
		.max_rd_atomic =
			least(least(verbs->port.device.max_qp_init_rd_atom,
				    READS_MOST),
			      peer->address.reads),
	};

	return !verbs->library.modify_qp(
		peer->pair, &attributes,
		IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC);
}

uint8_t
verbs_reads(const struct verbs *verbs)
{
	return least(verbs->port.device.max_qp_rd_atom, READS_MOST);
}

/* Writes what our end knows into a buffer, and sends it. May fail silently. */
static void
greet(struct verbs *verbs, struct verbs_peer *peer)
{
	unsigned char *at = verbs->said_memory +
			    (size_t)(verbs->greeted % VERBS_GREETINGS) *
				    VERBS_GREETING_ROOM;
	struct stn_packet packet = stn_packet_make(verbs->opening.rank,
						   STN_PACKET_CONNECT, 0, 0, 0);
	struct stn_connect_block block = {
		peer->pair->qp_num, peer->first, peer->joined, !peer->met, { 0 }
	};
	const struct verbs_address mine = verbs_own_address(verbs);
	struct ibv_sge entry = { (uintptr_t)at, VERBS_GREETING_BYTES,
				 verbs->region->lkey };
	struct ibv_send_wr *bad, work = {
		.wr_id = VERBS_GREETER,
		.sg_list = &entry,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};

	if (verbs->greeted - verbs->greetings == VERBS_GREETINGS)
		return;
	memcpy(block.address, &mine, sizeof(mine));
	memcpy(mempcpy(at, &packet, sizeof(packet)), &block, sizeof(block));
	work.wr.ud.ah = peer->route;
	work.wr.ud.remote_qpn = peer->address.greeter;
	work.wr.ud.remote_qkey = peer->address.key;
	if (!ibv_post_send(verbs->greeter, &work, &bad))
		verbs->greeted++;
}

static bool
has_route(struct verbs *verbs, struct verbs_peer *peer)
{
	struct ibv_ah_attr attributes = route_to(verbs, &peer->address);

	if (!peer->route)
		peer->route =
			verbs->library.create_ah(verbs->domain, &attributes);
	return peer->route;
}

void
verbs_join(struct verbs *verbs, struct verbs_peer *peer)
{
	uint64_t now = stn_machine_now(&verbs->base);

	if (!peer->known || peer->broken || now < peer->greet_ns)
		return;
	if (!make_pair(verbs, peer)) {
		verbs_broken(verbs, peer, "no connection to it can be made");
		return;
	}
	if (has_route(verbs, peer))
		greet(verbs, peer);
	peer->greet_ns = now + peer->interval_ns;
	if (peer->interval_ns < ASK_MOST_NS)
		peer->interval_ns *= 2;
}

/* What a peer says of its end. If we have none yet, it is the first to ask. */
static void
hear(struct verbs *verbs, struct verbs_peer *peer,
     const struct stn_connect_block *block)
{
	if (peer->joined && peer->theirs != block->pair) {
		verbs_malformed(verbs, verbs_rank(verbs, peer));
		return;
	}
	if (!peer->joined) {
		if (!make_pair(verbs, peer) ||
		    !ready_to_receive(verbs, peer, block) ||
		    !ready_to_send(verbs, peer)) {
			verbs_broken(verbs, peer,
				     "no connection to it can be made");
			return;
		}
		peer->joined = true;
		peer->theirs = block->pair;
		peer->greet_ns = stn_machine_now(&verbs->base) + ASK_LEAST_NS;
	}
	if (block->joined)
		peer->met = true;
	if (block->asks && has_route(verbs, peer))
		greet(verbs, peer);
	verbs_attend(verbs, peer);
}

/* Whom we have not met yet says itself where it is. */
static bool
knows(struct verbs *verbs, uint32_t rank, const struct stn_connect_block *block)
{
	struct stn_why why;

	return verbs->peers[rank].known ||
	       !verbs_meet(verbs, rank, block->address, &why);
}

static void
parse_heard(struct verbs *verbs, const unsigned char *bytes, size_t size,
	    uint32_t greeter)
{
	struct stn_parsed parsed;
	struct verbs_peer *peer;
	enum stn_err err = stn_packet_parse_connect(
		bytes, size, verbs->opening.topology->nodes, &parsed);

	peer = &verbs->peers[parsed.packet.from];
	if (err || !knows(verbs, parsed.packet.from, &parsed.connect) ||
	    peer->address.greeter != greeter)
		verbs_malformed(verbs, parsed.packet.from);
	else if (!peer->broken && !peer->dead)
		hear(verbs, peer, &parsed.connect);
}

void
verbs_heard(struct verbs *verbs, const struct ibv_wc *completion)
{
	uint32_t buffer = (uint32_t)completion->wr_id;
	const unsigned char *bytes =
		verbs->heard_memory + (size_t)buffer * VERBS_GREETING_ROOM;

	if (!completion->status && completion->byte_len >= VERBS_ROUTE_BYTES)
		parse_heard(verbs, bytes + VERBS_ROUTE_BYTES,
			    completion->byte_len - VERBS_ROUTE_BYTES,
			    completion->src_qp);
	verbs_post_heard(verbs, buffer);
}

int
verbs_post_heard(struct verbs *verbs, uint32_t buffer)
{
	struct ibv_sge entry = {
		.addr = (uintptr_t)verbs->heard_memory +
			(uintptr_t)buffer * VERBS_GREETING_ROOM,
		.length = VERBS_GREETING_ROOM,
		.lkey = verbs->region->lkey,
	};
	struct ibv_recv_wr *bad, work = {
		.wr_id = VERBS_GREETER | buffer,
		.sg_list = &entry,
		.num_sge = 1,
	};

	return ibv_post_recv(verbs->greeter, &work, &bad);
}

void
verbs_disjoin(struct verbs *verbs, struct verbs_peer *peer)
{
	if (peer->pair)
		verbs->library.destroy_qp(peer->pair);
	if (peer->route)
		verbs->library.destroy_ah(peer->route);
	peer->pair = NULL;
	peer->route = NULL;
	peer->joined = peer->met = false;
}
