/*
 * verbs_open.c: opens and closes an endpoint of an RDMA device.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "transport/verbs/verbs.h"

#define VERBS_MAGIC 0x6273627265766eull /* "nverbsb" */
#define INLINE_MOST 256 /* more would make all of a queue's entries larger */
#define INLINE_LEAST 32

/* Sends under way to all nodes, as far as each has these bounds. */
#define SENDS_MOST 16384
#define DEPTH_MOST 64
#define DEPTH_LEAST 16

/* Buffers that wait for messages: those of all nodes, within these bounds. */
#define RECEIVES_LEAST 64
#define RECEIVES_MOST 512

static uint32_t
clamp(uint32_t value, uint32_t least, uint32_t most)
{
	return value < least ? least : value > most ? most : value;
}

static enum stn_err
failed(const struct verbs *verbs, const char *what, int err,
       struct stn_why *why)
{
	const char *device = verbs->port.context->device->name;

	if (err == ENOMEM)
		return stn_because(why, STN_NO_MEMORY,
				   "%s: %s failed: too little memory may be "
				   "locked; raise that limit: `ulimit -l "
				   "unlimited`",
				   device, what);
	return stn_because(why, STN_IO, "%s: %s failed: %s", device, what,
			   strerror(err));
}

/*
 * The completion queues must hold whatever may complete: one that overflows
 * breaks all connections.
 */
static enum stn_err
choose_sizes(struct verbs *verbs, struct stn_why *why)
{
	const struct ibv_device_attr *device = &verbs->port.device;
	uint32_t nodes = verbs->opening.topology->nodes;
	uint32_t entries = (uint32_t)device->max_cqe;

	verbs->depth = clamp(SENDS_MOST / nodes, DEPTH_LEAST, DEPTH_MOST);
	verbs->receive_count =
		clamp(nodes * verbs->depth, RECEIVES_LEAST, RECEIVES_MOST);
	verbs->receive_count =
		clamp(verbs->receive_count, 1, (uint32_t)device->max_srq_wr);
	verbs->gathered = clamp((uint32_t)device->max_sge, 1, VERBS_PIECES);
	if ((uint64_t)nodes * verbs->depth + VERBS_GREETINGS <= entries)
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "%s: its queues of %u entries are too short for %u "
			   "nodes; run fewer",
			   verbs->port.context->device->name, entries, nodes);
}

static struct ibv_cq *
open_queue(struct verbs *verbs, struct verbs_queue *queue, uint32_t entries)
{
	queue->cq = verbs->library.create_cq(verbs->port.context, (int)entries,
					     queue, verbs->channel, 0);
	return queue->cq;
}

static enum stn_err
open_queues(struct verbs *verbs, struct stn_why *why)
{
	const struct verbs_library *library = &verbs->library;
	uint32_t sends = verbs->opening.topology->nodes * verbs->depth;
	struct ibv_srq_init_attr shared = {
		.attr.max_wr = verbs->receive_count,
		.attr.max_sge = 1,
	};

	verbs->domain = library->alloc_pd(verbs->port.context);
	if (!verbs->domain)
		return failed(verbs, "ibv_alloc_pd", errno, why);
	verbs->channel = library->create_comp_channel(verbs->port.context);
	if (!verbs->channel || fcntl(verbs->channel->fd, F_SETFL, O_NONBLOCK) ||
	    fcntl(verbs->channel->fd, F_SETFD, FD_CLOEXEC))
		return failed(verbs, "ibv_create_comp_channel", errno, why);
	if (!open_queue(verbs, &verbs->arrivals,
			verbs->receive_count + VERBS_GREETINGS) ||
	    !open_queue(verbs, &verbs->sends, sends + VERBS_GREETINGS))
		return failed(verbs, "ibv_create_cq", errno, why);
	verbs->receives = library->create_srq(verbs->domain, &shared);
	if (!verbs->receives)
		return failed(verbs, "ibv_create_srq", errno, why);
	return STN_OK;
}

/* Devices differ in how much they take inline, and say so only by refusing. */
static enum stn_err
probe_inline(struct verbs *verbs, struct stn_why *why)
{
	uint32_t bytes = INLINE_MOST;
	struct ibv_qp *pair;

	while (!(pair = verbs_create_pair(verbs, bytes)) && bytes)
		bytes = bytes > INLINE_LEAST ? bytes / 2 : 0;
	if (!pair)
		return failed(verbs, "ibv_create_qp", errno, why);
	verbs->library.destroy_qp(pair);
	verbs->inline_bytes = bytes;
	return STN_OK;
}

static int
start_greeter(struct verbs *verbs)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_INIT,
		.port_num = verbs->port.number,
		.qkey = verbs->key,
	};
	int err;

	err = verbs->library.modify_qp(verbs->greeter, &attributes,
				       IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					       IBV_QP_PORT | IBV_QP_QKEY);
	attributes.qp_state = IBV_QPS_RTR;
	if (!err)
		err = verbs->library.modify_qp(verbs->greeter, &attributes,
					       IBV_QP_STATE);
	attributes.qp_state = IBV_QPS_RTS;
	if (!err)
		err = verbs->library.modify_qp(verbs->greeter, &attributes,
					       IBV_QP_STATE | IBV_QP_SQ_PSN);
	return err;
}

/*
 * The key keeps out the datagrams of others. Those with the highest bit set
 * are the kernel's.
 */
static enum stn_err
open_greeter(struct verbs *verbs, struct stn_why *why)
{
	struct ibv_qp_init_attr attributes = {
		.send_cq = verbs->sends.cq,
		.recv_cq = verbs->arrivals.cq,
		.cap = { VERBS_GREETINGS, VERBS_GREETINGS, 1, 1, 0 },
		.qp_type = IBV_QPT_UD,
	};
	int err;

	if (getrandom(&verbs->key, sizeof(verbs->key), 0) < 0)
		return failed(verbs, "getrandom", errno, why);
	verbs->key &= INT32_MAX;
	verbs->greeter = verbs->library.create_qp(verbs->domain, &attributes);
	if (!verbs->greeter)
		return failed(verbs, "ibv_create_qp", errno, why);
	err = start_greeter(verbs);
	return err ? failed(verbs, "ibv_modify_qp", err, why) : STN_OK;
}

/* All memory that is registered for good, as one piece. */
static enum stn_err
open_memory(struct verbs *verbs, struct stn_why *why)
{
	size_t received = verbs->receive_count * (size_t)VERBS_BUFFER_BYTES;
	size_t bounced = VERBS_BOUNCES * (size_t)VERBS_BUFFER_BYTES;
	size_t greetings = VERBS_GREETINGS * (size_t)VERBS_GREETING_ROOM;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = received + bounced + 2 * greetings;

	bytes = (bytes + page - 1) / page * page;
	verbs->memory = aligned_alloc(page, bytes);
	if (!verbs->memory)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	memset(verbs->memory, 0, bytes);
	verbs->bounce_memory = verbs->memory + received;
	verbs->heard_memory = verbs->bounce_memory + bounced;
	verbs->said_memory = verbs->heard_memory + greetings;
	verbs->region = verbs->library.reg_mr(verbs->domain, verbs->memory,
					      bytes, IBV_ACCESS_LOCAL_WRITE);
	if (!verbs->region)
		return failed(verbs, "ibv_reg_mr", errno, why);
	for (size_t i = 0; i < VERBS_BOUNCES; i++) {
		struct verbs_bounce *bounce = &verbs->bounces[i];

		bounce->bytes = verbs->bounce_memory + i * VERBS_BUFFER_BYTES;
		bounce->op.next = verbs->free_bounces;
		verbs->free_bounces = &bounce->op;
	}
	return STN_OK;
}

/*
 * Two, since a page that may not be written can't be had by a region that may
 * be. Without them memory is registered for each operation.
 */
static void
open_anywhere(struct verbs *verbs)
{
	static const int access[] = { IBV_ACCESS_REMOTE_READ,
				      IBV_ACCESS_LOCAL_WRITE };

	if (!verbs_pages_on_demand(verbs->port.context))
		return;
	for (int i = 0; i < 2; i++)
		verbs->anywhere[i] =
			verbs->library.reg_mr(verbs->domain, NULL, SIZE_MAX,
					      access[i] | IBV_ACCESS_ON_DEMAND);
}

static enum stn_err
post_buffers(struct verbs *verbs, struct stn_why *why)
{
	int err = 0;

	for (uint32_t i = 0; i < verbs->receive_count && !err; i++)
		err = verbs_post_receives(verbs, &i, 1);
	for (uint32_t i = 0; i < VERBS_GREETINGS && !err; i++)
		err = verbs_post_heard(verbs, i);
	return err ? failed(verbs, "ibv_post_recv", err, why) : STN_OK;
}

static void
set_limits(struct verbs *verbs)
{
	size_t carried = verbs->inline_bytes > STN_PACKET_BYTES
				 ? verbs->inline_bytes - STN_PACKET_BYTES
				 : 0;

	verbs->base.limits = (struct stn_limits){
		.inline_bytes = carried,
		.eager_bytes = VERBS_EAGER_BYTES,
		.pieces = verbs->gathered > 2 ? verbs->gathered - 2 : 0,
		.fd = verbs->channel->fd,
		.quiet = true,
	};
}

static void
close_queue(struct verbs *verbs, struct verbs_queue *queue)
{
	if (queue->cq)
		verbs->library.destroy_cq(queue->cq);
}

static void
close_memory(struct verbs *verbs)
{
	for (int i = 0; i < 2; i++)
		if (verbs->anywhere[i])
			verbs->library.dereg_mr(verbs->anywhere[i]);
	if (verbs->region)
		verbs->library.dereg_mr(verbs->region);
	free(verbs->memory);
}

/* In the order that the library asks for; also of a half-open endpoint. */
static void
close_objects(struct verbs *verbs)
{
	const struct verbs_library *library = &verbs->library;

	if (verbs->greeter)
		library->destroy_qp(verbs->greeter);
	if (verbs->receives)
		library->destroy_srq(verbs->receives);
	close_queue(verbs, &verbs->arrivals);
	close_queue(verbs, &verbs->sends);
	if (verbs->channel)
		library->destroy_comp_channel(verbs->channel);
	close_memory(verbs);
	if (verbs->domain)
		library->dealloc_pd(verbs->domain);
	if (verbs->port.context)
		library->close_device(verbs->port.context);
	free(verbs);
}

static struct verbs *
create(const struct stn_opening *opening)
{
	uint32_t nodes = opening->topology->nodes;
	struct verbs *verbs;

	verbs = calloc(1, sizeof(*verbs) + nodes * sizeof(verbs->peers[0]));
	if (!verbs)
		return NULL;
	verbs->opening = *opening;
	verbs->base.ops = &stn_transport_verbs;
	verbs->offers.release = verbs_offer_release;
	for (uint32_t i = 0; i < nodes; i++)
		verbs->peers[i].last_waiting = &verbs->peers[i].first_waiting;
	return verbs;
}

static enum stn_err
open_objects(struct verbs *verbs, struct stn_why *why)
{
	enum stn_err err = choose_sizes(verbs, why);

	if (!err)
		err = open_queues(verbs, why);
	if (!err)
		err = open_memory(verbs, why);
	if (!err)
		err = probe_inline(verbs, why);
	if (!err)
		err = open_greeter(verbs, why);
	if (!err)
		err = post_buffers(verbs, why);
	return err;
}

static enum stn_err
verbs_open(const struct stn_opening *opening,
	   struct stn_transport **transport_p, struct stn_why *why)
{
	struct verbs *verbs;
	enum stn_err err;

	if (strcmp(opening->provider, "auto") != 0)
		return stn_because(why, STN_MISSING,
				   "verbs have no provider \"%s\"; a card is "
				   "named by --device",
				   opening->provider);
	verbs = create(opening);
	if (!verbs)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = verbs_library_load(&verbs->library, why);
	if (!err)
		err = verbs_port_open(&verbs->library, opening->device,
				      &verbs->port, why);
	if (!err)
		err = open_objects(verbs, why);
	if (err) {
		close_objects(verbs);
		return err;
	}
	open_anywhere(verbs);
	set_limits(verbs);
	*transport_p = &verbs->base;
	return STN_OK;
}

/* Is anything under way that may still end by itself? */
static bool
is_busy(const struct verbs *verbs)
{
	const struct stn_offer *offer = verbs->offers.first;

	for (; offer; offer = offer->next)
		if (!verbs->peers[offer->to].broken)
			return true;
	for (uint32_t i = 0; i < verbs->opening.topology->nodes; i++) {
		const struct verbs_peer *peer = &verbs->peers[i];

		if (!peer->broken &&
		    (peer->posted != peer->completed || peer->first_waiting))
			return true;
	}
	return false;
}

static void
verbs_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct verbs *verbs = verbs_of(transport);
	uint64_t end = stn_machine_now(transport) + patience_ns;

	while (is_busy(verbs) && stn_machine_now(transport) < end)
		verbs_progress(transport);
	verbs->closing = true;
	for (uint32_t i = 0; i < verbs->opening.topology->nodes; i++)
		verbs_release(verbs, &verbs->peers[i], STN_CANCELLED);
	stn_offers_cancel(&verbs->offers);
	close_objects(verbs);
}

struct verbs_address
verbs_own_address(const struct verbs *verbs)
{
	const struct verbs_port *port = &verbs->port;

	return (struct verbs_address){
		.magic = VERBS_MAGIC,
		.gid = port->gid.gid,
		.greeter = verbs->greeter->qp_num,
		.key = verbs->key,
		.lid = port->attributes.lid,
		.link_layer = port->attributes.link_layer,
		.gid_type = (uint8_t)port->gid.gid_type,
		.mtu = (uint8_t)port->attributes.active_mtu,
		.reads = verbs_reads(verbs),
	};
}

static size_t
verbs_address(struct stn_transport *transport,
	      unsigned char address[STN_ADDRESS_BYTES])
{
	struct verbs_address mine = verbs_own_address(verbs_of(transport));

	memcpy(address, &mine, sizeof(mine));
	return sizeof(mine);
}

enum stn_err
verbs_meet(struct verbs *verbs, uint32_t rank, const unsigned char *address,
	   struct stn_why *why)
{
	const struct verbs_port *port = &verbs->port;
	struct verbs_address theirs;

	memcpy(&theirs, address, sizeof(theirs));
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
	verbs->peers[rank].address = theirs;
	verbs->peers[rank].known = true;
	return STN_OK;
}

static enum stn_err
verbs_connect(struct stn_transport *transport, uint32_t rank,
	      const unsigned char *address, size_t bytes, struct stn_why *why)
{
	struct verbs *verbs = verbs_of(transport);

	if (bytes != sizeof(struct verbs_address) ||
	    rank >= verbs->opening.topology->nodes)
		return stn_because(why, STN_MALFORMED,
				   "node %u's address is malformed", rank);
	return verbs_meet(verbs, rank, address, why);
}

static enum stn_err
verbs_present(const char *provider, uint32_t nodes, struct stn_why *why)
{
	struct verbs_library library;

	(void)provider;
	(void)nodes;
	return verbs_library_load(&library, why);
}

const struct stn_transport_ops stn_transport_verbs = {
	.name = "verbs",
	.help = "RDMA verbs: InfiniBand and RoCE, without a library between",
	.open = verbs_open,
	.close = verbs_close,
	.address = verbs_address,
	.connect = verbs_connect,
	.send = verbs_send,
	.offer = verbs_offer,
	.pull = verbs_pull,
	.refuse = verbs_refuse,
	.peer_del = verbs_peer_del,
	.progress = verbs_progress,
	.arm = verbs_arm,
	.waits = verbs_waits,
	.now = stn_machine_now,
	.present = verbs_present,
	.list = verbs_list,
};
