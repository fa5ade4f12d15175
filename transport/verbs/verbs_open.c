/*
 * verbs_open.c: opens and closes an endpoint of an RDMA device.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "transport/backends.h"
#include "transport/verbs/verbs.h"
#include "transport/verbs/verbs_memory.h"
#include "transport/verbs/verbs_send.h"

#define INLINE_MOST 256 /* more would enlarge all entries of a queue */
#define INLINE_LEAST 32

/* Sends in progress to all nodes together, and the bounds for each node. */
#define SENDS_MOST 16384
#define DEPTH_MOST 64
#define DEPTH_LEAST 16

/* Bounds for the number of posted buffers for messages. */
#define RECEIVES_LEAST 64
#define RECEIVES_MOST 512

static uint32_t
clamp(uint32_t value, uint32_t least, uint32_t most)
{
	return value < least ? least : value > most ? most : value;
}

static enum stn_err
verbs_failed(const struct verbs *verbs, const char *what, int err,
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
 * The completion queues must have room for everything that may complete: a
 * queue that overflows breaks all connections.
 */
static enum stn_err
choose_sizes(struct verbs *verbs, struct stn_why *why)
{
	const struct ibv_device_attr *device = &verbs->port.device;
	uint32_t nodes = verbs->base.nodes;
	uint32_t entries = (uint32_t)device->max_cqe;

	verbs->depth = clamp(SENDS_MOST / nodes, DEPTH_LEAST, DEPTH_MOST);
	verbs->receive_count =
		clamp(nodes * verbs->depth, RECEIVES_LEAST, RECEIVES_MOST);
	verbs->receive_count =
		clamp(verbs->receive_count, 1, (uint32_t)device->max_srq_wr);
	verbs->gathered = clamp((uint32_t)device->max_sge, 1, VERBS_PIECES);
	if ((uint64_t)nodes * verbs->depth + VERBS_DATAGRAMS <= entries)
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "%s: its queues of %u entries are too short for %u "
			   "nodes; run fewer",
			   verbs->port.context->device->name, entries, nodes);
}

static struct ibv_cq *
verbs_open_queue(struct verbs *verbs, struct verbs_queue *queue,
		 uint32_t entries)
{
	queue->cq = verbs->library.create_cq(verbs->port.context, (int)entries,
					     queue, verbs->channel, 0);
	return queue->cq;
}

static enum stn_err
open_queues(struct verbs *verbs, struct stn_why *why)
{
	const struct verbs_library *library = &verbs->library;
	uint32_t sends = verbs->base.nodes * verbs->depth;
	struct ibv_srq_init_attr shared = {
		.attr.max_wr = verbs->receive_count,
		.attr.max_sge = 1,
	};

	verbs->domain = library->alloc_pd(verbs->port.context);
	if (!verbs->domain)
		return verbs_failed(verbs, "ibv_alloc_pd", errno, why);
	verbs->channel = library->create_comp_channel(verbs->port.context);
	if (!verbs->channel || fcntl(verbs->channel->fd, F_SETFL, O_NONBLOCK) ||
	    fcntl(verbs->channel->fd, F_SETFD, FD_CLOEXEC))
		return verbs_failed(verbs, "ibv_create_comp_channel", errno,
				    why);
	if (!verbs_open_queue(verbs, &verbs->arrivals,
			      verbs->receive_count + VERBS_DATAGRAMS) ||
	    !verbs_open_queue(verbs, &verbs->sends, sends + VERBS_DATAGRAMS))
		return verbs_failed(verbs, "ibv_create_cq", errno, why);
	verbs->receives = library->create_srq(verbs->domain, &shared);
	if (!verbs->receives)
		return verbs_failed(verbs, "ibv_create_srq", errno, why);
	return STN_OK;
}

/* The only way to find out how much a device takes inline is to try. */
static enum stn_err
probe_inline(struct verbs *verbs, struct stn_why *why)
{
	uint32_t bytes = INLINE_MOST;
	struct ibv_qp *pair;

	while (!(pair = verbs_create_pair(verbs, bytes)) && bytes)
		bytes = bytes > INLINE_LEAST ? bytes / 2 : 0;
	if (!pair)
		return verbs_failed(verbs, "ibv_create_qp", errno, why);
	verbs->library.destroy_qp(pair);
	verbs->inline_bytes = bytes;
	return STN_OK;
}

static int
start_connector(struct verbs *verbs)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_INIT,
		.port_num = verbs->port.number,
		.qkey = verbs->key,
	};
	int err;

	err = verbs->library.modify_qp(verbs->connector, &attributes,
				       IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					       IBV_QP_PORT | IBV_QP_QKEY);
	attributes.qp_state = IBV_QPS_RTR;
	if (!err)
		err = verbs->library.modify_qp(verbs->connector, &attributes,
					       IBV_QP_STATE);
	attributes.qp_state = IBV_QPS_RTS;
	if (!err)
		err = verbs->library.modify_qp(verbs->connector, &attributes,
					       IBV_QP_STATE | IBV_QP_SQ_PSN);
	return err;
}

/*
 * The key rejects datagrams of other programs. Keys with the highest bit set
 * are reserved for the kernel.
 */
static enum stn_err
open_connector(struct verbs *verbs, struct stn_why *why)
{
	struct ibv_qp_init_attr attributes = {
		.send_cq = verbs->sends.cq,
		.recv_cq = verbs->arrivals.cq,
		.cap = { VERBS_DATAGRAMS, VERBS_DATAGRAMS, 1, 1, 0 },
		.qp_type = IBV_QPT_UD,
	};
	int err;

	if (getrandom(&verbs->key, sizeof(verbs->key), 0) < 0)
		return verbs_failed(verbs, "getrandom", errno, why);
	verbs->key &= INT32_MAX;
	verbs->connector = verbs->library.create_qp(verbs->domain, &attributes);
	if (!verbs->connector)
		return verbs_failed(verbs, "ibv_create_qp", errno, why);
	err = start_connector(verbs);
	return err ? verbs_failed(verbs, "ibv_modify_qp", err, why) : STN_OK;
}

/* One registered region for all buffers, as long as the endpoint is open. */
static enum stn_err
open_memory(struct verbs *verbs, struct stn_why *why)
{
	size_t received = verbs->receive_count * (size_t)VERBS_BUFFER_BYTES;
	size_t bounced = VERBS_BOUNCES * (size_t)VERBS_BUFFER_BYTES;
	size_t datagrams_completed =
		VERBS_DATAGRAMS * (size_t)VERBS_DATAGRAM_ROOM;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = received + bounced + 2 * datagrams_completed;

	bytes = (bytes + page - 1) / page * page;
	verbs->memory = aligned_alloc(page, bytes);
	if (!verbs->memory)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	memset(verbs->memory, 0, bytes);
	verbs->bounce_memory = verbs->memory + received;
	verbs->datagrams_in = verbs->bounce_memory + bounced;
	verbs->datagrams_out = verbs->datagrams_in + datagrams_completed;
	verbs->region = verbs->library.reg_mr(verbs->domain, verbs->memory,
					      bytes, IBV_ACCESS_LOCAL_WRITE);
	if (!verbs->region)
		return verbs_failed(verbs, "ibv_reg_mr", errno, why);
	for (size_t i = 0; i < VERBS_BOUNCES; i++) {
		struct verbs_bounce *bounce = &verbs->bounces[i];

		bounce->bytes = verbs->bounce_memory + i * VERBS_BUFFER_BYTES;
		STAILQ_INSERT_HEAD(&verbs->free_bounces, &bounce->op, link);
	}
	return STN_OK;
}

/*
 * Two regions, because a writable region does not include read-only pages.
 * Without these regions, memory is registered for each operation.
 */
static void
register_all_memory(struct verbs *verbs)
{
	static const int access[] = { IBV_ACCESS_REMOTE_READ,
				      IBV_ACCESS_LOCAL_WRITE };

	if (!verbs_pages_on_demand(verbs->port.context))
		return;
	for (int i = 0; i < 2; i++)
		verbs->all_memory[i] =
			verbs->library.reg_mr(verbs->domain, NULL, SIZE_MAX,
					      access[i] | IBV_ACCESS_ON_DEMAND);
}

static enum stn_err
post_buffers(struct verbs *verbs, struct stn_why *why)
{
	int err = 0;

	for (uint32_t i = 0; i < verbs->receive_count && !err; i++)
		err = verbs_post_receives(verbs, &i, 1);
	for (uint32_t i = 0; i < VERBS_DATAGRAMS && !err; i++)
		err = verbs_post_datagram(verbs, i);
	return err ? verbs_failed(verbs, "ibv_post_recv", err, why) : STN_OK;
}

static void
verbs_set_limits(struct verbs *verbs)
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
		if (verbs->all_memory[i])
			verbs->library.dereg_mr(verbs->all_memory[i]);
	if (verbs->region)
		verbs->library.dereg_mr(verbs->region);
	free(verbs->memory);
}

/*
 * Closes in the order that libibverbs requires; the endpoint may be half open.
 */
static void
verbs_close_objects(struct verbs *verbs)
{
	const struct verbs_library *library = &verbs->library;

	if (verbs->connector)
		library->destroy_qp(verbs->connector);
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
}

static enum stn_err
verbs_open_objects(struct verbs *verbs, struct stn_why *why)
{
	enum stn_err err = choose_sizes(verbs, why);

	if (!err)
		err = open_queues(verbs, why);
	if (!err)
		err = open_memory(verbs, why);
	if (!err)
		err = probe_inline(verbs, why);
	if (!err)
		err = open_connector(verbs, why);
	if (!err)
		err = post_buffers(verbs, why);
	return err;
}

static enum stn_err
verbs_open(struct stn_transport *transport, struct stn_why *why)
{
	const struct stn_opening *opening = &transport->opening;
	struct verbs *verbs = verbs_of(transport);
	enum stn_err err;

	if (strcmp(opening->provider, "auto") != 0)
		return stn_because(why, STN_MISSING,
				   "verbs have no provider \"%s\"; a card is "
				   "named by --device",
				   opening->provider);
	verbs->rendezvous.transport = transport;
	verbs->rendezvous.ended = verbs_offer_ended;
	for (uint32_t i = 0; i < transport->nodes; i++) {
		STAILQ_INIT(&verbs->peers[i].backlog);
		STAILQ_INIT(&verbs->peers[i].reads);
	}
	STAILQ_INIT(&verbs->free_bounces);
	err = verbs_library_load(&verbs->library, why);
	if (!err)
		err = verbs_port_open(&verbs->library, opening->device,
				      &verbs->port, why);
	if (!err)
		err = verbs_open_objects(verbs, why);
	if (err) {
		verbs_close_objects(verbs);
		return err;
	}
	register_all_memory(verbs);
	verbs_set_limits(verbs);
	return STN_OK;
}

/*
 * Is there an operation that must end first, and may still do so by itself? A
 * heartbeat may not: once the next node has closed, nobody acknowledges it.
 */
static bool
is_busy(const struct verbs *verbs)
{
	for (uint32_t i = 0; i < verbs->base.nodes; i++) {
		const struct verbs_peer *peer = &verbs->peers[i];

		if (!peer->broken &&
		    (verbs_owes(peer) ||
		     stn_rendezvous_any(&verbs->rendezvous, i)))
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
	for (uint32_t i = 0; i < verbs->base.nodes; i++)
		verbs_release(verbs, &verbs->peers[i], STN_CANCELLED);
	stn_rendezvous_abandon(&verbs->rendezvous, STN_RENDEZVOUS_ALL,
			       STN_CANCELLED);
	verbs_memory_release(verbs, VERBS_RETIRED);
	verbs_close_objects(verbs);
}

static enum stn_err
verbs_present(const char *provider, uint32_t nodes, struct stn_why *why)
{
	struct verbs_library library;

	(void)provider;
	(void)nodes;
	return verbs_library_load(&library, why);
}

static void
verbs_list(FILE *out)
{
	verbs_list_ports(&stn_transport_verbs, out);
}

const struct stn_transport_ops stn_transport_verbs = {
	.name = "verbs",
	.help = "RDMA verbs: InfiniBand and RoCE, without a library between",
	.bytes = sizeof(struct verbs),
	.node_bytes = sizeof(struct verbs_peer),
	.open = verbs_open,
	.close = verbs_close,
	.address = verbs_address,
	.address_bytes = sizeof(struct verbs_address),
	.connect = verbs_connect,
	.send = verbs_send,
	.offer = verbs_offer,
	.pull = verbs_pull,
	.refuse = verbs_refuse,
	.peer_del = verbs_peer_del,
	.progress = verbs_progress,
	.arm = verbs_arm,
	.disarm = verbs_disarm,
	.waits = verbs_waits,
	.now = stn_machine_now,
	.present = verbs_present,
	.list = verbs_list,
};
