/* verbs.c: handles completions of receives and sends; sleeping. */
#include "transport/verbs/verbs.h"
#include "transport/verbs/verbs_memory.h"
#include "transport/verbs/verbs_send.h"

/* A completion that arrived before the request for an event gives no event. */
bool
verbs_queue_arm(struct verbs_queue *queue)
{
	if (!queue->armed && ibv_req_notify_cq(queue->cq, 0))
		return true;
	queue->armed = true;
	if (!queue->has_early)
		queue->has_early = ibv_poll_cq(queue->cq, 1, &queue->early) > 0;
	return queue->has_early;
}

/*
 * A queue that can't be polled (ibv_poll_cq < 0) has no completions. All peers
 * then seem silent, and are reported dead.
 */
static int
queue_poll(struct verbs_queue *queue, struct ibv_wc *completions)
{
	int got = 0, more;

	if (queue->has_early) {
		completions[got++] = queue->early;
		queue->has_early = false;
	}
	more = ibv_poll_cq(queue->cq, VERBS_BATCH - got, completions + got);
	return more > 0 ? got + more : got;
}

/*
 * A message must arrive over the connection of the node that it names as its
 * sender. (Late messages from a dead node arrive after its connection was
 * destroyed, and are not delivered.)
 */
static bool
is_from(const struct verbs *verbs, uint32_t from, uint32_t number)
{
	const struct verbs_peer *peer = &verbs->peers[from];

	return peer->pair && peer->pair->qp_num == number;
}

static void
verbs_handle(struct verbs *verbs, const unsigned char *bytes, size_t size,
	     uint32_t pair)
{
	struct stn_parsed parsed;
	const struct stn_packet *packet = &parsed.packet;
	enum stn_err err =
		stn_packet_parse(bytes, size, verbs->base.nodes, &parsed);

	if (!err && verbs->peers[packet->from].dead)
		return;
	if (err || !is_from(verbs, packet->from, pair)) {
		stn_packet_malformed(&verbs->base.opening, packet->from);
		return;
	}
	stn_rendezvous_receive(&verbs->rendezvous, &verbs->base.opening,
			       &parsed);
}

/* A message that is longer than its buffer ends its connection. */
static void
receive_failed(struct verbs *verbs, const struct ibv_wc *completion)
{
	for (uint32_t i = 0; i < verbs->base.nodes; i++) {
		if (!is_from(verbs, i, completion->qp_num))
			continue;
		if (completion->status == IBV_WC_LOC_LEN_ERR)
			stn_packet_malformed(&verbs->base.opening, i);
		verbs_broken(verbs, &verbs->peers[i], "its connection broke");
	}
}

static void
verbs_received(struct verbs *verbs, const struct ibv_wc *completion)
{
	if (completion->status)
		receive_failed(verbs, completion);
	else
		verbs_handle(verbs,
			     verbs->memory +
				     completion->wr_id * VERBS_BUFFER_BYTES,
			     completion->byte_len, completion->qp_num);
}

int
verbs_post_receives(struct verbs *verbs, const uint32_t *buffers, size_t count)
{
	struct ibv_recv_wr work[VERBS_BATCH], *bad;
	struct ibv_sge entries[VERBS_BATCH];

	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++) {
		entries[i] = (struct ibv_sge){
			.addr = (uintptr_t)verbs->memory +
				(uintptr_t)buffers[i] * VERBS_BUFFER_BYTES,
			.length = VERBS_WIRE_BYTES,
			.lkey = verbs->region->lkey,
		};
		work[i] = (struct ibv_recv_wr){
			.wr_id = buffers[i],
			.next = i + 1 < count ? &work[i + 1] : NULL,
			.sg_list = &entries[i],
			.num_sge = 1,
		};
	}
	return ibv_post_srq_recv(verbs->receives, work, &bad);
}

static unsigned
poll_arrivals(struct verbs *verbs)
{
	struct ibv_wc completions[VERBS_BATCH];
	uint32_t buffers[VERBS_BATCH];
	int got = queue_poll(&verbs->arrivals, completions);
	size_t count = 0;

	for (int i = 0; i < got; i++) {
		if (completions[i].wr_id & VERBS_CONNECTOR) {
			verbs_datagram_received(verbs, &completions[i]);
			continue;
		}
		verbs_received(verbs, &completions[i]);
		buffers[count++] = (uint32_t)completions[i].wr_id;
	}
	/* There is room for buffers that have just been taken from there. */
	(void)verbs_post_receives(verbs, buffers, count);
	return (unsigned)got;
}

static const char *
verbs_explain(enum ibv_wc_status status)
{
	if (status == IBV_WC_RETRY_EXC_ERR ||
	    status == IBV_WC_RNR_RETRY_EXC_ERR)
		return "it no longer acknowledges what it is sent";
	if (status == IBV_WC_REM_ACCESS_ERR)
		return "it offered memory that can't be read";
	return "its connection broke";
}

/*
 * Work on one connection completes in order. If one request fails, all later
 * ones fail. All their operations end when the peer's death is reported.
 */
static void
verbs_sent(struct verbs *verbs, const struct ibv_wc *completion)
{
	struct verbs_peer *peer;
	struct verbs_op *op;

	if (completion->wr_id & VERBS_CONNECTOR) {
		verbs->datagrams_completed++;
		return;
	}
	peer = &verbs->peers[completion->wr_id];
	if (!peer->pair)
		return; /* the connection has been destroyed */
	if (completion->status) {
		verbs_broken(verbs, peer, verbs_explain(completion->status));
		return;
	}
	op = peer->in_flight[peer->completed++ % verbs->depth];
	if (op)
		op->ended(verbs, op, STN_OK);
}

static unsigned
poll_sends(struct verbs *verbs)
{
	struct ibv_wc completions[VERBS_BATCH];
	int got = queue_poll(&verbs->sends, completions);

	for (int i = 0; i < got; i++)
		verbs_sent(verbs, &completions[i]);
	return (unsigned)got;
}

unsigned
verbs_progress(struct stn_transport *transport)
{
	struct verbs *verbs = verbs_of(transport);
	unsigned did = poll_arrivals(verbs) + poll_sends(verbs);

	if (verbs->pending)
		did += verbs_progress_pending(verbs);
	if (!did)
		verbs_memory_release(verbs, 1);
	return did;
}

void
verbs_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct verbs *verbs = verbs_of(transport);

	verbs->peers[rank].dead = true;
	verbs_release(verbs, &verbs->peers[rank], STN_LOST);
	stn_rendezvous_abandon(&verbs->rendezvous, rank, STN_LOST);
}

/* Each time it is armed, a queue makes the descriptor readable only once. */
static void
take_events(struct verbs *verbs)
{
	struct ibv_cq *cq;
	void *queue;

	while (!verbs->library.get_cq_event(verbs->channel, &cq, &queue)) {
		verbs->library.ack_cq_events(cq, 1);
		((struct verbs_queue *)queue)->armed = false;
	}
}

void
verbs_disarm(struct stn_transport *transport)
{
	struct verbs *verbs = verbs_of(transport);

	if (verbs->arrivals.armed || verbs->sends.armed)
		take_events(verbs);
}

/* When the next CONNECT must be sent again; STN_FOREVER if none must. */
static uint64_t
first_resend(const struct verbs *verbs)
{
	uint64_t first = STN_FOREVER;

	for (const struct verbs_peer *peer = verbs->pending; peer;
	     peer = peer->next_pending)
		if (verbs_is_connecting(peer) && peer->resend_ns < first)
			first = peer->resend_ns;
	return first;
}

bool
verbs_waits(const struct stn_transport *transport)
{
	const struct verbs *verbs = (const struct verbs *)transport;

	return verbs->sends.has_early || first_resend(verbs) != STN_FOREVER;
}

uint64_t
verbs_arm(struct stn_transport *transport)
{
	struct verbs *verbs = verbs_of(transport);
	uint64_t first, now;

	take_events(verbs);
	if (verbs_queue_arm(&verbs->arrivals))
		return STN_NOT_NOW;
	if ((verbs->reading || verbs->pending) &&
	    verbs_queue_arm(&verbs->sends))
		return STN_NOT_NOW;
	verbs_memory_release(verbs, VERBS_RETIRED);
	first = first_resend(verbs);
	if (first == STN_FOREVER)
		return STN_FOREVER;
	now = stn_machine_now(transport);
	return first > now ? first - now : STN_NOT_NOW;
}
