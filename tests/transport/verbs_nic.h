/*
 * verbs_nic.h: an endpoint of the verbs backend on a made-up device, whose
 * requests complete when the test says so.
 */
#ifndef TESTS_TRANSPORT_VERBS_NIC_H
#define TESTS_TRANSPORT_VERBS_NIC_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/transport/pulls.h"
#include "transport/backends.h"
#include "transport/verbs/verbs.h"
#include "transport/verbs/verbs_send.h"

#define PEER PULL_FROM /* the endpoint is node 0 */
#define OTHER 2	       /* another peer, which most tests do not use */
#define NODES 3
#define DEPTH 16
#define READS 4

/* The device. It completes requests when the test says so. */
static struct {
	struct ibv_context context;
	struct ibv_qp pair, connector;
	struct ibv_cq arrivals, sends;
	bool fails;	       /* its completion queues can't be polled */
	int posted, completed; /* requests */
	int done;	       /* requests whose completion can be polled */
	int reads;	       /* among all posted requests */
	int short_of;	       /* queue pairs that can't be created */
	bool global;	       /* the last route uses the GID */
	int unanswered;	       /* changes of a queue pair that fail */
	bool event; /* one of the sends can be read from the channel */
	int regions;  /* registered ones */
	int lockable; /* how many may be registered; 0: any number */
	int left;     /* registered when their domain was freed */
	struct ibv_pd domain;
} nic;

static int
poll_queue(struct ibv_cq *cq, int most, struct ibv_wc *completions)
{
	int got = 0;

	if (nic.fails)
		return -1;
	while (cq == &nic.sends && nic.done && got < most) {
		completions[got++] = (struct ibv_wc){ .wr_id = PEER };
		nic.done--;
		nic.completed++;
	}
	return got;
}

static int
post_send(struct ibv_qp *pair, struct ibv_send_wr *work,
	  struct ibv_send_wr **bad_p)
{
	(void)bad_p;
	if (pair == &nic.connector)
		return 0;
	nic.posted++;
	nic.reads += work->opcode == IBV_WR_RDMA_READ;
	return 0;
}

static struct ibv_mr *
register_memory(struct ibv_pd *domain, void *address, size_t bytes, int access)
{
	struct ibv_mr *region;

	(void)domain;
	(void)address;
	(void)access;
	if (nic.lockable && nic.regions == nic.lockable)
		return NULL;
	nic.regions++;
	region = calloc(1, sizeof(*region));
	region->length = bytes;
	return region;
}

static int
deregister_memory(struct ibv_mr *region)
{
	free(region);
	nic.regions--;
	return 0;
}

static int
free_domain(struct ibv_pd *domain)
{
	(void)domain;
	nic.left = nic.regions;
	return 0;
}

static int
destroy_pair(struct ibv_qp *pair)
{
	(void)pair;
	return 0;
}

static struct ibv_qp *
create_pair(struct ibv_pd *domain, struct ibv_qp_init_attr *attributes)
{
	(void)domain;
	(void)attributes;
	if (!nic.short_of)
		return &nic.pair;
	nic.short_of--;
	errno = ENOMEM;
	return NULL;
}

static int
modify_pair(struct ibv_qp *pair, struct ibv_qp_attr *attributes, int mask)
{
	(void)pair;
	(void)mask;
	if (attributes->qp_state != IBV_QPS_RTR || !nic.unanswered)
		return 0;
	nic.unanswered--;
	return ETIMEDOUT;
}

static struct ibv_ah *
create_route(struct ibv_pd *domain, struct ibv_ah_attr *attributes)
{
	static struct ibv_ah route;

	(void)domain;
	nic.global = attributes->is_global;
	return &route;
}

static int
destroy_route(struct ibv_ah *route)
{
	(void)route;
	return 0;
}

static int
post_receive(struct ibv_qp *pair, struct ibv_recv_wr *work,
	     struct ibv_recv_wr **bad_p)
{
	(void)pair;
	(void)work;
	(void)bad_p;
	return 0;
}

static int
destroy_queue(struct ibv_cq *cq)
{
	(void)cq;
	return 0;
}

static int
request_event(struct ibv_cq *cq, int solicited)
{
	(void)cq;
	(void)solicited;
	return 0;
}

static int
get_event(struct ibv_comp_channel *channel, struct ibv_cq **cq_p,
	  void **queue_p)
{
	struct verbs *verbs = nic.sends.cq_context;

	(void)channel;
	if (!nic.event)
		return -1;
	nic.event = false;
	*cq_p = &nic.sends;
	*queue_p = &verbs->sends;
	return 0;
}

static void
acknowledge_events(struct ibv_cq *cq, unsigned count)
{
	(void)cq;
	(void)count;
}

static void
nic_begin(void)
{
	memset(&nic, 0, sizeof(nic));
	nic.context.ops.poll_cq = poll_queue;
	nic.context.ops.req_notify_cq = request_event;
	nic.context.ops.post_send = post_send;
	nic.context.ops.post_recv = post_receive;
	nic.pair.context = nic.connector.context = &nic.context;
	nic.arrivals.context = nic.sends.context = &nic.context;
}

static inline void
connect_peer(struct verbs *verbs, struct verbs_peer *peer)
{
	peer->joined = peer->peer_joined = true;
	peer->pair = &nic.pair;
	peer->in_flight = calloc(verbs->depth, sizeof(peer->in_flight[0]));
	peer->reads_most = READS;
	STAILQ_INIT(&peer->backlog);
	STAILQ_INIT(&peer->reads);
}

/* An endpoint that is connected to its peer. */
static inline struct verbs *
endpoint_open(void)
{
	size_t peers = NODES * sizeof(struct verbs_peer);
	struct verbs *verbs = calloc(1, sizeof(*verbs) + peers);

	nic_begin();
	nic.sends.cq_context = verbs;
	verbs->library.get_cq_event = get_event;
	verbs->library.ack_cq_events = acknowledge_events;
	verbs->library.reg_mr = register_memory;
	verbs->library.dereg_mr = deregister_memory;
	verbs->library.dealloc_pd = free_domain;
	verbs->library.create_qp = create_pair;
	verbs->library.modify_qp = modify_pair;
	verbs->library.create_ah = create_route;
	verbs->library.destroy_ah = destroy_route;
	verbs->library.destroy_qp = destroy_pair;
	verbs->library.destroy_cq = destroy_queue;
	verbs->domain = &nic.domain;
	verbs->rendezvous.transport = &verbs->base;
	verbs->rendezvous.ended = verbs_offer_ended;
	verbs->base.nodes = NODES;
	verbs->arrivals.cq = &nic.arrivals;
	verbs->sends.cq = &nic.sends;
	verbs->depth = DEPTH;
	verbs->inline_bytes = 256;
	verbs->gathered = VERBS_PIECES;
	connect_peer(verbs, &verbs->peers[PEER]);
	return verbs;
}

/* Returns how long the close took. */
static inline uint64_t
endpoint_close(struct verbs *verbs, uint64_t patience_ns)
{
	uint64_t begin = stn_machine_now(NULL);

	stn_transport_verbs.close(&verbs->base, patience_ns);
	free(verbs);
	return stn_machine_now(NULL) - begin;
}

static inline void
send_some(struct verbs *verbs, int count)
{
	while (count--)
		verbs_send(&verbs->base, PEER, 1, "header", 6, NULL, 0, NULL,
			   NULL);
}

#endif
