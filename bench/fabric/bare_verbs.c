/*
 * bare_verbs.c: one reliable connection (RC) over InfiniBand or RoCE; its
 * completion queue is polled. Sends are inline where they fit. Streams go by
 * plain sends, or by RDMA reads: the sender sends a note, the receiver reads
 * the payload and sends a note back. The port is the one that the transport
 * verbs chooses.
 */
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>

#include "bench/fabric/bare.h"
#include "transport/verbs/verbs_device.h"

#define RECEIVES 64
#define SENDS (2 * PATH_WINDOW + 8)
#define ENTRIES 8
#define INLINE_BYTES 128
#define READS 16 /* RDMA reads under way; most devices allow 16 */

enum { RECEIVE, SEND, READ }; /* kinds of work requests, in wr_id */

struct verbs_address {
	uint64_t at;	 /* memory that the peer may read */
	uint32_t key;	 /* of that memory */
	uint32_t number; /* of the queue pair */
	uint16_t lid, mtu;
	union ibv_gid gid;
};

struct verbs {
	struct path base;
	struct verbs_port port;
	struct ibv_pd *domain;
	struct ibv_cq *queue;
	struct ibv_qp *pair;
	struct ibv_mr *region_out, *region_in;
	uint32_t inline_bytes;
	struct verbs_address peer;
	uint32_t receive_bytes;
	size_t received, expected; /* messages */
	size_t under_way;	   /* sends and reads */
	size_t reads;		   /* completed reads */
};

static struct verbs *
verbs_of(struct path *path)
{
	return (struct verbs *)path;
}

static void
verbs_close(struct path *path)
{
	struct verbs *verbs = verbs_of(path);

	if (verbs->pair)
		ibv_destroy_qp(verbs->pair);
	if (verbs->region_in)
		ibv_dereg_mr(verbs->region_in);
	if (verbs->region_out)
		ibv_dereg_mr(verbs->region_out);
	if (verbs->queue)
		ibv_destroy_cq(verbs->queue);
	if (verbs->domain)
		ibv_dealloc_pd(verbs->domain);
	if (verbs->port.context)
		ibv_close_device(verbs->port.context);
}

static bool
register_memory(struct verbs *verbs)
{
	struct path *path = &verbs->base;

	verbs->region_out = ibv_reg_mr(verbs->domain, path->out, path->most,
				       IBV_ACCESS_REMOTE_READ);
	verbs->region_in = ibv_reg_mr(verbs->domain, path->in, path->most,
				      IBV_ACCESS_LOCAL_WRITE);
	return verbs->region_out && verbs->region_in;
}

static bool
create_pair(struct verbs *verbs)
{
	struct ibv_qp_init_attr wanted = {
		.send_cq = verbs->queue,
		.recv_cq = verbs->queue,
		.cap = { .max_send_wr = SENDS,
			 .max_recv_wr = RECEIVES,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = INLINE_BYTES },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_INIT,
		.port_num = verbs->port.number,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ,
	};

	verbs->pair = ibv_create_qp(verbs->domain, &wanted);
	if (!verbs->pair)
		return false;
	verbs->inline_bytes = wanted.cap.max_inline_data;
	return !ibv_modify_qp(verbs->pair, &attributes,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				      IBV_QP_ACCESS_FLAGS);
}

static int
post_receive(struct verbs *verbs)
{
	struct ibv_sge piece = { (uintptr_t)verbs->base.in,
				 verbs->receive_bytes, verbs->region_in->lkey };
	struct ibv_recv_wr wish = { .wr_id = RECEIVE,
				    .sg_list = &piece,
				    .num_sge = 1 };
	struct ibv_recv_wr *bad;

	return ibv_post_recv(verbs->pair, &wish, &bad);
}

static bool
open_objects(struct verbs *verbs)
{
	verbs->domain = ibv_alloc_pd(verbs->port.context);
	verbs->queue = ibv_create_cq(verbs->port.context, SENDS + RECEIVES,
				     NULL, NULL, 0);
	if (!verbs->domain || !verbs->queue || !register_memory(verbs) ||
	    !create_pair(verbs))
		return false;
	for (unsigned i = 0; i < RECEIVES; i++)
		if (post_receive(verbs))
			return false;
	return true;
}

static enum stn_err
verbs_open(struct path *path, const struct path_opening *opening,
	   struct stn_why *why)
{
	struct verbs *verbs = verbs_of(path);
	struct verbs_library library;
	enum stn_err err = verbs_library_load(&library, why);

	verbs->receive_bytes =
		path->ops->notes ? PATH_NOTE_BYTES : (uint32_t)opening->most;
	if (!err)
		err = verbs_port_open(&library, opening->device, &verbs->port,
				      why);
	if (err)
		return err;
	if (!open_objects(verbs))
		return stn_because(why, STN_IO,
				   "can't be opened; does `ulimit "
				   "-l` allow it?");
	return STN_OK;
}

static size_t
verbs_address(struct path *path, unsigned char address[PATH_ADDRESS_BYTES])
{
	const struct verbs *verbs = verbs_of(path);
	const struct verbs_address mine = {
		.at = (uintptr_t)path->out,
		.key = verbs->region_out->rkey,
		.number = verbs->pair->qp_num,
		.lid = verbs->port.attributes.lid,
		.mtu = (uint16_t)verbs->port.attributes.active_mtu,
		.gid = verbs->port.gid.gid,
	};

	memcpy(address, &mine, sizeof(mine));
	return sizeof(mine);
}

/* Moves the queue pair to "ready to receive", with the peer's address. */
static int
aim(struct verbs *verbs)
{
	const struct verbs_address *peer = &verbs->peer;
	enum ibv_mtu mtu = verbs->port.attributes.active_mtu;
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = peer->mtu < mtu ? (enum ibv_mtu)peer->mtu : mtu,
		.dest_qp_num = peer->number,
		.max_dest_rd_atomic = READS,
		.min_rnr_timer = 1,
		.ah_attr = { .dlid = peer->lid,
			     .port_num = verbs->port.number },
	};

	if (verbs->port.attributes.link_layer == IBV_LINK_LAYER_ETHERNET) {
		attributes.ah_attr.is_global = 1;
		attributes.ah_attr.grh.dgid = peer->gid;
		attributes.ah_attr.grh.sgid_index =
			(uint8_t)verbs->port.gid.gid_index;
		attributes.ah_attr.grh.hop_limit = 64;
	}
	return ibv_modify_qp(verbs->pair, &attributes,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				     IBV_QP_MAX_DEST_RD_ATOMIC |
				     IBV_QP_MIN_RNR_TIMER);
}

/*
 * Moves the queue pair to "ready to send". rnr_retry 7 means: retry for ever
 * while the receiver has no receive posted.
 */
static int
load(struct verbs *verbs)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = READS,
	};

	return ibv_modify_qp(verbs->pair, &attributes,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC);
}

static enum stn_err
verbs_connect(struct path *path, const unsigned char *address, size_t bytes,
	      struct stn_why *why)
{
	struct verbs *verbs = verbs_of(path);
	int err;

	memcpy(&verbs->peer, address, bytes);
	err = aim(verbs);
	if (!err)
		err = load(verbs);
	return err ? stn_because(why, STN_IO, "can't connect: %s",
				 strerror(err))
		   : STN_OK;
}

static void
complete(struct verbs *verbs, const struct ibv_wc *entry)
{
	if (entry->status != IBV_WC_SUCCESS)
		path_fail(&verbs->base, "%s", ibv_wc_status_str(entry->status));
	path_advance(&verbs->base);
	if (entry->wr_id == RECEIVE) {
		if (post_receive(verbs))
			path_fail(&verbs->base, "can't post a receive");
		verbs->received++;
		return;
	}
	verbs->under_way--;
	verbs->reads += entry->wr_id == READ;
}

static void
poll_queue(struct verbs *verbs)
{
	struct ibv_wc entries[ENTRIES];
	int got = ibv_poll_cq(verbs->queue, ENTRIES, entries);

	if (got < 0)
		path_fail(&verbs->base, "the queue of completions failed");
	for (int i = 0; i < got; i++)
		complete(verbs, &entries[i]);
	path_spin(&verbs->base);
}

static void
post(struct verbs *verbs, struct ibv_send_wr *wish, void *at, uint32_t key,
     size_t bytes)
{
	struct ibv_sge piece = { (uintptr_t)at, (uint32_t)bytes, key };
	struct ibv_send_wr *bad;

	wish->sg_list = &piece;
	wish->num_sge = 1;
	if (ibv_post_send(verbs->pair, wish, &bad))
		path_fail(&verbs->base, "can't post");
	verbs->under_way++;
}

static void
put(struct verbs *verbs, size_t bytes)
{
	struct ibv_send_wr wish = { .wr_id = SEND, .opcode = IBV_WR_SEND };

	while (verbs->under_way >= PATH_WINDOW)
		poll_queue(verbs);
	if (bytes <= verbs->inline_bytes)
		wish.send_flags = IBV_SEND_INLINE;
	post(verbs, &wish, verbs->base.out, verbs->region_out->lkey, bytes);
}

/* Waits for @count more messages. */
static void
get(struct verbs *verbs, size_t count)
{
	verbs->expected += count;
	while (verbs->received < verbs->expected)
		poll_queue(verbs);
}

static void
send_ping(struct path *path, size_t bytes)
{
	put(verbs_of(path), bytes);
	get(verbs_of(path), 1);
}

static void
send_pong(struct path *path, size_t bytes)
{
	get(verbs_of(path), 1);
	put(verbs_of(path), bytes);
}

static void
send_stream(struct path *path, size_t bytes, size_t count)
{
	while (count--)
		put(verbs_of(path), bytes);
	get(verbs_of(path), 1);
}

static void
send_drain(struct path *path, size_t bytes, size_t count)
{
	(void)bytes;
	get(verbs_of(path), count);
	put(verbs_of(path), 1);
}

static void
read_payload(struct verbs *verbs, size_t bytes)
{
	struct ibv_send_wr wish = {
		.wr_id = READ,
		.opcode = IBV_WR_RDMA_READ,
		.wr.rdma = { verbs->peer.at, verbs->peer.key },
	};

	post(verbs, &wish, verbs->base.in, verbs->region_in->lkey, bytes);
}

/* Keeps a window of notes out: sends one more for each that comes back. */
static void
read_stream(struct path *path, size_t bytes, size_t count)
{
	struct verbs *verbs = verbs_of(path);

	(void)bytes;
	for (size_t i = 0; i < count; i++) {
		if (i >= PATH_WINDOW)
			get(verbs, 1);
		put(verbs, PATH_NOTE_BYTES);
	}
	get(verbs, count < PATH_WINDOW ? count : PATH_WINDOW);
}

static void
read_drain(struct path *path, size_t bytes, size_t count)
{
	struct verbs *verbs = verbs_of(path);
	size_t begun = 0, told = 0, first = verbs->expected;

	verbs->reads = 0;
	while (told < count) {
		for (; first + begun < verbs->received && begun < count;
		     begun++)
			read_payload(verbs, bytes);
		for (; told < verbs->reads; told++)
			put(verbs, PATH_NOTE_BYTES);
		poll_queue(verbs);
	}
	verbs->expected += count;
}

const struct path_ops bare_verbs_send = {
	.name = "verbs send",
	.messages = true,
	.payloads = true,
	.bytes = sizeof(struct verbs),
	.open = verbs_open,
	.close = verbs_close,
	.address = verbs_address,
	.address_bytes = sizeof(struct verbs_address),
	.connect = verbs_connect,
	.ping = send_ping,
	.pong = send_pong,
	.stream = send_stream,
	.drain = send_drain,
};

const struct path_ops bare_verbs_read = {
	.name = "verbs read",
	.payloads = true,
	.notes = true,
	.bytes = sizeof(struct verbs),
	.open = verbs_open,
	.close = verbs_close,
	.address = verbs_address,
	.address_bytes = sizeof(struct verbs_address),
	.connect = verbs_connect,
	.stream = read_stream,
	.drain = read_drain,
};
